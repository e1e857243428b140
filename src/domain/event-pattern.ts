import { type FieldNames, fieldNames, type Leaf, leavesOf, type Places, together } from "./event-pattern-fields.ts";
import { comparisonNames, type FieldTest, type Place, readFieldTest, type Report } from "./event-pattern-values.ts";
import { briefJson, isObject, valueAt } from "./json.ts";
import { ok, problem, type Result } from "./result.ts";

/** A pattern of EventBridge, ready to be asked. */
export interface EventRule {
  /** What an event must have, in one way or another; `$or` makes several. At least one. */
  readonly ways: readonly Way[];
  readonly names: FieldNames;
}

/** The fields of one way, by name in the order of their UTF-16 codes. */
type Way = readonly (readonly [name: string, test: FieldTest])[];

/** Why something is no pattern. `message` shows the first place that can't be understood: `detail.count[0].numeric[1]: "5": …`. */
export interface PatternProblem {
  readonly code: "pattern-invalid";
  readonly message: string;
}

/** The member of a pattern that lists alternatives. */
const or = "$or";

/** More are a mistake: each `$or` beside another multiplies them. */
const mostWays = 1_000;

/** Deeper ones are a mistake. */
const deepest = 100;

/** Words that EventBridge keeps for itself within `$or`. */
const reservedInOr: ReadonlySet<string> = new Set([
  ...comparisonNames,
  ...["=", "<", "<=", ">", ">=", "regex", "not-wildcard", "not-equals-ignore-case", "date-after"],
  ...["date-on-or-after", "date-before", "date-on-or-before", "in-date-range"],
  ...["ip-address-in-range", "ip-address-not-in-range"],
]);

/**
 * Reads a pattern, a value of JSON, as EventBridge does.
 *
 * `$or` lists alternatives; where it can't, because what it holds is no list of two or more patterns, it is the name of a field. Where
 * one field is named twice, in `$or` and beside it, the later in the text counts.
 *
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern-operators.html
 */
export function parseEventPattern(written: unknown): Result<EventRule, PatternProblem> {
  const read = readPattern(written, true);
  if (read.ok) return read;
  const plain = readPattern(written, false);
  return plain.ok ? plain : read;
}

function readPattern(written: unknown, orIsAlternatives: boolean): Result<EventRule, PatternProblem> {
  let first: string | undefined;
  const report: Report = (place, why) => (first ??= `${placeText(place)}: ${shown(written, place)}: ${why}`);
  const drafts = readMembers([new Map()], written, { report, orIsAlternatives, names: [], place: [], inOr: false });
  if (first !== undefined) return problem({ code: "pattern-invalid", message: first });
  const ways = drafts.map((draft) => [...draft].sort(([left], [right]) => (left < right ? -1 : 1)));
  return ok({ ways, names: fieldNames(ways.flatMap((way) => way.map(([name]) => name))) });
}

/** One way as it is read: its fields so far. */
type Draft = ReadonlyMap<string, FieldTest>;

/** Where the reading is. */
interface Reading {
  readonly report: Report;
  readonly orIsAlternatives: boolean;
  readonly names: readonly string[];
  readonly place: Place;
  readonly inOr: boolean;
}

/** Adds the members of an object to every way. */
function readMembers(drafts: readonly Draft[], written: unknown, reading: Reading): readonly Draft[] {
  const { report, place } = reading;
  if (!isObject(written)) report(place, "expected an object of fields");
  else if (Object.keys(written).length === 0) report(place, "expected at least one field");
  else if (place.length > deepest) report(place, "nested too deeply");
  else {
    return Object.entries(written).reduce(
      (sofar, [name, value]) => readMember(sofar, name, value, { ...reading, place: [...place, name] }),
      drafts,
    );
  }
  return drafts;
}

function readMember(drafts: readonly Draft[], name: string, value: unknown, reading: Reading): readonly Draft[] {
  const { report, place, inOr } = reading;
  if (name === or && reading.orIsAlternatives) return readAlternatives(drafts, value, { ...reading, inOr: true });
  if (inOr && reservedInOr.has(name)) report(place, `the name of a comparison can't be a field within ${or}`);
  const names = [...reading.names, name];
  if (isObject(value)) return readMembers(drafts, value, { ...reading, names });
  if (Array.isArray(value)) {
    const test = readFieldTest(value, place, report);
    return drafts.map((draft) => new Map([...draft, [names.join("."), test]]));
  }
  report(place, "expected a list of what it may be, or an object of fields");
  return drafts;
}

function readAlternatives(drafts: readonly Draft[], value: unknown, reading: Reading): readonly Draft[] {
  const { report, place } = reading;
  if (!Array.isArray(value) || value.length < 2) {
    report(place, "expected a list of at least two alternatives");
    return drafts;
  }
  const ways = (value as readonly unknown[]).flatMap((alternative, index) =>
    readMembers(drafts, alternative, { ...reading, place: [...place, index] }),
  );
  if (ways.length <= mostWays) return ways;
  report(place, `makes ${ways.length} ways to match (expected at most ${mostWays})`);
  return drafts;
}

/** Writes what is at a place. */
function shown(written: unknown, place: Place): string {
  const value = valueAt(written, place);
  return value === undefined ? "nothing" : briefJson(value);
}

/** Writes a place as in a program: `detail["image-tag"][0].prefix`. */
function placeText(place: Place): string {
  const parts = place.map((part) => {
    if (typeof part === "number") return `[${part}]`;
    return /^[\w$-]+$/.test(part) ? `.${part}` : `[${JSON.stringify(part)}]`;
  });
  return place.length === 0 ? "the pattern" : parts.join("").replace(/^\./, "");
}

/**
 * Says whether an event, a value of JSON, is one that a pattern means: whether every field of one of its ways has a value that passes, all
 * of them in the same elements of whatever arrays they are in.
 *
 * A field that must be missing may be there in other elements than those of the fields before it, by name. The time grows with
 * the values of a field in arrays, squared.
 */
export function matchesPattern({ ways, names }: EventRule, event: Readonly<Record<string, unknown>>): boolean {
  const leaves = leavesOf(event, names);
  return ways.some((way) => isMet(way, leaves));
}

function isMet(way: Way, leaves: ReadonlyMap<string, readonly Leaf[]>): boolean {
  // Where in the arrays the fields so far can be together.
  let possible: readonly Places[] = [new Map()];
  for (const [index, [name, { tests, orMissing }]] of way.entries()) {
    const all = leaves.get(name) ?? [];
    const passing = all.filter(({ value }) => tests.some((test) => test(value)));
    possible = possible.flatMap((sofar) => {
      const isMissing = orMissing && all.every(({ places }) => together(sofar, places) === undefined);
      const found = passing.map(({ places }) => together(sofar, places)).filter((places) => places !== undefined);
      return isMissing ? [sofar, ...found] : found;
    });
    if (possible.length === 0) return false;
    const later = way.slice(index + 1).flatMap(([other]) => leaves.get(other) ?? []);
    possible = distinct(possible, new Set(later.flatMap(({ places }) => [...places.keys()])));
  }
  return true;
}

/** Forgets the arrays in which no later field is, and what is then there twice. */
function distinct(possible: readonly Places[], arrays: ReadonlySet<number>): readonly Places[] {
  if (possible.length === 1) return possible;
  const byText = new Map<string, Places>();
  for (const places of possible) {
    const kept = [...places].filter(([array]) => arrays.has(array)).sort(([left], [right]) => left - right);
    byText.set(kept.join(";"), new Map(kept));
  }
  return [...byText.values()];
}
