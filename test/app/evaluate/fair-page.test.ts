import { describe, expect, it } from "vitest";
import { fairPage } from "#app/evaluate/fair-page";

const keys = (namespace: string, from: number, to: number): readonly string[] =>
  Array.from(
    { length: to - from },
    (_, index) => `prod/${namespace}/deployment/w${String(from + index).padStart(3, "0")}`,
  );

describe("a page of a repository's subscribers", () => {
  it("is evaluated whole when no page follows", () => {
    const workloads = [...keys("a", 0, 60), ...keys("b", 0, 30)];
    expect(fairPage({ workloads }, undefined)).toEqual({ workloads, rest: [] });
  });

  it("skips the rest of a crowded namespace, which gets pages of its own", () => {
    const workloads = keys("a", 0, 100);
    expect(fairPage({ workloads, next: "prod/a/deployment/w099" }, undefined)).toEqual({
      workloads: keys("a", 0, 20),
      rest: [{ after: "prod/a0" }, { after: "prod/a/deployment/w019", within: "prod/a/" }],
    });
  });

  it("goes on inside its last namespace when that one has few subscribers so far", () => {
    const workloads = [...keys("a", 0, 21), ...keys("b", 0, 5)];
    expect(fairPage({ workloads, next: "prod/b/deployment/w004" }, undefined)).toEqual({
      workloads: [...keys("a", 0, 20), ...keys("b", 0, 5)],
      rest: [{ after: "prod/b/deployment/w004" }, { after: "prod/a/deployment/w019", within: "prod/a/" }],
    });
  });

  it("of one namespace goes on to the end of that namespace", () => {
    const next = "prod/a/deployment/w099";
    expect(fairPage({ workloads: keys("a", 0, 100), next }, "prod/a/")).toEqual({
      workloads: keys("a", 0, 100),
      rest: [{ after: next, within: "prod/a/" }],
    });
    const mixed = [...keys("a", 100, 130), ...keys("a-b", 0, 70)];
    expect(fairPage({ workloads: mixed, next: "prod/a-b/deployment/w069" }, "prod/a/")).toEqual({
      workloads: keys("a", 100, 130),
      rest: [],
    });
  });

  it("lets all subscribers be evaluated once, whatever the namespaces are called", () => {
    const all = ["a", "a-b", "a0", "a0-", "b"].flatMap((namespace) => keys(namespace, 0, 47)).sort();
    const page = (after: string) => {
      const left = all.filter((key) => key > after);
      const workloads = left.slice(0, 30);
      const next = workloads.at(-1);
      return left.length > 30 && next !== undefined ? { workloads, next } : { workloads };
    };
    const evaluated: string[] = [];
    const positions: { after: string; within?: string }[] = [{ after: "" }];
    for (let position = positions.shift(); position !== undefined; position = positions.shift()) {
      const { workloads, rest } = fairPage(page(position.after), position.within);
      evaluated.push(...workloads);
      positions.push(...rest);
    }
    expect(evaluated.toSorted()).toEqual(all);
  });
});
