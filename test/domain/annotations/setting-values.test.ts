import { describe, expect, it } from "vitest";
import { readAddress, readBoolean, readText, truthy } from "#domain/annotations/setting-values";
import { ok, problem } from "#domain/shared/result";

describe("a boolean", () => {
  it.each(["true", "True", "TRUE", "1", "yes", "Yes", "on", "ON", " on "])('accepts "%s" as true', (text) => {
    expect([readBoolean(text), truthy(text)]).toEqual([ok(true), true]);
  });

  it.each(["false", "False", "0", "no", "NO", "off", "Off", " off "])('accepts "%s" as false', (text) => {
    expect([readBoolean(text), truthy(text)]).toEqual([ok(false), false]);
  });

  it.each(["", "y", "n", "t", "2", "00", "10", "onn", "noon", "not", "yes please", "untrue"])(
    'rejects "%s"',
    (text) => {
      expect([readBoolean(text), truthy(text)]).toEqual([problem("expected true or false"), false]);
    },
  );
});

describe("a text and an address", () => {
  it("are trimmed", () => {
    expect([readText("who agrees")(" ana "), readAddress(" https://example.com/hook ")]).toEqual([
      ok("ana"),
      ok("https://example.com/hook"),
    ]);
  });
});
