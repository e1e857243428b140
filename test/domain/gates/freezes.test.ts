import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  covers,
  endProblem,
  type Freeze,
  freezesAt,
  type FreezeScope,
  freezeScopeText,
  freezesOn,
  nextHolding,
  parseFreezeScope,
  type PlannedFreeze,
} from "#domain/gates/freezes";
import { askGates, closedGates } from "#domain/gates/index";
import { epochMs } from "#domain/shared/time";
import { readWindow, type WrittenWindow } from "#domain/schedule/window";
import { api, aRecord, at, noon, openFacts, settingsOf } from "../builders.ts";

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

/** One that denies in the given windows, in UTC. */
function plannedOf(given: Partial<PlannedFreeze>, ...written: readonly WrittenWindow[]): PlannedFreeze {
  const windows = written.map((window) => {
    const read = readWindow({ effect: "deny", ...window });
    if (!read.ok) throw new Error(read.problem.message);
    return read.value;
  });
  return { name: "closing", scope: {}, why: "Monthly closing", ...given, windows };
}

/** What people said, and nothing that is planned. */
const said = (...freezes: readonly Freeze[]) => ({ freezes, plannedFreezes: [] });

describe("a scope", () => {
  it("parses its own text", () => {
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
  ])("has the text $text", ({ text, scope: meant }) => {
    expect(freezeScopeText(meant)).toBe(text);
    expect(parseFreezeScope(text)).toStrictEqual({ ok: true, value: meant });
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
    "prod/shop.api",
    "prod shop",
    " prod",
  ])("rejects %j, and shows that text in the problem", (text) => {
    expect(parseFreezeScope(text)).toEqual({
      ok: false,
      problem: `"${text}" is not a scope: expected CLUSTER, CLUSTER/NAMESPACE, or *`,
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
  ])("covers a narrower scope: $wide and $narrow, $yes", ({ wide, narrow, yes }) => {
    expect(covers(scopeOf(wide), scopeOf(narrow))).toBe(yes);
  });

  it.each([
    { text: "*", yes: true },
    { text: "prod", yes: true },
    { text: "prod/shop", yes: true },
    { text: "prod/pay", yes: false },
    { text: "stage", yes: false },
    { text: "stage/shop", yes: false },
  ])("covers a workload of prod/shop: $text, $yes", ({ text, yes }) => {
    expect(covers(scopeOf(text), api)).toBe(yes);
  });
});

describe("a freeze", () => {
  const over = freezeOf({ scope: {}, until: noon });
  const inTime = freezeOf({ scope: { cluster: "prod", namespace: "shop" }, until: epochMs(noon + 1) });
  const endless = freezeOf();
  const elsewhere = freezeOf({ scope: { cluster: "stage" } });

  it("holds the workloads of its scope until its end; without an end, always", () => {
    expect(freezesOn(said(endless, over, elsewhere, inTime), api, noon)).toEqual([endless, inTime]);
    expect(freezesOn(said(endless, inTime), api, epochMs(noon + 1))).toEqual([endless]);
    expect(freezesOn(said(), api, noon)).toEqual([]);
  });
});

describe("the end of a freeze", () => {
  const day = 86_400_000;
  const tooFar = "is more than a year ahead. Without an end, the freeze lasts until a user lifts it";

  it.each([
    { when: "before its beginning", after: -1, problem: "is in the past" },
    { when: "at its beginning", after: 0, problem: "is in the past" },
    { when: "just after it", after: 1, problem: undefined },
    { when: "366 days after it", after: 366 * day, problem: undefined },
    { when: "later than that", after: 366 * day + 1, problem: tooFar },
  ])("$when: $problem", ({ after, problem }) => {
    expect(endProblem(epochMs(noon + after), noon)).toBe(problem);
  });
});

describe("a planned freeze", () => {
  const lunch = { start: "12:00", end: "13:00" };
  const lunchtime = plannedOf({ name: "lunch", why: "Lunch" }, lunch);
  const always = { start: "00:00", end: "24:00" };
  const span = { from: "2026-03-03", until: "2026-03-04" };

  it("holds under its own name while one of its windows is open", () => {
    const holding = {
      scope: {},
      why: "Lunch",
      by: "lunch of lookout.yaml",
      planned: "lunch",
      until: at("2026-03-02T13:00:00Z"),
    };

    expect(freezesAt({ freezes: [], plannedFreezes: [lunchtime] }, noon)).toEqual([holding]);
    expect(freezesAt({ freezes: [], plannedFreezes: [lunchtime] }, epochMs(noon - 1))).toEqual([]);
    expect(freezesAt({ freezes: [], plannedFreezes: [lunchtime] }, at("2026-03-02T13:00:00Z"))).toEqual([]);
  });

  it("has no end if its windows never close", () => {
    expect(freezesAt({ freezes: [], plannedFreezes: [plannedOf({}, always)] }, noon)).toStrictEqual([
      { scope: {}, why: "Monthly closing", by: "closing of lookout.yaml", planned: "closing" },
    ]);
  });

  it("holds a workload of its scope beside the stored freezes, in the order of scopes", () => {
    const scopes = (...freezes: readonly PlannedFreeze[]) => {
      const prod = freezeOf();
      return freezesOn({ freezes: [prod], plannedFreezes: freezes }, api, noon).map(({ scope, by }) => [
        freezeScopeText(scope),
        by,
      ]);
    };
    const shop = plannedOf({ name: "sale", scope: { cluster: "prod", namespace: "shop" } }, always);
    const pay = plannedOf({ scope: { cluster: "prod", namespace: "pay" } }, always);

    expect(scopes(shop, lunchtime, pay)).toEqual([
      ["*", "lunch of lookout.yaml"],
      ["prod", "alice"],
      ["prod/shop", "sale of lookout.yaml"],
    ]);
  });

  it.each([
    {
      when: "is the next opening of its windows",
      windows: [lunch],
      next: { from: at("2026-03-03T12:00:00Z"), until: at("2026-03-03T13:00:00Z") },
    },
    {
      when: "begins with the first of several, and ends with those that touch it",
      windows: [span, lunch, { start: "00:00", end: "01:00" }],
      next: { from: at("2026-03-03T00:00:00Z"), until: at("2026-03-04T01:00:00Z") },
    },
    { when: "is never where it holds for good now", windows: [always], next: undefined },
    {
      when: "is never where its time is over",
      windows: [{ from: "2026-03-01", until: "2026-03-02" }],
      next: undefined,
    },
    { when: "is not told while it holds", windows: [{ start: "13:00", end: "15:00" }], next: undefined },
    {
      when: "has its end two years away too",
      windows: [
        { from: "2026-03-03", until: "2027-03-03" },
        { from: "2027-03-03", until: "2028-03-03" },
      ],
      next: { from: at("2026-03-03T00:00:00Z"), until: at("2028-03-03T00:00:00Z") },
    },
    {
      when: "has no end where that is further away than one looks",
      windows: Array.from({ length: 9 }, (_, year) => ({
        from: `${2026 + year}-03-03`,
        until: `${2027 + year}-03-03`,
      })),
      next: { from: at("2026-03-03T00:00:00Z") },
    },
  ])("holds next: $when", ({ windows, next }) => {
    expect(nextHolding(plannedOf({}, ...windows), at("2026-03-02T13:30:00Z"))).toStrictEqual(next);
  });
});

describe("the gate of freezes", () => {
  const record = aRecord();
  const ask = (...freezes: readonly Freeze[]) =>
    askGates({
      now: noon,
      record,
      settings: settingsOf(record),
      seq: 1,
      changes: [],
      facts: { ...openFacts, freezes },
    }).find(({ gate }) => gate === "freeze");
  const closed = (detail: string, until?: string) => ({
    gate: "freeze",
    kind: "closed",
    wait: { reason: "frozen", detail, ...(until === undefined ? {} : { until: at(until) }) },
  });
  const tonight = freezeOf({ scope: {}, by: "bob", why: "audit", until: at("2026-03-02T20:00:00Z") });
  const thisWeek = freezeOf({ until: at("2026-03-08T00:00:00Z") });
  const shop = freezeOf({ scope: { cluster: "prod", namespace: "shop" }, why: "sale" });

  it("is open without a freeze, or after its end", () => {
    const elsewhere = freezeOf({ scope: { cluster: "stage" } });
    expect(ask()).toEqual({ gate: "freeze", kind: "open" });
    expect(ask(elsewhere, freezeOf({ until: noon }))).toEqual({ gate: "freeze", kind: "open" });
  });

  it("names the scope, the reason, the author and the end", () => {
    expect(ask(shop)).toEqual(closed("prod/shop: sale, by alice"));
    expect(ask(tonight)).toEqual(closed("*: audit, by bob", "2026-03-02T20:00:00Z"));
  });

  it("names all freezes, the longest first, and opens when the last has ended", () => {
    const detail = "prod: Christmas, by alice; *: audit, by bob";
    expect(ask(tonight, thisWeek)).toEqual(closed(detail, "2026-03-08T00:00:00Z"));
    expect(ask(thisWeek, tonight)).toEqual(closed(detail, "2026-03-08T00:00:00Z"));
  });

  it("names no end if one freeze has no end", () => {
    expect(ask(tonight, shop, thisWeek)).toEqual(
      closed("prod/shop: sale, by alice; prod: Christmas, by alice; *: audit, by bob"),
    );
  });

  it("names the planned freeze, and when its window ends", () => {
    const closing = plannedOf({ scope: { cluster: "prod" } }, { start: "08:00", end: "18:00" });
    const answers = askGates({
      now: noon,
      record,
      settings: settingsOf(record),
      seq: 1,
      changes: [],
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
