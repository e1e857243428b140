import { describe, expect, it } from "vitest";
import { problemOf, problemText } from "#domain/annotations/written-settings";

const told = (text: string, message = "is not used") => {
  const { value, message: said } = problemOf({ key: "lookout.dev/notify-webhook", text, message, closes: false });
  return { value, said };
};

describe("a shown value", () => {
  it.each([
    ["https://hooks.example.com/T0/token", "https://hooks.example.com/…"],
    ["HTTPS://user:token@hooks.example.com?token", "HTTPS://hooks.example.com/…"],
    ["https://hooks.example.com/T0\n/token\r\n", "https://hooks.example.com/…"],
  ])("has no secret of an address: %j", (text, value) => {
    expect(told(text).value).toBe(value);
  });

  it("is shortened", () => {
    const { value, said } = told("v".repeat(201), "m".repeat(601));

    expect([value.length, value.endsWith("…"), said.length, said.endsWith("…")]).toEqual([201, true, 601, true]);
    expect(told("v".repeat(200), "m".repeat(600))).toEqual({ value: "v".repeat(200), said: "m".repeat(600) });
  });
});

describe("the text of a problem", () => {
  it.each([
    {
      of: "an annotation",
      problem: { key: "lookout.dev/semver-range", value: ">>1", message: "not a range" },
      text: 'lookout.dev/semver-range ">>1": not a range',
    },
    {
      of: "an empty annotation",
      problem: { key: "lookout.dev/policy", value: "", message: "expected a policy" },
      text: 'lookout.dev/policy "": expected a policy',
    },
    {
      of: "an object that declares settings",
      problem: { key: "ImagePolicy api", value: "", message: "gives the settings" },
      text: "ImagePolicy api: gives the settings",
    },
  ])("of $of", ({ problem, text }) => {
    expect(problemText(problem)).toBe(text);
  });
});
