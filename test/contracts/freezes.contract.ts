import { beforeEach, expect, it } from "vitest";
import type { Freeze, FreezeScope } from "#domain/gates/freezes";
import { epochMs } from "#domain/shared/time";
import type { Freezes } from "#ports/freezes";
import { start } from "./records.ts";

const shop: FreezeScope = { cluster: "prod", namespace: "shop" };
const prod: FreezeScope = { cluster: "prod" };

const freezeOf = (scope: FreezeScope, given: Partial<Freeze> = {}): Freeze => ({
  scope,
  by: "alice",
  why: "Christmas",
  at: start,
  ...given,
});

/** What all freezes do, whatever keeps them. */
export function freezesContract(makeFreezes: () => Promise<Freezes>): void {
  let freezes: Freezes;
  beforeEach(async () => {
    freezes = await makeFreezes();
  });

  it("the list of freezes is empty at first", async () => {
    expect(await freezes.list()).toEqual([]);
  });

  it("freezes are listed as stored, by scope, also after their end", async () => {
    const over = freezeOf(shop, { until: epochMs(start - 1) });
    const others = [freezeOf({ cluster: "prod-2" }), freezeOf({}, { why: "audit" }), freezeOf(prod)];
    for (const freeze of [over, ...others]) await freezes.put(freeze);
    expect(await freezes.list()).toEqual([freezeOf({}, { why: "audit" }), freezeOf(prod), others[0], over]);
  });

  it("freezes are unique per scope: a later freeze replaces an earlier freeze", async () => {
    await freezes.put(freezeOf(shop, { until: epochMs(start + 1) }));
    await freezes.put(freezeOf(shop, { by: "bob" }));
    expect(await freezes.list()).toEqual([freezeOf(shop, { by: "bob" })]);
  });

  it("freezes end for exactly their scope, and the answer says whether a freeze existed", async () => {
    for (const scope of [{}, prod, shop]) await freezes.put(freezeOf(scope));
    expect(await freezes.lift(prod)).toBe(true);
    expect(await freezes.lift(prod)).toBe(false);
    expect(await freezes.lift({ cluster: "stage" })).toBe(false);
    expect(await freezes.list()).toEqual([freezeOf({}), freezeOf(shop)]);
  });

  it("freezes are copied from the storing caller and for the listing caller", async () => {
    const freeze = freezeOf({ ...prod });
    await freezes.put(freeze);
    Object.assign(freeze.scope, { cluster: "mine" });
    Object.assign((await freezes.list())[0]?.scope ?? {}, { cluster: "mine" });
    expect(await freezes.list()).toEqual([freezeOf(prod)]);
  });
}
