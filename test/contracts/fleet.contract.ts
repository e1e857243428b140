import { beforeEach, expect, it } from "vitest";
import { epochMs } from "#domain/shared/time";
import type { Fleet, FleetRow, GoneRow } from "#ports/fleet";
import { start } from "./records.ts";

const row = (workload: string, version: number, state = "up-to-date"): FleetRow => ({
  ...{ workload, version, state, since: start, wants: [], waits: [] },
  runs: [{ name: "app", imageName: "registry.test/shop/app", tag: "1.0.0", policy: "semver" }],
});
const gone = (workload: string, version: number): GoneRow => ({ workload, version, goneAt: epochMs(start) });

const api = "prod/shop/deployment/api";
const web = "prod/web/deployment/web";

/** What the rows of the fleet do, whatever keeps them. */
export function fleetContract(makeFleet: () => Promise<Fleet>): void {
  let fleet: Fleet;
  beforeEach(async () => {
    fleet = await makeFleet();
  });

  it("a fleet is empty at first", async () => {
    expect(await fleet.list({ cluster: "prod" })).toEqual([]);
    expect(await fleet.readMany([api])).toEqual([]);
    await fleet.write([]);
    await fleet.forget([]);
  });

  it("a fleet lists the rows of a cluster or a namespace by name", async () => {
    const all = [row(web, 1), row(api, 1), row("stage/shop/deployment/api", 1), row("prod/shop-two/deployment/x", 1)];
    await fleet.write(all);

    expect((await fleet.list({ cluster: "prod" })).map(({ workload }) => workload)).toEqual([
      "prod/shop-two/deployment/x",
      api,
      web,
    ]);
    expect(await fleet.list({ cluster: "prod", namespace: "shop" })).toEqual([row(api, 1)]);
    expect(await fleet.readMany([web, "prod/no/deployment/x"])).toEqual([row(web, 1)]);
  });

  it("a fleet replaces a row by one of the same or a later version, and by no earlier one", async () => {
    await fleet.list({ cluster: "prod" });
    await fleet.write([row(api, 4, "held")]);
    await fleet.write([row(api, 3, "problem")]);
    expect(await fleet.list({ cluster: "prod" })).toEqual([row(api, 4, "held")]);
    await fleet.write([row(api, 4, "blocked")]);
    expect(await fleet.list({ cluster: "prod" })).toEqual([row(api, 4, "blocked")]);
    await fleet.write([row(api, 9)]);
    expect(await fleet.list({ cluster: "prod" })).toEqual([row(api, 9)]);
  });

  it("a fleet does not list a workload that is gone, and no earlier row brings it back", async () => {
    await fleet.write([row(api, 4)]);
    await fleet.write([gone(api, 6)]);
    await fleet.write([row(api, 5)]);

    expect(await fleet.list({ cluster: "prod" })).toEqual([]);
    expect(await fleet.readMany([api])).toEqual([gone(api, 6)]);
    await fleet.write([row(api, 7)]);
    expect(await fleet.list({ cluster: "prod" })).toEqual([row(api, 7)]);
  });

  it("a fleet forgets rows, and then takes every version", async () => {
    await fleet.write([row(api, 9), row(web, 1)]);
    await fleet.list({ cluster: "prod" });
    await fleet.forget([api]);
    expect(await fleet.list({ cluster: "prod" })).toEqual([row(web, 1)]);
    await fleet.write([row(api, 1)]);
    expect(await fleet.list({ cluster: "prod" })).toEqual([row(api, 1), row(web, 1)]);
  });
}
