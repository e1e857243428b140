import * as z from "zod/mini";
import type { RegistryFailure } from "#domain/registry/breaker";
import type { RegistryLimit } from "#domain/registry/lease";
import type { Line, Taker } from "#domain/registry/line";
import { type Outage, registryFactNames } from "#domain/registry/outage";
import type { Pause, Pauses, RepositoryPause } from "#domain/registry/pauses";
import { type EpochMs, hours, plus } from "#domain/shared/time";
import type { RegistryLimits, RegistryState } from "#ports/registry-limits";
import { itemOf, type Kind, reading, type Storage, valuesOf } from "./kind.ts";
import { anyText, count, instant, list, maybe, type Members, number, text, texts } from "./shape.ts";
import { putIf } from "./writes.ts";

type Part = keyof RegistryState;
type State<Name extends Part> = NonNullable<RegistryState[Name]>;

/** A part with its name, so that one query reads all parts of a registry. */
interface Stored {
  readonly part: Part;
  readonly state: State<Part>;
}

const limit = z.object({
  version: number,
  emptyAt: instant,
  line: maybe(
    z.object({
      at: instant,
      countedAt: instant,
      takers: z.readonly(
        z.record(
          z.string(),
          z.object({ used: z.number().check(z.gte(0)), waitsSince: instant } satisfies Members<Taker>),
        ),
      ),
    } satisfies Members<Line>),
  ),
} satisfies Members<RegistryLimit>);

const failing = {
  version: number,
  lastFailure: z.object({ detail: anyText, at: instant } satisfies Members<RegistryFailure>),
};

const breaker = z.discriminatedUnion("state", [
  z.object({ ...failing, state: z.literal("closed"), failures: count, repositories: maybe(texts) }),
  z.object({ ...failing, state: z.literal("open"), since: instant, until: instant }),
  z.object({ ...failing, state: z.literal("half-open"), since: instant, until: instant }),
]);

const outage = z.object({
  version: number,
  since: instant,
  detail: anyText,
  endedAt: maybe(instant),
  storedAt: instant,
  untold: maybe(z.object({ names: list(z.enum(registryFactNames)), until: instant })),
} satisfies Members<Outage>);

const pause = { since: instant, until: instant, detail: anyText, askedUntil: maybe(instant) } satisfies Members<Pause>;

const pauses = z.object({
  version: number,
  registry: maybe(z.object(pause)),
  repositories: list(z.object({ ...pause, repository: text } satisfies Members<RepositoryPause>)),
} satisfies Members<Pauses>);

/** The kind of the limits of registries. */
export const registryLimitKind: Kind<Stored> = {
  name: "limit of a registry",
  form: 1,
  shape: z.discriminatedUnion("part", [
    z.object({ part: z.literal("limit"), state: limit }),
    z.object({ part: z.literal("breaker"), state: breaker }),
    z.object({ part: z.literal("outage"), state: outage }),
    z.object({ part: z.literal("pauses"), state: pauses }),
  ]),
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
    const item = itemOf(registryLimitKind, { pk: partitionOf(host), sk: part }, { part, state }, more);
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
      const unreadable = found.filter((item) => !reading(registryLimitKind, item).ok);
      if (unreadable.length > 0) await items.removeMany(unreadable, doing);
      return Object.fromEntries(valuesOf(registryLimitKind, found, storage).map(({ part, state }) => [part, state]));
    },
    writeLimit: (host, limit, now) => write(host, "limit", limit, now),
    writeBreaker: (host, breaker, now) => write(host, "breaker", breaker, now),
    writeOutage: (host, outage, now) => write(host, "outage", outage, now),
    writePauses: (host, pauses, now) => write(host, "pauses", pauses, now),
  };
}
