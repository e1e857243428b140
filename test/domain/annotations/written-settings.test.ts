import { describe, expect, it } from "vitest";
import { problemOf } from "#domain/annotations/written-settings";

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
