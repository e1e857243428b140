import { isInRange, parseAddress, parseAddressRange } from "./event-pattern-address.ts";
import type { Scalar } from "./event-pattern-fields.ts";
import {
  backwards,
  fitsWildcard,
  isSpelt,
  parseWildcard,
  spellingsBackwards,
  spellingsOf,
} from "./event-pattern-text.ts";
import { isObject } from "./json.ts";
import { nearest } from "./nearest.ts";

/** Where something is in a pattern: names of members, and indexes of elements. */
export type Place = readonly (string | number)[];

/** Is told what can't be understood, and where. */
export type Report = (place: Place, message: string) => void;

/** What a field must hold: one of its values passes one of the tests. */
export interface FieldTest {
  readonly tests: readonly ValueTest[];
  /** It may also be missing. */
  readonly orMissing: boolean;
}

/** Says whether a value of an event is one that the pattern means. */
export type ValueTest = (value: Scalar) => boolean;

/** Reads one kind of comparison from what it is compared with; undefined when that was reported. */
type ReadComparison = (written: unknown, place: Place, report: Report) => ValueTest | undefined;

/** Reads the list that a pattern has for a field; what can't be understood is reported, and left out. */
export function readFieldTest(written: readonly unknown[], place: Place, report: Report): FieldTest {
  if (written.length === 0) report(place, "an empty list, which matches nothing");
  const isMissing = (element: unknown): boolean => isObject(element) && element["exists"] === false;
  const tests = written
    .map((element, index) => readElement(element, [...place, index], report))
    .filter((test) => test !== undefined);
  return { tests, orMissing: written.some(isMissing) };
}

function readElement(written: unknown, place: Place, report: Report): ValueTest | undefined {
  if (isObject(written)) return readOnly(written, comparisons, place, report);
  if (Array.isArray(written)) report(place, "expected a value or a comparison, not a list in a list");
  else if (isTooLarge(written)) report(place, tooLarge);
  else return equals(written as Scalar);
  return undefined;
}

/** JSON may hold any number; those that are too large for the program would all be one. */
function isTooLarge(value: unknown): boolean {
  return typeof value === "number" && !Number.isFinite(value);
}

const tooLarge = "a number that is too large to be told from others";

/** An address equals whatever is written differently for it. */
function equals(expected: Scalar): ValueTest {
  const address = typeof expected === "string" ? parseAddress(expected) : undefined;
  if (address === undefined) return (value) => value === expected;
  return ofAddress((other) => other.bits === address.bits && other.value === address.value);
}

/** Reads an object of one member, which names the comparison. */
function readOnly(
  written: Readonly<Record<string, unknown>>,
  known: Readonly<Record<string, ReadComparison>>,
  place: Place,
  report: Report,
): ValueTest | undefined {
  const [[name, compared] = ["", undefined], ...others] = Object.entries(written);
  if (others.length > 0) {
    report(place, `one comparison beside another (expected each as an element of the list)`);
    return undefined;
  }
  const read = Object.hasOwn(known, name) ? known[name] : undefined;
  if (read !== undefined) return read(compared, [...place, name], report);
  const [meant, names] = [nearest(name, Object.keys(known)), Object.keys(known).join(", ")];
  report(place, `not a comparison (${meant === undefined || name === "" ? `expected one of ${names}` : `${meant}?`})`);
  return undefined;
}

const ofText = (test: (text: string) => boolean): ValueTest => {
  return (value) => typeof value === "string" && test(value);
};

const ofAddress = (test: (address: NonNullable<ReturnType<typeof parseAddress>>) => boolean): ValueTest =>
  ofText((text) => {
    const address = parseAddress(text);
    return address !== undefined && test(address);
  });

/** Makes a comparison of one that has a text to compare with. */
function withText(make: (text: string, refuse: (why: string) => void) => ValueTest | undefined): ReadComparison {
  return (written, place, report) => {
    if (typeof written === "string")
      return make(written, (why) => {
        report(place, why);
      });
    report(place, "expected a text");
    return undefined;
  };
}

const readPrefix = withText((prefix) => ofText((text) => text.startsWith(prefix)));
const readSuffix = withText((suffix) => ofText((text) => text.endsWith(suffix)));

const readSpelling = withText((expected) => {
  const spellings = spellingsOf(expected);
  return ofText((text) => isSpelt(spellings, text, "whole"));
});

const readSpeltPrefix = withText((prefix) => {
  const spellings = spellingsOf(prefix);
  return ofText((text) => isSpelt(spellings, text, "beginning"));
});

const readSpeltSuffix = withText((suffix) => {
  const spellings = spellingsBackwards(spellingsOf(suffix));
  return ofText((text) => isSpelt(spellings, backwards(text), "beginning"));
});

const readWildcard = withText((text, refuse) => {
  const wildcard = parseWildcard(text);
  if (wildcard.ok) return ofText((value) => fitsWildcard(wildcard.value, value));
  refuse(wildcard.problem);
  return undefined;
});

