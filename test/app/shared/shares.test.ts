import { setImmediate } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import { openShares, type SharesOptions } from "#app/shared/shares";
import type { Spending } from "#ports/spending";

const mebibyte = 1024 * 1024;
const { signal } = new AbortController();
let now = 0;
const pauses: number[] = [];

beforeEach(() => {
  now = 0;
  pauses.length = 0;
});

function shares(options: Partial<SharesOptions> = {}) {
  return openShares({
    budgets: [],
    monotonicMs: () => now,
    pause: async (ms) => {
      pauses.push(ms);
      now += ms;
      await setImmediate();
    },
    poolBytes: 100 * mebibyte,
    ...options,
  });
}

describe("long work", () => {
  it("goes one at a time, and the namespace that has used least comes first", async () => {
    const all = shares();
    const order: string[] = [];
    const work = (payer: string, tookMs: number) =>
      all
        .begin(signal)
        .spending.paidBy([payer])
        .turn(() => {
          now += tookMs;
          order.push(payer);
        });
    const greedy = Array.from({ length: 5 }, () => work("prod/greedy", 100));
    await greedy[0];
    const later = [work("prod/victim", 10), work("prod/victim", 10)];
    await Promise.all([...greedy, ...later]);

    expect(order).toEqual(["prod/greedy", "prod/victim", "prod/victim", ...Array<string>(4).fill("prod/greedy")]);
  });

  it("leaves as much time to other work as it took, up to half a second", async () => {
    const { spending } = shares().begin(signal);
    for (const tookMs of [0.2, 40, 3_000]) await spending.turn(() => (now += tookMs));
    await setImmediate();

    expect(pauses.filter((ms) => ms > 0)).toEqual([40, 500]);
  });

  it("is paid by the payer that has used least", async () => {
    const all = shares();
    const { spending } = all.begin(signal);
    const order: string[] = [];
    await spending.paidBy(["prod/a"]).turn(() => (now += 50));
    const ofMany = spending.paidBy(["prod/a", "prod/b"]).turn(() => order.push("a or b"));
    const ofOne = spending.paidBy(["prod/a"]).turn(() => order.push("a"));
    await Promise.all([ofOne, ofMany]);

    expect(order).toEqual(["a or b", "a"]);
  });

  it("fails with the error of the work, and the next goes on", async () => {
    const { spending } = shares().begin(signal);
    const failed = spending.turn(() => {
      throw new RangeError("too deep");
    });

    await expect(failed).rejects.toThrow("too deep");
    expect(await spending.turn(() => 7)).toBe(7);
  });

  it("does not begin after its run was cancelled", async () => {
    const run = new AbortController();
    const { spending } = shares().begin(run.signal);
    let begun = 0;
    const first = spending.turn(() => {
      begun += 1;
      run.abort();
    });
    const second = spending.turn(() => (begun += 1));

    await first;
    await expect(second).rejects.toThrow("the run was cancelled before its turn");
    expect(begun).toBe(1);
  });
});

