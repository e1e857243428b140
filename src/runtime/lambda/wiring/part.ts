import type { Ports } from "#app/shared/ports";
import type { Configuration } from "#contracts/config/configuration";
import type { Envelope } from "#contracts/messages/envelope";
import type { FunctionName } from "#contracts/routes";
import type { Clock } from "#ports/clock";
import { PermanentError } from "#ports/errors";
import type { Metrics } from "#ports/metrics";
import type { Invocation } from "../../handler.ts";

/** The variables of a deployed function. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The input of every part. */
export interface Surroundings {
  /** The name of the function. */
  readonly name: FunctionName;
  readonly environment: Environment;
  /** The deployed `lookout.yaml`. */
  readonly configuration: Configuration;
  readonly clock: Clock;
  /**
   * Returns the result of `make`, which is called once for all parts. Clients are shared in this
   * way.
   */
  readonly shared: <Made>(make: (environment: Environment) => Made) => Made;
}

/** All ports that a function may use. */
export interface Wired extends Ports, Pick<Invocation, "receivers" | "setAside"> {
  /** Returns whether a message is early. An early message is sent to the function's queue again. */
  readonly again: (envelope: Envelope) => Promise<boolean>;
}

/**
 * Wires a part of a route. A part is called once per execution environment, and creates clients.
 * The returned function is called before each run, and may read current data. An error fails only
 * that run.
 */
export type WiringPart<Given extends keyof Wired> = (
  surroundings: Surroundings,
) => (metrics: Metrics) => Pick<Wired, Given> | Promise<Pick<Wired, Given>>;

/** Any {@link WiringPart}. */
export type AnyPart = (surroundings: Surroundings) => (metrics: Metrics) => Partial<Wired> | Promise<Partial<Wired>>;

/**
 * Returns a variable that the stack sets.
 *
 * @param setBy - the construct that sets the variable, for the error message
 * @throws PermanentError that names the variable and the construct
 */
export function variable(environment: Environment, name: string, setBy: string): string {
  const value = environment[name] ?? "";
  if (value !== "") return value;
  throw new PermanentError(`the variable ${name} is not set: ${setBy}; deploy the stack again`);
}