const readCidr = withText((text, refuse) => {
  const range = parseAddressRange(text);
  if (range.ok) return ofAddress((address) => isInRange(address, range.value));
  refuse(range.problem);
  return undefined;
});

/** A comparison of texts, or the same whatever their case. */
function inAnyCase(readText: ReadComparison, readSpelt: ReadComparison): ReadComparison {
  return (written, place, report) =>
    isObject(written)
      ? readOnly(written, { "equals-ignore-case": readSpelt }, place, report)
      : readText(written, place, report);
}

const readExists: ReadComparison = (written, place, report) => {
  if (typeof written === "boolean") return () => written;
  report(place, "expected true or false");
  return undefined;
};

type Bound = (value: number) => boolean;
const lower: Readonly<Record<string, (bound: number) => Bound>> = {
  ">": (bound) => (value) => value > bound,
  ">=": (bound) => (value) => value >= bound,
};
const upper: Readonly<Record<string, (bound: number) => Bound>> = {
  "<": (bound) => (value) => value < bound,
  "<=": (bound) => (value) => value <= bound,
};
const single: typeof lower = { "=": (bound) => (value) => value === bound, ...lower, ...upper };

/** One operator and its number, or a lower and an upper bound. */
const readNumeric: ReadComparison = (written, place, report) => {
  if (!Array.isArray(written)) {
    report(place, 'expected a list, such as [">=", 0, "<", 10]');
    return undefined;
  }
  const [operator, bound, secondOperator, secondBound, ...others] = written as readonly unknown[];
  const isRange = written.length > 2;
  const first = readBound([operator, bound], isRange ? lower : single, [...place, 0], report);
  if (!isRange || first === undefined) return first && ofNumber(first.holds);
  const second = readBound([secondOperator, secondBound], upper, [...place, 2], report);
  if (second === undefined) return undefined;
  if (others.length > 0) report([...place, 4], "one bound too many");
  if (first.bound >= second.bound) report(place, `nothing is between ${first.bound} and ${second.bound}`);
  return ofNumber((value) => first.holds(value) && second.holds(value));
};

const ofNumber = (test: Bound): ValueTest => {
  return (value) => typeof value === "number" && test(value);
};

function readBound(
  [operator, bound]: readonly [unknown, unknown],
  operators: typeof lower,
  [...place]: Place,
  report: Report,
): { readonly bound: number; readonly holds: Bound } | undefined {
  const make = typeof operator === "string" && Object.hasOwn(operators, operator) ? operators[operator] : undefined;
  if (make === undefined) report(place, `expected one of ${Object.keys(operators).join(" ")}`);
  else if (typeof bound === "number" && !isTooLarge(bound)) return { bound, holds: make(bound) };
  else report([...place.slice(0, -1), Number(place.at(-1)) + 1], isTooLarge(bound) ? tooLarge : "expected a number");
  return undefined;
}

/** What `anything-but` may have instead of values. */
const excluded: Readonly<Record<string, ReadComparison>> = {
  prefix: anyOf(notEmpty(readPrefix)),
  suffix: anyOf(notEmpty(readSuffix)),
  "equals-ignore-case": anyOf(readSpelling),
  wildcard: anyOf(readWildcard),
};

/** Takes every value but those named, of whatever type. */
const readAnythingBut: ReadComparison = (written, place, report) => {
  const read = isObject(written)
    ? readOnly(written, excluded, place, report)
    : anyOf(readExcludedValue)(written, place, report);
  if (Array.isArray(written) && new Set(written.map((element) => typeof element)).size > 1)
    report(place, "texts and numbers in one list (expected either)");
  return read && ((value) => !read(value));
};

const readExcludedValue: ReadComparison = (written, place, report) => {
  // Unlike a value of the list itself, an address here is the text that it is.
  if (typeof written === "string" || Number.isFinite(written)) return (value) => value === written;
  report(place, isTooLarge(written) ? tooLarge : "expected a text or a number");
  return undefined;
};

function notEmpty(read: ReadComparison): ReadComparison {
  return (written, place, report) => {
    if (written === "") report(place, "an empty text, which every text has");
    return read(written, place, report);
  };
}

/** A comparison with one value or with each of a list. */
function anyOf(read: ReadComparison): ReadComparison {
  return (written, place, report) => {
    if (!Array.isArray(written)) return read(written, place, report);
    if (written.length === 0) report(place, "an empty list");
    const tests = (written as readonly unknown[])
      .map((element, index) => read(element, [...place, index], report))
      .filter((test) => test !== undefined);
    return (value) => tests.some((test) => test(value));
  };
}

const comparisons: Readonly<Record<string, ReadComparison>> = {
  exactly: withText((expected) => (value) => value === expected),
  prefix: inAnyCase(readPrefix, readSpeltPrefix),
  suffix: inAnyCase(readSuffix, readSpeltSuffix),
  "equals-ignore-case": readSpelling,
  wildcard: readWildcard,
  "anything-but": readAnythingBut,
  numeric: readNumeric,
  exists: readExists,
  cidr: readCidr,
};

/** The names of all comparisons. */
export const comparisonNames: readonly string[] = Object.keys(comparisons);
