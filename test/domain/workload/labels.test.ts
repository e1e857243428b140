import { describe, expect, it } from "vitest";
import { parseLabelSelector } from "#domain/workload/label-selector";
import { keptLabels } from "#domain/workload/labels";

describe("the labels of a record", () => {
  it("are those of people, without labels that change with each update", () => {
    const labels = { app: "api", "lookout.dev/update": "abc123-1", "pod-template-hash": "x", tier: "web" };
    expect(keptLabels(labels)).toEqual({ app: "api", tier: "web" });
  });

  it("are at most 20, with 1,024 characters together", () => {
    const many = Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [`k${String(index).padStart(2, "0")}`, ""]),
    );
    const long = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`k${index}`, "v".repeat(98)]));

    expect(Object.keys(keptLabels(many))).toEqual(Object.keys(many).slice(0, 20));
    expect(Object.keys(keptLabels(long))).toHaveLength(10);
  });
});

const labels = { app: "api", tier: "web", "example.com/team": "shop", empty: "" };

describe("a label selector", () => {
  it.each([
    { text: "app=api", selects: true },
    { text: "app == api , tier=web", selects: true },
    { text: "app=web", selects: false },
    { text: "app!=web", selects: true },
    { text: "missing!=web", selects: true },
    { text: "app", selects: true },
    { text: "!app", selects: false },
    { text: "!missing", selects: true },
    { text: "tier in (jobs, web),app", selects: true },
    { text: "tier in (jobs)", selects: false },
    { text: "tier notin (jobs,web)", selects: false },
    { text: "missing notin (a)", selects: true },
    { text: "missing in (a)", selects: false },
    { text: "example.com/team=shop", selects: true },
    { text: "empty=", selects: true },
    { text: "constructor", selects: false },
  ])("reads $text as kubectl does", ({ text, selects }) => {
    const read = parseLabelSelector(text);
    expect(read.ok && read.value(labels)).toBe(selects);
  });

  it.each(
    ["", "app=", "=api", "app=api,", "app in", "app in ()extra", "a b", "app>1"].filter((text) => text !== "app="),
  )("that can't be read is refused: %j", (text) => {
    expect(parseLabelSelector(text)).toMatchObject({
      ok: false,
      problem: expect.stringContaining("is no part of a label selector: expected KEY=VALUE") as string,
    });
  });

  it("with thousands of parts is refused", () => {
    expect(parseLabelSelector("a,".repeat(5_000))).toMatchObject({ ok: false });
  });
});
