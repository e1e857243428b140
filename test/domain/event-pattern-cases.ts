/** A pattern with events that it means, and others that it does not. The reference implementation is asked about all of them too. */
export interface PatternCase {
  readonly because: string;
  readonly pattern: object;
  readonly matches: readonly object[];
  readonly others: readonly object[];
}

const field = (because: string, list: readonly unknown[], matching: readonly unknown[], others: readonly unknown[]) => {
  const event = (value: unknown): object => (value === missing ? {} : { a: value });
  return { because, pattern: { a: list }, matches: matching.map(event), others: others.map(event) };
};

/** A field that is not there. */
const missing = Symbol("missing");

const values: readonly PatternCase[] = [
  field("texts are equal as they are", ["x", ""], ["x", ""], ["X", "xx", null, missing, ["y"], { b: "x" }]),
  field("numbers are equal by what they are worth", [300, 0.1], [300, 3e2, 0.1], ["300", 301, true, [[]]]),
  field("true, false and null are themselves", [true, null], [true, null], ["true", "null", false, 1, missing]),
  field(
    "an address equals the same one in another form",
    ["10.0.0.1", "::1"],
    ["10.0.0.1", "010.0.0.1", "0:0::1"],
    ["10.0.0.10", "10.0.0.1x", "x10.0.0.1", "0000000010.0.0.1", "0.0.0.1", "::1x"],
  ),
  field(
    "an address of version 6 is eight groups, of which some that are zero may be left out once",
    ["1::2", "1:2:3:4:5:6:7:8", "3:2:3:4:5:6:7::", "1:0::"],
    ["1:0:0:0:0:0:0:2", "0001:2:3:4:5:6:7:8", "3:2:3:4:5:6:7:0", "1::"],
    ["1::2::3", "1::2:", "1x::2", "3:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7::8", "0:10000::"],
  ),
  field(
    "what only looks like an address is a text",
    ["1.2.3.999", ":", "1::2::3"],
    ["1.2.3.999", ":", "1::2::3"],
    ["::", "1.2.3.231"],
  ),
  field("exactly is a text, address or not", [{ exactly: "10.0.0.1" }], ["10.0.0.1"], ["010.0.0.1", 1]),
  field("a prefix is of texts alone", [{ prefix: "ab" }, { prefix: "1" }], ["ab", "abc", "10"], ["a", "Ab", 10, "cab"]),
  field("an empty prefix is any text", [{ prefix: "" }], ["", "x"], [1, null, missing]),
  field("a suffix", [{ suffix: ".png" }], [".png", "a.png"], ["png", "a.PNG", "a.png "]),
  field("a suffix beyond ASCII", [{ suffix: "大雨" }], ["小大雨"], ["大雨小", "雨"]),
  field("a prefix in any case", [{ prefix: { "equals-ignore-case": "EventB" } }], ["EVENTBridge", "eventb"], ["event"]),
  field("a suffix in any case", [{ suffix: { "equals-ignore-case": ".pNg" } }], ["a.PNG", ".png"], ["png", ".pngx"]),
  field(
    "texts in any case",
    [{ "equals-ignore-case": "Straße" }],
    ["straße", "STRASSE", "sTRAßE"],
    ["strasse", "Stra"],
  ),
  field("case is passed over by character", [{ "equals-ignore-case": "éΣſ" }], ["ÉσS", "Éσſ"], ["éςs", "eσS"]),
  field(
    "a suffix whose case changes its length",
    [{ suffix: { "equals-ignore-case": "ß" } }],
    ["aSS", "ß"],
    ["ss", "S"],
  ),
  field("a star is any text", [{ wildcard: "a*c" }], ["ac", "abc", "acc", "a*c"], ["a", "acd", "Ac", 1]),
  field("several stars", [{ wildcard: "*ab*ab*" }], ["abab", "xabyabz", "aabab"], ["aba", "ab"]),
  field("the ends of a wildcard do not share characters", [{ wildcard: "aa*aa" }], ["aaaa", "aabaa"], ["aaa", "aa"]),
  field("a star that is meant", [{ wildcard: "a\\*\\\\*" }], ["a*\\", "a*\\b"], ["ab\\", "a*"]),
  field("a wildcard without a star", [{ wildcard: "" }, { wildcard: "x" }], ["", "x"], ["xx", 1]),
  field("an address in a range", [{ cidr: "10.0.0.77/24" }], ["10.0.0.0", "10.0.0.255"], ["10.0.1.0", "10", 10]),
  field("an address of version 6 in a range", [{ cidr: "2001:db8::/33" }], ["2001:db8::1"], ["2001:db8:8000::", "x"]),
  field("the range of all addresses", [{ cidr: "0.0.0.0/0" }], ["255.255.255.255", "0.0.0.0"], ["256.0.0.0", missing]),
  field("an address of version 4 in the form of version 6", [{ cidr: "::ffff:a00:0/24" }], ["10.0.0.9"], ["10.0.1.9"]),
  field("a number above", [{ numeric: [">", 0] }], [1, 0.5, 1e300], [0, -1, "1", null]),
  field("a number in a range", [{ numeric: [">=", -1.5, "<", 5] }], [-1.5, 0, 4.999], [5, -1.6]),
  field("a number that is equal", [{ numeric: ["=", 3.018e2] }], [301.8], [301, "301.8"]),
  field("a number at most", [{ numeric: ["<=", 10] }], [10, -1e9], [10.1, true]),
  field("there, whatever it is", [{ exists: true }], ["", null, false, [1], [[1]]], [missing, {}, [], { b: 1 }]),
  field("missing, or something that holds others", [{ exists: false }], [missing, {}, [], { b: 1 }, [[]]], [null, [0]]),
  field("missing, or a value", [{ exists: false }, "x"], [missing, "x", ["y", "x"]], ["y", null]),
  field(
    "any value of an array",
    ["x", { prefix: "y" }],
    [["a", "x"], [["yy"]], [{ b: 1 }, "x"]],
    [["a"], [{ a: "x" }]],
  ),
  field(
    "anything but a text, of any type",
    [{ "anything-but": "x" }],
    ["y", 1, null, true, ["x", "y"]],
    ["x", missing],
  ),
  field("anything but numbers", [{ "anything-but": [1, 2] }], [3, "1", null, [1, 3]], [1, 2, [1, 2], [], missing]),
  field("anything but an address as it is written", [{ "anything-but": ["10.0.0.1"] }], ["010.0.0.1"], ["10.0.0.1"]),
  field("anything but some prefixes", [{ "anything-but": { prefix: ["a", "bc"] } }], ["b", "", 1], ["a", "bcd"]),
  field("anything but a suffix", [{ "anything-but": { suffix: "a" } }], ["b", null], ["a", "ba"]),
  field(
    "anything but texts in any case",
    [{ "anything-but": { "equals-ignore-case": ["A", ""] } }],
    ["b", 1],
    ["a", ""],
  ),
  field("anything but wildcards", [{ "anything-but": { wildcard: ["*/lib/*", "x"] } }], ["/lib", 1], ["/lib/a", "x"]),
];

