import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { covers, type Freeze, type FreezeScope, freezeScopeText, freezesOn, parseFreezeScope } from "#domain/freeze";
import { askGates, closedGates } from "#domain/gate";
import { epochMs } from "#domain/time";
import { api, aRecord, at, noon, openFacts, settingsOf } from "./builders.ts";
import { windows } from "./windows.ts";

const name = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,8}[a-z0-9])?$/);
const scope: fc.Arbitrary<FreezeScope> = fc.oneof(
  fc.constant({}),
  fc.record({ cluster: name }),
  fc.record({ cluster: name, namespace: name }),
);

const freezeOf = (given: Partial<Freeze> = {}): Freeze => ({
  scope: { cluster: "prod" },
  by: "alice",
  why: "Christmas",
  at: at("2026-03-02T08:00:00Z"),
  ...given,
});

/** What people said, and nothing that is planned. */
const said = (...freezes: readonly Freeze[]) => ({ freezes, plannedFreezes: [] });

describe("a scope", () => {
  it("is read back from its text as it was", () => {
    fc.assert(
      fc.property(scope, (some) => {
        expect(parseFreezeScope(freezeScopeText(some))).toEqual({ ok: true, value: some });
      }),
    );
  });

  it.each([
    { text: "*", scope: {} },
    { text: "prod", scope: { cluster: "prod" } },
    { text: "prod.eu-1", scope: { cluster: "prod.eu-1" } },
    { text: "prod/shop", scope: { cluster: "prod", namespace: "shop" } },
  ])("is written $text", ({ text, scope: meant }) => {
    expect(freezeScopeText(meant)).toBe(text);
    expect(parseFreezeScope(text)).toEqual({ ok: true, value: meant });
  });

  it.each([
    "",
    "/",
    "*/shop",
    "prod/",
    "/shop",
    "prod/*",
    "Prod",
    "-prod",
    "prod-",
    "prod/shop/api",
    "prod shop",
    " prod",
  ])("is not %j, and the problem shows that text", (text) => {
    expect(parseFreezeScope(text)).toEqual({
      ok: false,
      problem: `"${text}" is no scope: expected CLUSTER, CLUSTER/NAMESPACE, or *`,
    });
  });

  it.each([
    { wide: "*", narrow: "prod/shop", yes: true },
    { wide: "*", narrow: "prod", yes: true },
    { wide: "*", narrow: "*", yes: true },
    { wide: "prod", narrow: "prod/shop", yes: true },
    { wide: "prod/shop", narrow: "prod/shop", yes: true },
    { wide: "prod", narrow: "*", yes: false },
    { wide: "prod", narrow: "prod-2", yes: false },
    { wide: "prod/shop", narrow: "prod", yes: false },
    { wide: "prod/shop", narrow: "prod/pay", yes: false },
    { wide: "prod/shop", narrow: "stage/shop", yes: false },
  ])("covers what is within it: $wide and $narrow, $yes", ({ wide, narrow, yes }) => {
    expect(covers(scopeOf(wide), scopeOf(narrow))).toBe(yes);
  });

  it.each([
    { text: "*", yes: true },
    { text: "prod", yes: true },
    { text: "prod/shop", yes: true },
    { text: "prod/pay", yes: false },
    { text: "stage", yes: false },
    { text: "stage/shop", yes: false },
  ])("covers a workload of prod/shop or not: $text, $yes", ({ text, yes }) => {
    expect(covers(scopeOf(text), api)).toBe(yes);
  });
});

describe("a freeze", () => {
  const over = freezeOf({ scope: {}, until: noon });
  const inTime = freezeOf({ scope: { cluster: "prod", namespace: "shop" }, until: epochMs(noon + 1) });
  const endless = freezeOf();
  const elsewhere = freezeOf({ scope: { cluster: "stage" } });

  it("holds the workloads of its scope until its end, and not at it; without one, always", () => {
    expect(freezesOn(said(endless, over, elsewhere, inTime), api, noon)).toEqual([endless, inTime]);
    expect(freezesOn(said(endless, inTime), api, epochMs(noon + 1))).toEqual([endless]);
    expect(freezesOn(said(), api, noon)).toEqual([]);
  });
});

describe("the gate of freezes", () => {
  const record = aRecord();
  const ask = (...freezes: readonly Freeze[]) =>
    askGates({ now: noon, record, settings: settingsOf(record), seq: 1, facts: { ...openFacts, freezes } }).find(
      ({ gate }) => gate === "freeze",
    );
  const closed = (detail: string, until?: string) => ({
    gate: "freeze",
    kind: "closed",
    wait: { reason: "frozen", detail, ...(until === undefined ? {} : { until: at(until) }) },
  });
  const tonight = freezeOf({ scope: {}, by: "bob", why: "audit", until: at("2026-03-02T20:00:00Z") });
  const thisWeek = freezeOf({ until: at("2026-03-08T00:00:00Z") });
  const shop = freezeOf({ scope: { cluster: "prod", namespace: "shop" }, why: "sale" });

  it("is open where no freeze covers the workload, or its end has come", () => {
    const elsewhere = freezeOf({ scope: { cluster: "stage" } });
    expect(ask()).toEqual({ gate: "freeze", kind: "open" });
    expect(ask(elsewhere, freezeOf({ until: noon }))).toEqual({ gate: "freeze", kind: "open" });
  });

  it("names the scope, why and who, and when it ends by itself", () => {
    expect(ask(shop)).toEqual(closed("prod/shop: sale, by alice"));
    expect(ask(tonight)).toEqual(closed("*: audit, by bob", "2026-03-02T20:00:00Z"));
  });

  it("names all freezes, the longest first, and opens when the last has ended", () => {
    const detail = "prod: Christmas, by alice; *: audit, by bob";
    expect(ask(tonight, thisWeek)).toEqual(closed(detail, "2026-03-08T00:00:00Z"));
    expect(ask(thisWeek, tonight)).toEqual(closed(detail, "2026-03-08T00:00:00Z"));
  });

  it("tells no end when one of them has none", () => {
    expect(ask(tonight, shop, thisWeek)).toEqual(
      closed("prod/shop: sale, by alice; prod: Christmas, by alice; *: audit, by bob"),
    );
  });

  it("names the planned freeze, and when its window ends", () => {
    const closing = {
      name: "closing",
      scope: { cluster: "prod" },
      why: "Monthly closing",
      windows: windows({ window: "08:00-18:00", effect: "deny" }),
    };
    const answers = askGates({
      now: noon,
      record,
      settings: settingsOf(record),
      seq: 1,
      facts: { ...openFacts, plannedFreezes: [closing] },
    });

    expect(closedGates(answers)).toEqual([
      {
        reason: "planned-freeze",
        detail: "prod: Monthly closing, by closing of lookout.yaml",
        until: at("2026-03-02T18:00:00Z"),
      },
    ]);
  });
});

function scopeOf(text: string): FreezeScope {
  const parsed = parseFreezeScope(text);
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed.value;
}
