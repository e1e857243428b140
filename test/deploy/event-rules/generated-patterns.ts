import fc from "fast-check";
import type { Question } from "./event-ruler.ts";

/*
 * Patterns and events of few words, so that they meet often. Left out is where the reference implementation goes astray: now and then it
 * misses a text that is listed together with a range of numbers or with several wildcards, and fields whose names have dots of their own. What
 * it always does otherwise than it is documented is in the test.
 */

const texts = ["", "a", "A", "ab", "aB", "abc", "b*", "bab", "é", "É", "straße", "STRASSE", "1", "null"] as const;
const addresses = ["10.0.0.1", "010.0.0.77", "10.1.0.1", "2001:db8::1", "2001:0DB8:0:0::1", "::1", "10.0.0"] as const;
const numbers = [0, 1, -1, 1.5, 100, 1e3, 1e-7] as const;

const text = fc.constantFrom(...texts, ...addresses);
const number = fc.constantFrom(...numbers);
const scalar = fc.oneof(
  { weight: 4, arbitrary: text },
  { weight: 2, arbitrary: number },
  fc.constantFrom(true, false, null),
);
const wildcard = fc.constantFrom("*", "a*", "*b", "a*c", "*a*b*", "b\\*", "\\\\", "", "str*e");
const part = fc.constantFrom("a", "A", "ab", "É", "1", "ße", "10.", "c");

/** One value, or a list of some. */
const some = <Value>(value: fc.Arbitrary<Value>) => fc.oneof(value, fc.array(value, { minLength: 1, maxLength: 3 }));
const only = (name: string, value: fc.Arbitrary<unknown>) => value.map((of) => ({ [name]: of }));
const anyCase = (value: fc.Arbitrary<unknown>) => fc.oneof(value, only("equals-ignore-case", value));

const range = fc
  .tuple(fc.constantFrom(">", ">="), number, fc.constantFrom("<", "<="), number)
  .filter(([, bottom, , top]) => bottom < top);
const numeric = fc.oneof(fc.tuple(fc.constantFrom("=", "<", "<=", ">", ">="), number), range);

const excluded = fc.oneof(
  some(text),
  some(number),
  only("prefix", some(part)),
  only("suffix", some(part)),
  only("equals-ignore-case", some(text)),
  only("wildcard", some(fc.constantFrom("a*", "*b", "a*c", "*a*b*", "b\\*", "", "str*e"))),
);

const comparison = fc.oneof(
  only("exactly", text),
  only("prefix", anyCase(part)),
  only("suffix", anyCase(part)),
  only("equals-ignore-case", text),
  only("wildcard", wildcard),
  only("anything-but", excluded),
  only("numeric", numeric),
  only("exists", fc.boolean()),
  only("cidr", fc.constantFrom("10.0.0.0/24", "10.0.0.77/8", "2001:db8::/32")),
);

/** What is no comparison, or one of something else. */
const broken = fc.oneof(
  fc.constantFrom(
    {},
    [],
    ["a"],
    { prefix: 1 },
    { suffix: null },
    { wildcard: "**" },
    { wildcard: "\\a" },
    { exists: 1 },
  ),
  fc.constantFrom(
    { numeric: [] },
    { numeric: ["<", "1"] },
    { numeric: [">", 1, "<", 0] },
    { numeric: ["<", 1, ">", 0] },
  ),
  fc.constantFrom({ cidr: "10.0.0.0/32" }, { cidr: "a/8" }, { cidr: "10.0.0.0" }, { cidr: "2001:db8::/128" }),
  fc.constantFrom({ "anything-but": null }, { "anything-but": ["a", 1] }, { "anything-but": { numeric: ["=", 1] } }),
  fc.constantFrom(
    { prefix: "a", suffix: "b" },
    { regex: "a" },
    { "anything-but": { prefix: "" } },
    { "equals-ignore-case": 1 },
  ),
);

const plain = fc.oneof(only("prefix", part), only("suffix", part), only("exists", fc.boolean()), text);
const list = fc.oneof(
  { weight: 10, arbitrary: fc.array(scalar, { minLength: 1, maxLength: 3 }) },
  { weight: 20, arbitrary: comparison.map((one) => [one]) },
  { weight: 10, arbitrary: fc.array(plain, { minLength: 2, maxLength: 3 }) },
  { weight: 1, arbitrary: fc.tuple(scalar, broken) },
);

const { pattern } = fc.letrec<{ pattern: unknown; field: unknown; fields: unknown }>((tie) => ({
  field: fc.oneof({ maxDepth: 3 }, list, tie("fields")),
  fields: fc.dictionary(fc.constantFrom("a", "b", "c"), tie("field"), { minKeys: 1, maxKeys: 2 }),
  pattern: fc
    .tuple(tie("fields"), fc.option(fc.array(tie("fields"), { minLength: 2, maxLength: 3 }), { freq: 1 }), fc.boolean())
    .map(([fields, alternatives, isFirst]) => {
      if (alternatives === null) return fields;
      const $or = { $or: alternatives };
      return isFirst ? { ...$or, ...(fields as object) } : { ...(fields as object), ...$or };
    }),
}));

/** An event that has what a pattern asks for, more or less. */
function near(asked: unknown): fc.Arbitrary<unknown> {
  if (Array.isArray(asked)) {
    const named = asked.filter((element) => typeof element !== "object" || element === null);
    const value = named.length === 0 ? scalar : fc.oneof(scalar, fc.constantFrom(...(named as readonly unknown[])));
    return fc.oneof({ weight: 3, arbitrary: value }, fc.array(value, { maxLength: 3 }), fc.constant({}));
  }
  const object = fc.record(membersNear(asked as object), { requiredKeys: [] });
  return fc.oneof({ weight: 2, arbitrary: object }, fc.array(fc.oneof(object, scalar), { maxLength: 3 }));
}

function membersNear(asked: object): Record<string, fc.Arbitrary<unknown>> {
  const entries = Object.entries(asked).flatMap(([name, value]) =>
    name === "$or"
      ? (value as readonly object[]).flatMap((alternative) => Object.entries(membersNear(alternative)))
      : [[name, near(value)] as const],
  );
  return Object.fromEntries(entries);
}

const question = pattern.chain((asked) => {
  const event = fc.record(membersNear(asked as object), { requiredKeys: [] });
  return fc.record({ pattern: fc.constant(asked), events: fc.array(event, { minLength: 5, maxLength: 5 }) });
});

/** Draws patterns with five events each, always the same. */
export function generatedQuestions(count: number): readonly Question[] {
  return fc.sample(question, { numRuns: count, seed: 20_261_121 });
}