const structures: readonly PatternCase[] = [
  {
    because: "every field has to fit",
    pattern: { source: ["s"], detail: { state: ["on"], n: [{ numeric: [">", 1] }] } },
    matches: [{ source: "s", detail: { state: "on", n: 2, more: {} }, more: 1 }],
    others: [{ source: "s", detail: { state: "on", n: 1 } }, { detail: { state: "on", n: 2 } }, { source: "s" }, {}],
  },
  {
    because: "a dot in a name is as good as nesting",
    pattern: { "a.b": { c: [1] } },
    matches: [{ a: { b: { c: 1 } } }, { "a.b.c": 1 }, { a: { "b.c": [1] } }],
    others: [{ a: { b: 1 } }, { c: 1 }],
  },
  {
    because: "fields within an array are of one element",
    pattern: { a: { b: [1], c: [2] } },
    matches: [{ a: [{ b: 1 }, { b: 1, c: 2 }] }, { a: { b: [0, 1], c: 2 } }, { a: [[{ b: 1, c: 2 }]] }],
    others: [
      { a: [{ b: 1 }, { c: 2 }] },
      { a: [{ b: 1 }, { b: 1 }, { c: 2 }] },
      { a: [[{ b: 1 }], [{ c: 2 }]] },
      { a: [[{ b: 1 }, { c: 2 }]] },
    ],
  },
  {
    because: "a value in an array goes together with what its other elements hold",
    pattern: { a: [1, null], "a.b": [2] },
    matches: [{ a: [1, { b: 2 }] }, { a: [{ b: 2 }, null] }],
    others: [{ a: [1, { b: 3 }] }, { a: [{ b: 2 }] }],
  },
  {
    because: "a field may be called like a comparison",
    pattern: { numeric: [1], a: { prefix: ["x"] } },
    matches: [{ numeric: 1, a: { prefix: "x" } }],
    others: [{ numeric: 1, a: { prefix: "xy" } }, { numeric: 1 }],
  },
  {
    because: "arrays within arrays, and beside each other",
    pattern: { a: { b: { c: [1], d: [2] }, e: { f: [3] } }, g: { h: [4] } },
    matches: [
      { a: [{ e: [{ f: 3 }] }, { b: [{ c: 1 }, { c: 1, d: 2 }], e: [{ f: 0 }, { f: 3 }] }], g: [{}, { h: 4 }] },
    ],
    others: [
      { a: [{ e: [{ f: 3 }] }, { b: [{ c: 1, d: 2 }], e: [{ f: 0 }] }], g: [{ h: 4 }] },
      { a: [{ b: [{ c: 1 }, { d: 2 }], e: [{ f: 3 }] }], g: [{ h: 4 }] },
    ],
  },
  {
    because: "what must be missing may be there in another element, once its name comes later",
    pattern: { a: { b: [1], c: [{ exists: false }] } },
    matches: [{ a: [{ b: 1 }, { c: 1 }] }, { a: { b: 1 } }],
    others: [{ a: [{ b: 1, c: 1 }] }, { a: { b: 1, c: 2 } }],
  },
  {
    because: "what must be missing may be nowhere, where its name comes first",
    pattern: { a: { b: [{ exists: false }], c: [1] } },
    matches: [{ a: [{ c: 1 }, {}] }],
    others: [{ a: [{ b: 1 }, { c: 1 }] }],
  },
  {
    because: "which name comes first is not said by the order in the text",
    pattern: { a: { c: [1], b: [{ exists: false }] } },
    matches: [{ a: [{ c: 1 }, {}] }],
    others: [{ a: [{ b: 1 }, { c: 1 }] }],
  },
  {
    because: "$or lists alternatives, each with all its fields",
    pattern: { s: ["x"], $or: [{ a: [1], b: [2] }, { d: { $or: [{ e: [3] }, { f: [4] }] } }] },
    matches: [
      { s: "x", a: 1, b: 2 },
      { s: "x", d: { f: 4 } },
      { s: "x", d: { e: 3 }, a: 0 },
    ],
    others: [
      { s: "x", a: 1 },
      { a: 1, b: 2 },
      { s: "x", b: 2, d: { e: 4, f: 3 } },
    ],
  },
  {
    because: "several $or have to be met at once",
    pattern: { a: { $or: [{ b: [1] }, { c: [1] }] }, $or: [{ d: [1] }, { e: [1] }] },
    matches: [
      { a: { b: 1 }, d: 1 },
      { a: { c: 1 }, e: 1 },
    ],
    others: [{ a: { b: 1, c: 1 } }, { d: 1, e: 1 }],
  },
  {
    because: "a field that is named in $or and beside it is what the later says",
    pattern: { a: [1], $or: [{ a: [2] }, { b: [3] }] },
    matches: [{ a: 2 }, { a: 1, b: 3 }],
    others: [{ a: 1 }, { a: 3, b: 3 }],
  },
  {
    because: "$or is the name of a field where it lists no alternatives",
    pattern: { $or: ["x", { prefix: "y" }] },
    matches: [{ $or: "x" }, { $or: ["yy"] }],
    others: [{ x: 1 }, { $or: "z" }],
  },
];

