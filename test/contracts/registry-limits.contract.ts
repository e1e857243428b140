import { describe, expect, it } from "vitest";
import type { Breaker } from "#domain/registry/breaker";
import type { RegistryLimit } from "#domain/registry/lease";
import type { Outage } from "#domain/registry/outage";
import type { Pauses } from "#domain/registry/pauses";
import { hours, plus } from "#domain/shared/time";
import type { RegistryLimits } from "#ports/registry-limits";
import { start } from "./records.ts";

const host = "registry.test:5000";
const limit: RegistryLimit = { version: 1, emptyAt: start };
const outage: Outage = {
  version: 1,
  since: start,
  detail: "registry.test:5000 could not be reached (ECONNREFUSED)",
  storedAt: start,
  untold: { names: ["RegistryUnreachable"], until: plus(start, hours(1)) },
};
const breaker: Breaker = {
  version: 1,
  state: "closed",
  failures: 1,
  lastFailure: { detail: "registry.test:5000 answered 503", at: start },
};

const pause = { since: start, until: plus(start, hours(1)), detail: "registry.test:5000 answered 429" };
const pauses: Pauses = { version: 1, registry: pause, repositories: [{ ...pause, repository: "shop/api" }] };

/** What remembers the limits of registries, whatever keeps it. */
export function registryLimitsContract(makeRegistryLimits: () => Promise<RegistryLimits>): void {
  it("a registry without requests has no state", async () => {
    expect(await (await makeRegistryLimits()).read(host)).toEqual({});
  });

  it("the limit, the breaker, the outage and the pauses of each registry are separate", async () => {
    const limits = await makeRegistryLimits();
    await limits.writeLimit(host, limit, start);
    await limits.writeBreaker(host, breaker, start);
    await limits.writeOutage(host, outage, start);
    await limits.writePauses(host, pauses, start);
    await limits.writeLimit("other.test", { ...limit, emptyAt: plus(start, hours(1)) }, start);

    expect(await limits.read(host)).toEqual({ limit, breaker, outage, pauses });
    expect(await limits.read("other.test")).toEqual({ limit: { ...limit, emptyAt: plus(start, hours(1)) } });
  });

  describe.each([
    ["limit", (limits: RegistryLimits, version: number) => limits.writeLimit(host, { ...limit, version }, start)],
    ["breaker", (limits: RegistryLimits, version: number) => limits.writeBreaker(host, { ...breaker, version }, start)],
    ["outage", (limits: RegistryLimits, version: number) => limits.writeOutage(host, { ...outage, version }, start)],
    ["pauses", (limits: RegistryLimits, version: number) => limits.writePauses(host, { ...pauses, version }, start)],
  ] as const)("of two processes that write the %s at once", (_, write) => {
    it("one succeeds when no state was stored before", async () => {
      const limits = await makeRegistryLimits();
      const written = await Promise.all([write(limits, 1), write(limits, 1)]);
      expect(written.toSorted()).toEqual([false, true]);
    });

    it("one succeeds when both have read the same version", async () => {
      const limits = await makeRegistryLimits();
      await write(limits, 1);
      const written = await Promise.all([write(limits, 2), write(limits, 2), write(limits, 2)]);
      expect(written.toSorted()).toEqual([false, false, true]);
    });

    it("one that skips a version fails", async () => {
      const limits = await makeRegistryLimits();
      expect(await write(limits, 2)).toBe(false);
    });
  });
}
