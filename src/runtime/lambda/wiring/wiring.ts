import { readFileSync } from "node:fs";
import { join } from "node:path";
import { re2Patterns } from "#adapters/re2js/patterns";
import type { Configuration } from "#contracts/config/configuration";
import type { FunctionName } from "#contracts/routes";
import { epochMs } from "#domain/shared/time";
import type { Clock } from "#ports/clock";
import { PermanentError } from "#ports/errors";
import type { Metrics } from "#ports/metrics";
import type { AnyPart, Environment, Surroundings, Wired } from "./part.ts";

/** What a function is made of, besides its code. */
export interface FunctionSettings {
  readonly name: FunctionName;
  /** The folder of all functions: `configuration.json` lies there. */
  readonly folder: string;
  /** What its route calls for. */
  readonly parts: readonly AnyPart[];
  /** The variables of the process, unless given. */
  readonly environment?: Environment;
}

const systemClock: Clock = { now: () => epochMs(Date.now()) };

/**
 * Wires a function: nothing is read or made before the first call, and what went well is made once.
 *
 * What its route does not call for throws when it is used: that is a mistake in the route table.
 *
 * @throws from the answer what the first part throws that can't be made; the next call tries again.
 */
export function wiringOf({
  name,
  folder,
  parts,
  environment = process.env,
}: FunctionSettings): (metrics: Metrics) => Promise<Wired> {
  const surroundings = once(() => surroundingsIn(name, folder, environment));
  const makers = parts.map((part) => once(() => part(surroundings())));
  const patterns = re2Patterns();
  return async (metrics) => {
    const { clock, configuration } = surroundings();
    const given = await Promise.all(makers.map(async (maker) => maker()()));
    return Object.assign(
      forbidden(name),
      { clock, metrics, patterns, limits: configuration.limits, plannedFreezes: configuration.freezes },
      ...given,
    ) as Wired;
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

/** The stack checks `lookout.yaml` and writes what it says beside the functions. */
function deployedConfiguration(folder: string): Configuration {
  const file = join(folder, "configuration.json");
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Configuration;
  } catch (error) {
    throw new PermanentError(
      "configuration.json of the functions can't be read: the stack writes it; deploy it again",
      {
        cause: error,
      },
    );
  }
}

/** Answers what the given function answered first; one that threw is asked again. */
function once<Made>(make: () => Made): () => Made {
  let made: { readonly value: Made } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** What a route may call for. */
const calledFor = [
  ...["store", "ledger", "quarantine", "freezes", "pushCoalescing", "probeResults", "repositories", "clusterStates"],
  "changes",
  "clusters",
  "registry",
  "tagHistory",
  "queues",
  "bus",
  "receivers",
  "setAside",
  "again",
] as const;

/** Stands in for what the route does not call for: any use of it throws. */
function forbidden(name: FunctionName): object {
  const standIns = calledFor.map((key) => {
    const used = (): never => {
      throw new Error(`${name} used ${key}, which its route in src/contracts/routes.ts does not call for`);
    };
    return [key, new Proxy(used, { get: used })];
  });
  return Object.fromEntries(standIns) as object;
}
