import { expect, it } from "vitest";
import { isObject, parseJson, valueAt } from "#domain/shared/json";
import { readJson } from "#domain/shared/json-errors";

const held = { list: [{ name: "a" }, null], text: "abc", nothing: null };

it.each([
  { place: [], is: held },
  { place: ["list", 0, "name"], is: "a" },
  { place: ["list", 1], is: null },
  { place: ["nothing"], is: null },
  { place: ["list", 2], is: undefined },
  { place: ["list", 1, "name"], is: undefined },
  { place: ["nothing", "name"], is: undefined },
  { place: ["text", "length"], is: undefined },
  { place: ["text", "length", "name"], is: undefined },
  { place: ["none", "name"], is: undefined },
  { place: ["toString"], is: undefined },
])("the value at $place is $is", ({ place, is }) => {
  expect(valueAt(held, place)).toBe(is);
});

it("JSON is parsed, and any other text is undefined", () => {
  expect(['{"a":[1]}', "null", '{"a":', ""].map(parseJson)).toEqual([{ a: [1] }, null, undefined, undefined]);
});

it("an object is neither a list nor null", () => {
  expect([{}, [], null, "{}", undefined].map(isObject)).toEqual([true, false, false, false, false]);
});

it("JSON is parsed, or its first fault is reported", () => {
  expect(readJson('{"a":[1]}')).toEqual({ ok: true, value: { a: [1] } });
  expect(readJson('{"a":}')).toEqual({ ok: false, problem: 'character 6: expected a value, not "}"' });
});
