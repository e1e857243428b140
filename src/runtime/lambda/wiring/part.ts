import type { Ports } from "#app/ports";
import type { DynamoTable } from "#adapters/dynamodb/client";
import type { Configuration } from "#contracts/configuration";
import { PermanentError } from "#ports/errors";
import type { Clock } from "#ports/clock";
import type { PushReceivers } from "#ports/push-receiver";

/** The variables of a deployed function. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What every part is made from. */
export interface Surroundings {
  readonly environment: Environment;
  /** `lookout.yaml` as it was deployed. */
  readonly configuration: Configuration;
  /** The table, which every function has. */
  readonly table: DynamoTable;
  readonly clock: Clock;
}

/** Everything that a function may be given. */
export type Wired = Ports & { readonly receivers: PushReceivers };

/**
 * Wires one thing that a route may call for. It is called once per execution environment, where clients are made; what it answers is
 * called before each run, and may read anew what changes while the environment lives. A throw fails that run, and the next one tries again.
 */
export type WiringPart<Given extends keyof Wired = keyof Wired> = (
  surroundings: Surroundings,
) => () => Partial<Pick<Wired, Given>> | Promise<Partial<Pick<Wired, Given>>>;

/**
 * Reads a variable that the stack sets.
 *
 * @param construct - who sets it, and for whom: it is told to whoever finds it missing
 * @throws PermanentError that names both.
 */
export function variable(environment: Environment, name: string, construct: string): string {
  const value = environment[name] ?? "";
  if (value !== "") return value;
  throw new PermanentError(`the variable ${name} is not set: ${construct} sets it; deploy the stack again`);
}
