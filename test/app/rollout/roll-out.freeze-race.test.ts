import { describe, expect, it } from "vitest";
import { freeze } from "#app/api/freezes";
import { minutes } from "#domain/shared/time";
import { trackApi, worldWithApi } from "../world.ts";

// The seeds are those of `npm run simulate` at the time; a change of the simulation gives them other histories.
describe("an unanswered patch before a freeze", () => {
  it("is held without its slot when it can't land any more (seeds 55 and 452 of 100 events)", async () => {
    const lookout = await worldWithApi();
    const key = await trackApi(lookout);
    lookout.cluster.failNext({ kind: "unknown", detail: "timed out" });
    await lookout.push("shop/api", "1.1.0");
    await lookout.settle();
    await freeze({ scope: {}, why: "stocktaking", by: "ana" }, lookout.ports);

    await lookout.pass(minutes(5));

    expect((await lookout.record(key)).pending).toMatchObject({ status: "held", waits: [{ reason: "frozen" }] });
    expect(await lookout.ports.store.slots("prod")).toEqual([]);
    expect(lookout.cluster.history.filter(({ manager }) => manager === "lookout")).toEqual([]);
  });
});
