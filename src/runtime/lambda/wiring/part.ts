import type { Ports } from "#app/shared/ports";
import type { Configuration } from "#contracts/config/configuration";
import type { Envelope } from "#contracts/messages/envelope";
import type { FunctionName } from "#contracts/routes";
import type { Clock } from "#ports/clock";
import { PermanentError } from "#ports/errors";
import type { Invocation } from "../../handler.ts";

/** The variables of a deployed function. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What every part is made from. */
export interface Surroundings {
  /** The function that is wired. */
  readonly name: FunctionName;
  readonly environment: Environment;
  /** `lookout.yaml` as it was deployed. */
  readonly configuration: Configuration;
  readonly clock: Clock;
  /** Answers what the given function makes, which is called once: for clients that several parts use. */
  readonly shared: <Made>(make: (environment: Environment) => Made) => Made;
}

/** Everything that a function may be given. */
export interface Wired extends Ports, Pick<Invocation, "receivers" | "setAside"> {
  /** Sends a message that came before its time to the function's own queue again; false: it is due. */
  readonly again: (envelope: Envelope) => Promise<boolean>;
}

/**
 * Wires what a route may call for. It is called once per execution environment, where clients are made; what it answers is called before
 * each run, and may read anew what changes while the environment lives. A throw fails that run, and the next one tries again.
 */
export type WiringPart<Given extends keyof Wired> = (
  surroundings: Surroundings,
) => () => Pick<Wired, Given> | Promise<Pick<Wired, Given>>;

/** A {@link WiringPart}, whatever it gives. */
export type AnyPart = (surroundings: Surroundings) => () => Partial<Wired> | Promise<Partial<Wired>>;

/**
 * Reads a variable that the stack sets.
 *
 * @param setBy - the construct that sets it, and on which functions, for whoever finds it missing
 * @throws PermanentError that names both.
 */
export function variable(environment: Environment, name: string, setBy: string): string {
  const value = environment[name] ?? "";
  if (value !== "") return value;
  throw new PermanentError(`the variable ${name} is not set: ${setBy}; deploy the stack again`);
}