describe("the memory of a run", () => {
  it("is free again after its end, and after it gave a thing back", () => {
    const all = shares();
    const [one, other] = [all.begin(signal), all.begin(signal)];
    const a = one.spending.paidBy(["prod/a"]);
    const b = other.spending.paidBy(["prod/b"]);

    expect(a.hold("tags", 90 * mebibyte)).toBeUndefined();
    expect(b.hold("tags", 60 * mebibyte)).toEqual({
      detail:
        "prod/b holds 0.0 MiB of tags and manifests and needs 60.0 more, and its share is 50.0 MiB while 2 namespaces need memory",
    });
    one.end();
    expect(b.hold("tags", 60 * mebibyte)).toBeUndefined();
    expect(b.hold("tags", 0)).toBeUndefined();
    // After its end, a run holds nothing.
    expect(a.hold("more", 100 * mebibyte)).toBeUndefined();
    expect(
      all
        .begin(signal)
        .spending.paidBy(["prod/c"])
        .hold("tags", 100 * mebibyte),
    ).toBeUndefined();
  });

  it("counts a thing once, with its last size", () => {
    const { spending } = shares().begin(signal);
    const a = spending.paidBy(["prod/a"]);
    for (let round = 0; round < 10; round += 1) expect(a.hold("tags", 80 * mebibyte)).toBeUndefined();

    expect(a.hold("tags", 101 * mebibyte)).toEqual({
      detail: "prod/a holds 80.0 MiB of tags and manifests and needs 21.0 more, and its share is 100.0 MiB",
    });
  });

  it("is paid by the payer that holds least", () => {
    const all = shares();
    const greedy = all.begin(signal).spending.paidBy(["prod/greedy"]);
    expect(greedy.hold("tags", 100 * mebibyte)).toBeUndefined();

    expect(all.begin(signal).spending.paidBy(["prod/greedy", "prod/victim"]).hold("tags", mebibyte)).toBeUndefined();
    expect(greedy.hold("more", mebibyte)?.detail).toContain("its share is 50.0 MiB while 2 namespaces need memory");
  });

  it("has the maximum of lookout.yaml", () => {
    const all = shares({ budgets: [{ namespaces: ["lab"], memoryMiB: 4 }] });
    const lab = all.begin(signal).spending.paidBy(["prod/lab"]);

    expect(lab.hold("tags", 5 * mebibyte)).toEqual({
      detail: "prod/lab holds 0.0 MiB of tags and manifests and needs 5.0 more, and its memoryMiB is 4.0",
    });
    expect(
      all
        .begin(signal)
        .spending.paidBy(["prod/shop"])
        .hold("tags", 5 * mebibyte),
    ).toBeUndefined();
  });
});

describe("the requests of a namespace", () => {
  /** Counts a request, or returns why the payers may not send it. */
  const ask = (spending: Spending) => {
    const over = spending.overBudget();
    if (over === undefined) spending.countRequest();
    return over;
  };

  it("have no maximum without a budget", () => {
    const a = shares().begin(signal).spending.paidBy(["prod/a"]);

    for (let request = 0; request < 10_000; request += 1) expect(ask(a)).toBeUndefined();
  });

  it("stop at the budget of lookout.yaml, say until when, and go on", () => {
    const a = shares({ budgets: [{ namespaces: ["a"], requestsPerMinute: 2 }] })
      .begin(signal)
      .spending.paidBy(["prod/a"]);
    const answers = [ask(a), ask(a), ask(a)];

    expect(answers).toEqual([
      undefined,
      undefined,
      { detail: "prod/a has sent its 2 requests per minute", retryAfterMs: 30_000 },
    ]);
    now = 40_000;
    expect(ask(a)).toBeUndefined();
  });

  it("are not counted where they are not sent", () => {
    const a = shares({ budgets: [{ namespaces: ["a"], requestsPerMinute: 1 }] })
      .begin(signal)
      .spending.paidBy(["prod/a"]);

    for (let question = 0; question < 50; question += 1) expect(a.overBudget()).toBeUndefined();
  });

  it("stop at the budget of CPU time", async () => {
    const a = shares({ budgets: [{ namespaces: ["a"], cpuSecondsPerMinute: 1 }] })
      .begin(signal)
      .spending.paidBy(["prod/a"]);
    expect(ask(a)).toBeUndefined();
    await a.turn(() => (now += 2_000));

    expect(ask(a)).toMatchObject({ detail: "prod/a has used its 1 s of CPU time per minute" });
    now += 60_000;
    expect(ask(a)).toBeUndefined();
  });

  it("are paid by another payer when one is over its budget", () => {
    const all = shares({ budgets: [{ namespaces: ["a"], requestsPerMinute: 1 }] });
    const both = all.begin(signal).spending.paidBy(["prod/a", "prod/b"]);

    for (let request = 0; request < 50; request += 1) expect(ask(both)).toBeUndefined();
  });
});

it("replaced budgets count the requests that a namespace has sent before", () => {
  const all = shares();
  const spending = all.begin(signal).spending.paidBy(["prod/shop"]);
  all.setBudgets([{ namespaces: ["shop"], requestsPerMinute: 2 }]);
  const before = spending.overBudget();
  spending.countRequest();
  spending.countRequest();
  all.setBudgets([{ namespaces: ["shop"], requestsPerMinute: 1 }]);
  const lower = spending.overBudget()?.detail;
  all.setBudgets([]);

  expect([before, lower, spending.overBudget()]).toEqual([
    undefined,
    "prod/shop has sent its 1 requests per minute",
    undefined,
  ]);
});
