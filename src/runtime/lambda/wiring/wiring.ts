import { readFileSync } from "node:fs";
import { join } from "node:path";
import { re2Patterns } from "#adapters/re2js/patterns";
import { tablePorts } from "#app/shared/ports";
import type { Configuration } from "#contracts/config/configuration";
import type { FunctionName } from "#contracts/routes";
import { epochMs } from "#domain/shared/time";
import type { Clock } from "#ports/clock";
import { PermanentError } from "#ports/errors";
import type { Metrics } from "#ports/metrics";
import { rulesOf } from "../../rules.ts";
import { sharesOfProcess } from "../../shares.ts";
import type { AnyPart, Environment, Surroundings, Wired } from "./part.ts";

/** The settings of a function. */
export interface FunctionSettings {
  readonly name: FunctionName;
  /** The folder of all functions, with `configuration.json`. */
  readonly folder: string;
  /** The parts that the function's route needs. */
  readonly parts: readonly AnyPart[];
  /** The variables. Default: the variables of the process. */
  readonly environment?: Environment;
}

const systemClock: Clock = { now: () => epochMs(Date.now()) };

/**
 * Returns a function that wires a Lambda function. The wiring creates each part once, at the first
 * call. A port that is not in the route throws at its first use.
 *
 * @throws from the returned function, if a part can't be created. The next call tries again.
 */
export function wiringOf({
  name,
  folder,
  parts,
  environment = process.env,
}: FunctionSettings): (
  metrics: Metrics,
  signal: AbortSignal,
) => Promise<{ readonly wired: Wired; readonly end: () => void }> {
  const surroundings = once(() => surroundingsIn(name, folder, environment));
  const makers = parts.map((part) => once(() => part(surroundings())));
  const patterns = re2Patterns();
  const rules = once(() => rulesOf(surroundings().configuration));
  const shares = once(() => sharesOfProcess(surroundings().configuration.budgets));
  return async (metrics, signal) => {
    const { clock } = surroundings();
    const { spending, end } = shares().begin(signal);
    const given = await Promise.all(makers.map(async (maker) => maker()(metrics)));
    const wired = Object.assign(
      forbidden(name),
      { clock, metrics, patterns, spending, rules: rules() },
      ...given,
    ) as Wired;
    return { wired, end };
  };
}

function surroundingsIn(name: FunctionName, folder: string, environment: Environment): Surroundings {
  const made = new Map<(environment: Environment) => unknown, unknown>();
  return {
    name,
    environment,
    configuration: deployedConfiguration(folder),
    clock: systemClock,
    shared: <Made>(make: (environment: Environment) => Made): Made => {
      if (!made.has(make)) made.set(make, make(environment));
      return made.get(make) as Made;
    },
  };
}

/** Returns the deployed configuration. The stack has validated this file. */
function deployedConfiguration(folder: string): Configuration {
  const file = join(folder, "configuration.json");
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Configuration;
  } catch (error) {
    throw new PermanentError("the functions' configuration.json can't be read: deploy the stack again", {
      cause: error,
    });
  }
}

/**
 * Returns a function that returns the result of `make`. The function calls `make` once, and again
 * only after an error.
 */
function once<Made>(make: () => Made): () => Made {
  let made: { readonly value: Made } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** The ports that a route may need. */
const calledFor = [
  ...tablePorts,
  "changes",
  "clusters",
  "channels",
  "checks",
  "registry",
  "queues",
  "bus",
  "receivers",
  "setAside",
  "again",
] as const;

/** Returns ports that throw when they are used. */
function forbidden(name: FunctionName): object {
  const standIns = calledFor.map((key) => {
    const used = (): never => {
      throw new Error(`${name} used ${key}, which its route in src/contracts/routes.ts does not list`);
    };
    return [key, new Proxy(used, { get: used })];
  });
  return Object.fromEntries(standIns) as object;
}