/** Patterns, with events. */
export const patternCases: readonly PatternCase[] = [...values, ...structures];

/** What is no pattern, and what is said of it. */
export const noPatterns: readonly (readonly [message: string, pattern: unknown])[] = [
  ["the pattern: {}: expected at least one field", {}],
  ["the pattern: []: expected an object of fields", []],
  ['source: "aws.ecr": expected a list of what it may be, or an object of fields', { source: "aws.ecr" }],
  ["detail: {}: expected at least one field", { source: ["s"], detail: {} }],
  ["detail.a: []: an empty list, which matches nothing", { detail: { a: [] } }],
  ['["a.b"][1]: [1]: expected a value or a comparison, not a list in a list', { "a.b": [0, [1]] }],
  ['a[0]: {"prefx":"x"}: not a comparison (prefix?)', { a: [{ prefx: "x" }] }],
  [
    "a[0]: {}: not a comparison (expected one of exactly, prefix, suffix, equals-ignore-case, wildcard, anything-but, numeric, exists, cidr)",
    { a: [{}] },
  ],
  [
    'a[0]: {"prefix":"x","suffix":"y"}: one comparison beside another (expected each as an element of the list)',
    { a: [{ prefix: "x", suffix: "y" }] },
  ],
  ["a[0].prefix: 1: expected a text", { a: [{ prefix: 1 }] }],
  ['a[0].suffix: ["x"]: expected a text', { a: [{ suffix: ["x"] }] }],
  [
    'a[0].prefix: {"wildcard":"x"}: not a comparison (expected one of equals-ignore-case)',
    { a: [{ prefix: { wildcard: "x" } }] },
  ],
  ["a[0].equals-ignore-case: null: expected a text", { a: [{ "equals-ignore-case": null }] }],
  ['a[0].wildcard: "a**": character 3: one * says as much as two', { a: [{ wildcard: "a**" }] }],
  ['a[0].wildcard: "😀**": character 3: one * says as much as two', { a: [{ wildcard: "😀**" }] }],
  ['a[0].wildcard: "a\\\\n": character 2: only * and \\ can follow a \\', { a: [{ wildcard: "a\\n" }] }],
  ['a[0].numeric: 5: expected a list, such as [">=", 0, "<", 10]', { a: [{ numeric: 5 }] }],
  ["a[0].numeric[0]: nothing: expected one of = > >= < <=", { a: [{ numeric: [] }] }],
  ['a[0].numeric[0]: "!=": expected one of = > >= < <=', { a: [{ numeric: ["!=", 5] }] }],
  ["a[0].numeric[1]: nothing: expected a number", { a: [{ numeric: [">"] }] }],
  ['a[0].numeric[1]: "5": expected a number', { a: [{ numeric: [">", "5"] }] }],
  ['a[0].numeric[0]: "<": expected one of > >=', { a: [{ numeric: ["<", 5, ">", 0] }] }],
  ['a[0].numeric[0]: "=": expected one of > >=', { a: [{ numeric: ["=", 1, "<", 5] }] }],
  ['a[0].numeric[0]: "toString": expected one of = > >= < <=', { a: [{ numeric: ["toString", 5] }] }],
  ['a[0].numeric[2]: ">": expected one of < <=', { a: [{ numeric: [">", 0, ">", 5] }] }],
  ["a[0].numeric[3]: nothing: expected a number", { a: [{ numeric: [">", 0, "<"] }] }],
  ["a[0].numeric[4]: 1: one bound too many", { a: [{ numeric: [">", 0, "<", 5, 1] }] }],
  ['a[0].numeric: [">",5,"<",5]: nothing is between 5 and 5', { a: [{ numeric: [">", 5, "<", 5] }] }],
  ['a[0].exists: "true": expected true or false', { a: [{ exists: "true" }] }],
  [
    'a[0].cidr: "10.0.0.0": not a range of addresses (expected ADDRESS/BITS, for example 10.0.0.0/24)',
    { a: [{ cidr: "10.0.0.0" }] },
  ],
  ...["a/10.0.0.0/8", "10.0.0.0/8x"].map((text): readonly [string, unknown] => [
    `a[0].cidr: "${text}": not a range of addresses (expected ADDRESS/BITS, for example 10.0.0.0/24)`,
    { a: [{ cidr: text }] },
  ]),
  ['a[0].cidr: "10.0.0/8": "10.0.0" is not an address of IP', { a: [{ cidr: "10.0.0/8" }] }],
  [
    'a[0].cidr: "10.0.0.0/32": a mask of 32 bits (expected 0 to 31; an address alone is written without a mask)',
    { a: [{ cidr: "10.0.0.0/32" }] },
  ],
  ["a[0].anything-but: true: expected a text or a number", { a: [{ "anything-but": true }] }],
  ["a[0].anything-but: []: an empty list", { a: [{ "anything-but": [] }] }],
  ["a[0].anything-but[1]: null: expected a text or a number", { a: [{ "anything-but": ["x", null] }] }],
  [
    'a[0].anything-but: ["x",1]: texts and numbers in one list (expected either)',
    { a: [{ "anything-but": ["x", 1] }] },
  ],
  [
    'a[0].anything-but: {"numeric":["=",1]}: not a comparison (expected one of prefix, suffix, equals-ignore-case, wildcard)',
    { a: [{ "anything-but": { numeric: ["=", 1] } }] },
  ],
  [
    'a[0].anything-but.prefix[1]: "": an empty text, which every text has',
    { a: [{ "anything-but": { prefix: ["a", ""] } }] },
  ],
  ["a[0].anything-but.suffix: []: an empty list", { a: [{ "anything-but": { suffix: [] } }] }],
  ['$or: {"a":[1]}: expected a list of at least two alternatives', { $or: { a: [1] }, b: 1 }],
  ['$or: [{"a":[1]}]: expected a list of at least two alternatives', { $or: [{ a: [1] }] }],
  ["$or[1]: 1: expected an object of fields", { $or: [{ a: [1] }, 1] }],
  [
    "$or[0].numeric: [1]: the name of a comparison can't be a field within $or",
    { $or: [{ numeric: [1] }, { b: [2] }] },
  ],
];
