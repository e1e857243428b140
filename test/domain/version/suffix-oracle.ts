/**
 * A tag as the rule of suffixes reads it. This parser is slow, shares no code with
 * `src/domain/version`, and was written from the rule's text.
 */
export interface OracleVersion {
  readonly prefix: string;
  readonly numbers: readonly bigint[];
  /** True for a tag that is one number and nothing else. */
  readonly isBare: boolean;
  /** The text after the numbers. */
  readonly suffix: string;
  /** Empty for a release. */
  readonly prerelease: readonly Identifier[];
  readonly pieces: readonly Piece[];
}

type Identifier = string | bigint;

type Piece = { readonly separator: string } & (
  | { readonly kind: "flavour"; readonly text: string }
  | { readonly kind: "commit" }
  /** `word` has `#` in place of each number, and a branch with the separator behind it. */
  | { readonly kind: "counter"; readonly word: string; readonly numbers: readonly bigint[]; readonly branch?: string }
);

const prereleaseWord =
  /^(?:alpha|beta|canary|cr|dev|eap|ea|milestone|m|next|nightly|prerelease|preview|pre|rc|snapshot|unstable)(?![a-z])/i;
const countingWord = /^(?:r|b|p|ls|build|rev|post|k3s|rke2r|hardened)\d+$/i;
const wordAndNumber = /^[0-9A-Za-z]*[A-Za-z]\.\d+$/;
const ubuntuRevision = /^\d+ubuntu\d+$/;
const dateOrTime = /^\d{8,}(?:T\d{4,6}Z?)?$/;
const branch = /^(?:main|master|trunk|develop|build|ci|rev|patch|hotfix|security)$/;
const plainNumber = /^\d+(?:\.\d+)*$/;
const largest = BigInt(Number.MAX_SAFE_INTEGER);

/** Reads a tag by the rule. Returns undefined for a tag that is no version. */
export function readByOracle(tag: string): OracleVersion | undefined {
  if (isCommit(tag)) return undefined;
  if (tag.length > 128 || /[^0-9A-Za-z_.-]/.test(tag)) return undefined;
  const parts = /^(?<prefix>version-|release-|[vV])?(?<numbers>\d+(?:\.\d+){0,5})(?<suffix>(?!\d).*)$/.exec(
    tag,
  )?.groups;
  if (parts === undefined) return undefined;
  const { prefix = "", numbers: digits = "", suffix = "" } = parts;
  const numbers = digits.split(".").map(BigInt);
  if (numbers.some((number) => number > largest)) return undefined;
  const read = readSuffix(suffix);
  const isBare = prefix === "" && suffix === "" && numbers.length === 1;
  return read === undefined ? undefined : { prefix, numbers, isBare, suffix, ...read };
}

type ReadSuffix = Pick<OracleVersion, "prerelease" | "pieces">;

function readSuffix(suffix: string): ReadSuffix | undefined {
  if (suffix === "") return { prerelease: [], pieces: [] };
  // A separator, or a dot before a word, or nothing before a word.
  const [, separator = "", rest = ""] = /^([-_]|\.(?=[A-Za-z][0-9A-Za-z]))?([0-9A-Za-z].*)$/.exec(suffix) ?? [];
  if (rest === "") return undefined;
  const python = separator === "" ? /^(?<word>[ab])(?<number>\d+)(?=[-_]|$)/.exec(rest) : null;
  if (python?.groups !== undefined) {
    const { word = "", number = "" } = python.groups;
    return behindPrerelease([word === "a" ? "alpha" : "beta", BigInt(number)], rest.slice(python[0].length));
  }
  const word = prereleaseWord.exec(rest)?.[0];
  if (word !== undefined) {
    const identified = readPrerelease(word, rest.slice(word.length));
    if (identified !== "flavour") return identified;
  }
  const pieces = readPieces(separator, rest);
  return separator === "" && pieces[0]?.kind !== "counter" ? undefined : { prerelease: [], pieces };
}

function readPrerelease(word: string, behind: string): ReadSuffix | undefined | "flavour" {
  const first = word.toLowerCase();
  const dotted = /^(?<number>\d*)\.(?<identifiers>[^-_]*)(?<rest>.*)$/.exec(behind)?.groups;
  if (dotted !== undefined) {
    const identifiers = (dotted["identifiers"] ?? "").split(".");
    if (identifiers.includes("")) return undefined;
    const number = dotted["number"] === "" ? [] : [BigInt(dotted["number"] ?? "")];
    const all = [first, ...number, ...identifiers.map((text) => (/^\d+$/.test(text) ? BigInt(text) : text))];
    return behindPrerelease(all, dotted["rest"] ?? "");
  }
  const attached = /^(\d+)(?=[-_]|$)(.*)$/.exec(behind) ?? /^[-_](\d+)(?=[-_]|$)(.*)$/.exec(behind);
  if (attached !== null) return behindPrerelease([first, BigInt(attached[1] ?? "")], attached[2] ?? "");
  return behind === "" || /^[-_]/.test(behind) ? behindPrerelease([first], behind) : "flavour";
}

