import { type EpochMs, hours, plus } from "#domain/shared/time";
import type { RegistryLimits, RegistryState } from "#ports/registry-limits";
import { itemOf, type Kind, objectWith, reading, type Storage, valuesOf } from "./kind.ts";
import { putIf } from "./writes.ts";

type Part = keyof RegistryState;
type State<Name extends Part> = NonNullable<RegistryState[Name]>;

/** A part with its name, so that one query reads all parts of a registry. */
interface Stored {
  readonly part: Part;
  readonly state: State<Part>;
}

/** A part of the limits of a registry. */
export const kind: Kind<Stored> = {
  name: "limit of a registry",
  form: 1,
  read: objectWith({ part: "string", state: "map" }),
};

const keptFor = hours(24);

function partitionOf(host: string): string {
  return `REGISTRY#${host}`;
}

/** Returns the store of registry limits. An item expires a day after its last write. */
export function storedRegistryLimits(storage: Storage): RegistryLimits {
  const { items } = storage;
  const write = (host: string, part: Part, state: State<Part>, now: EpochMs): Promise<boolean> => {
    const { version } = state;
    const more = { marks: { version }, expiresAt: plus(now, keptFor) };
    const item = itemOf(kind, { pk: partitionOf(host), sk: part }, { part, state }, more);
    const before =
      version === 1
        ? ({ kind: "absent" } as const)
        : ({ kind: "equals", mark: "version", value: version - 1 } as const);
    return putIf(items, item, before, `storing the ${part} of ${host}`);
  };
  return {
    async read(host) {
      const doing = `reading the limits of ${host}`;
      const found = await items.query({ pk: partitionOf(host) }, doing);
      // The next write starts with version 1, so it needs the place of an item that can't be read.
      const unreadable = found.filter((item) => !reading(kind, item).ok);
      if (unreadable.length > 0) await items.removeMany(unreadable, doing);
      return Object.fromEntries(valuesOf(kind, found, storage).map(({ part, state }) => [part, state]));
    },
    writeLimit: (host, limit, now) => write(host, "limit", limit, now),
    writeBreaker: (host, breaker, now) => write(host, "breaker", breaker, now),
    writeOutage: (host, outage, now) => write(host, "outage", outage, now),
    writePauses: (host, pauses, now) => write(host, "pauses", pauses, now),
  };
}