function behindPrerelease(prerelease: readonly Identifier[], rest: string): ReadSuffix | undefined {
  if (prerelease.some((identifier) => typeof identifier === "bigint" && identifier > largest)) return undefined;
  if (rest === "") return { prerelease, pieces: [] };
  if (!/^[-_][0-9A-Za-z]/.test(rest)) return undefined;
  return { prerelease, pieces: readPieces(rest.slice(0, 1), rest.slice(1)) };
}

function readPieces(firstSeparator: string, rest: string): readonly Piece[] {
  const texts = rest.split(/[-_]/);
  const separators = [firstSeparator, ...(rest.match(/[-_]/g) ?? [])];
  const pieces: Piece[] = [];
  for (const [index, text] of texts.entries()) {
    const separator = separators[index] ?? "";
    const before = pieces.at(-1);
    const isBehindBranch = before?.kind === "flavour" && branch.test(before.text);
    const numbers = (text.match(/\d+/g) ?? []).map(BigInt);
    if (isBehindBranch && (plainNumber.test(text) || dateOrTime.test(text))) {
      pieces.pop();
      const word = `${before.text}${separator}${text.includes("T") ? "#T#" : "#"}`;
      pieces.push({ separator: before.separator, kind: "counter", word, numbers, branch: before.text });
    } else if (plainNumber.test(text) && (before === undefined || before.kind === "counter")) {
      pieces.push({ separator, kind: "counter", word: "#", numbers });
    } else if (countingWord.test(text) || wordAndNumber.test(text)) {
      // Digits inside the word, as in k3s1, are part of the word.
      const number = /\d+$/.exec(text)?.[0] ?? "";
      const word = `${text.slice(0, -number.length)}#`;
      pieces.push({ separator, kind: "counter", word, numbers: [BigInt(number)] });
    } else if (ubuntuRevision.test(text)) {
      pieces.push({ separator, kind: "counter", word: "#ubuntu#", numbers });
    } else if (dateOrTime.test(text)) {
      pieces.push({ separator, kind: "counter", word: text.includes("T") ? "#T#" : "#", numbers });
    } else if (isCommit(text)) pieces.push({ separator, kind: "commit" });
    else pieces.push({ separator, kind: "flavour", text });
  }
  return pieces;
}

function isCommit(text: string): boolean {
  const isHex = /^[0-9a-f]{7,40}$/.test(text) && /[a-f]/.test(text) && /\d/.test(text);
  return isHex || /^g[0-9a-f]{7,40}$/.test(text);
}

/** The parts that candidates of `flavour` share, as one text. */
export function shapeByOracle({ pieces }: OracleVersion): string {
  return textOf(pieces);
}

/** The parts that candidates of `revision` share, as one text: all but the counters. */
export function flavourByOracle({ pieces }: OracleVersion): string {
  return textOf(pieces.filter(({ kind }) => kind !== "counter"));
}

/** A dash in front says the same as nothing: `1.2.3p1` and `1.2.3-p1`. */
function textOf(pieces: readonly Piece[]): string {
  return pieces
    .map((piece) => {
      if (piece.kind === "commit") return `${piece.separator}@`;
      return piece.separator + (piece.kind === "counter" ? piece.word : piece.text);
    })
    .join("")
    .replace(/^-/, "");
}

/** The counters with their words, in their order. */
export function formsByOracle({ pieces }: OracleVersion): readonly string[] {
  return pieces.flatMap((piece) => (piece.kind === "counter" ? [piece.word] : []));
}

/** The numbers of the counters, in their order. */
export function countersByOracle({ pieces }: OracleVersion): readonly bigint[] {
  return pieces.flatMap((piece) => (piece.kind === "counter" ? piece.numbers : []));
}

/** Compares two lists of numbers. A missing number is the lowest. */
export function compareNumberLists(one: readonly bigint[], other: readonly bigint[]): number {
  for (let index = 0; index < Math.max(one.length, other.length); index++) {
    const [left, right] = [one[index] ?? -1n, other[index] ?? -1n];
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}

/** Compares two pre-releases as https://semver.org/#spec-item-11 says. */
export function compareIdentifierLists(one: readonly Identifier[], other: readonly Identifier[]): number {
  if (one.length === 0 || other.length === 0) return Math.sign(other.length - one.length);
  for (let index = 0; index < Math.max(one.length, other.length); index++) {
    const [left, right] = [one[index], other[index]];
    if (left === right) continue;
    if (left === undefined) return -1;
    if (right === undefined) return 1;
    if (typeof left !== typeof right) return typeof left === "bigint" ? -1 : 1;
    return left < right ? -1 : 1;
  }
  return 0;
}

/** Compares by the numbers, where a missing number is 0, then the pre-releases, then the counters. */
export function compareByOracle(one: OracleVersion, other: OracleVersion): number {
  const sixOf = ({ numbers }: OracleVersion): readonly bigint[] => [...numbers, 0n, 0n, 0n, 0n, 0n].slice(0, 6);
  return (
    compareNumberLists(sixOf(one), sixOf(other)) ||
    compareIdentifierLists(one.prerelease, other.prerelease) ||
    compareNumberLists(countersByOracle(one), countersByOracle(other))
  );
}
