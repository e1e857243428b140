import type { ExtractTemplate } from "../policy/extract-template.ts";
import { parseGlob, type TagGlob } from "../policy/tag-glob.ts";
import { isOpen, type TagFilter } from "../policy/tag-filter.ts";
import { type CompilePattern, matchesNothing, type TagMatcher } from "../policy/tag-pattern.ts";
import type { KeptPart } from "../policy/semver.ts";
import { readExtract } from "../policy/rule-text.ts";
import { ok, problem, type Result } from "../shared/result.ts";
import { listed, mapProblem, oneOf, readBoolean, type ReadValue } from "../annotations/setting-values.ts";
import type { TagPolicy } from "../policy/policy.ts";
import { servicePolicy } from "../definitions/declared-settings.ts";
import { isEmptyRange, parseRange, type VersionRange } from "../version/range.ts";
import { type SuffixRule, suffixRules } from "../version/suffix.ts";

/** The policy of a container, from its annotations. */
export interface PolicySettings {
  readonly policy: TagPolicy;
  /** The filter of candidates, for any policy. Absent if every tag is a candidate. */
  readonly filter?: TagFilter;
  /** The whole rule as users write it: `semver >=1 <2, exclude *-debug`. */
  readonly policyText: string;
}

const kinds = ["semver", "latest", "digest", "regex", "alphabetical", "numerical", "pinned"] as const;
/** The policies that annotations may name. */
export type PolicyKind = (typeof kinds)[number];

/** The orders of the tags that match a `regex` pattern. */
const orders = ["newest", "alphabetical", "numerical"] as const;
type Order = (typeof orders)[number];

/** The setting that holds a pattern. */
export const patternSetting = "tag-pattern";

const readWord = oneOf([...kinds, servicePolicy]);

/** Parses the name of a policy. A container without a ServiceImage has no `service-image` either. */
export const readPolicyKind: ReadValue<PolicyKind> = (text) => {
  const read = readWord(text);
  if (!read.ok) return read;
  return read.value === servicePolicy ? problem(noService) : ok(read.value);
};

const noService =
  "no ServiceImage of the namespace names the image: apply one, which is read within a minute, or set definitions: true in lookout.yaml if it is missing there";

/** The source of a policy's limits. */
export interface PolicyScope {
  /**
   * Returns a setting of the container, or else of the workload, or undefined if the setting is
   * absent or invalid.
   */
  readonly read: <Value>(setting: string, parse: ReadValue<Value>) => Value | undefined;
  readonly kind: PolicyKind;
  /**
   * The part of the running version that stays, as `lookout.yaml` sets it for policies without a
   * range.
   */
  readonly keeps?: KeptPart;
  /** The way to read suffixes without an annotation, as `lookout.yaml` sets it. */
  readonly suffixes?: SuffixRule;
  /** True if an annotation names the policy. False if Lookout derives the policy from the image. */
  readonly isNamed: boolean;
  /**
   * Returns whether a setting applies to the policy. A container's own policy ignores the
   * workload's settings.
   */
  readonly isBeside: (setting: string) => boolean;
}

/**
 * Parses a policy and its limits.
 *
 * Parses each limit under every policy, so that no invalid or unused limit is ignored.
 *
 * @param compile - absent: no engine is available, and a pattern is a problem.
 */
export function readPolicySettings(scope: PolicyScope, compile: CompilePattern | undefined): PolicySettings {
  const { read, kind } = scope;
  const isRegex = kind === "regex";
  const { pattern, filling } = readPattern(read, compile, isRegex);
  if (isRegex && pattern === undefined)
    read("policy", () => problem(`regex needs a pattern: add lookout.dev/${patternSetting}`));
  const written: Written = {
    kind,
    keeps: scope.keeps,
    range: read("semver-range", underSemver(scope, "semver-range", readRange)),
    allowPrerelease: read("allow-prerelease", underSemver(scope, "allow-prerelease", readBoolean)) ?? false,
    suffixes: read("suffixes", underSemver(scope, "suffixes", oneOf(suffixRules))) ?? scope.suffixes,
    include: read("include-tags", readGlobs) ?? [],
    exclude: read("exclude-tags", readGlobs) ?? [],
    pattern,
    extract: read("filter-extract", (text) => mapProblem(readExtract(text, filling))),
    order: read("order", orderUnder(scope)) ?? "newest",
  };
  return { policy: policyOf(written), ...filterOf(written), policyText: textOf(written) };
}

/** The parsers of a policy's settings. */
export function policyReaders(compile: CompilePattern | undefined): readonly (readonly [string, ReadValue<unknown>])[] {
  return [
    // Under the policy service-image, a definition gives each container its own policy.
    ["policy", readWord],
    ["semver-range", readRange],
    ["allow-prerelease", readBoolean],
    ["suffixes", oneOf(suffixRules)],
    ["include-tags", readGlobs],
    ["exclude-tags", readGlobs],
    [patternSetting, compiledBy(compile)],
    ["filter-extract", (text) => mapProblem(readExtract(text, "unread"))],
    ["order", oneOf(orders)],
  ];
}

interface Written {
  readonly kind: PolicyKind;
  readonly keeps: KeptPart | undefined;
  readonly range: VersionRange | undefined;
  readonly allowPrerelease: boolean;
  readonly suffixes: SuffixRule | undefined;
  readonly include: readonly TagGlob[];
  readonly exclude: readonly TagGlob[];
  readonly pattern: TagMatcher | undefined;
  readonly extract: ExtractTemplate | undefined;
  readonly order: Order;
}

/**
 * Parses a pattern and the source of a template. In place of an invalid pattern, returns a pattern
 * that matches no tag.
 */
function readPattern(
  read: PolicyScope["read"],
  compile: CompilePattern | undefined,
  isRegex: boolean,
): { readonly pattern: TagMatcher | undefined; readonly filling: TagMatcher | "unread" | undefined } {
  const text = read(patternSetting, (written) => ok(written));
  if (text === undefined) return { pattern: undefined, filling: isRegex ? "unread" : undefined };
  const compiled = read(patternSetting, compiledBy(compile));
  return { pattern: compiled ?? matchesNothing(text), filling: compiled ?? "unread" };
}

function compiledBy(compile: CompilePattern | undefined): ReadValue<TagMatcher> {
  return (text) => (compile === undefined ? problem("patterns can't be compiled here") : mapProblem(compile(text)));
}

/**
 * Parses a range. An empty range is a problem, because it may come from a template without a value.
 */
const readRange: ReadValue<VersionRange> = (text) =>
  isEmptyRange(text) ? problem("not a range (empty; * matches any version)") : mapProblem(parseRange(text));

/**
 * Parses a setting that only policies about versions use. Under another policy, the setting is a
 * problem.
 */
function underSemver<Value>(scope: PolicyScope, setting: string, parse: ReadValue<Value>): ReadValue<Value> {
  return (text) => {
    const value = parse(text);
    const isUsed = comparesVersions(scope.kind) || !scope.isNamed || !scope.isBeside(setting);
    return !value.ok || isUsed ? value : goesWith("semver", scope);
  };
}

/** Parses the order. Under another policy than `regex`, only the policy's own order is valid. */
function orderUnder(scope: PolicyScope): ReadValue<Order> {
  const own = scope.kind === "latest" ? "newest" : scope.kind;
  return (text) => {
    const order = oneOf(orders)(text);
    if (!order.ok || scope.kind === "regex" || order.value === own) return order;
    return scope.isBeside("order") ? goesWith("regex", scope) : order;
  };
}

function comparesVersions(kind: PolicyKind): kind is "semver" | "pinned" {
  return kind === "semver" || kind === "pinned";
}

function goesWith(policy: PolicyKind, { kind }: PolicyScope): Result<never, string> {
  return problem(`needs the policy ${policy}, but the policy is ${kind}`);
}

function policyOf({ kind, keeps, range, allowPrerelease, suffixes, pattern, order }: Written): TagPolicy {
  switch (kind) {
    case "semver":
    case "pinned":
      return {
        kind,
        allowPrerelease,
        ...(range === undefined ? {} : { range }),
        ...(suffixes === undefined ? {} : { suffixes }),
        ...(keeps === undefined ? {} : { keeps }),
      };
    case "regex":
      return order === "newest" ? { kind, pattern: pattern ?? matchesNothing("") } : { kind: order, order: "asc" };
    case "alphabetical":
    case "numerical":
      return { kind, order: "asc" };
    case "latest":
    case "digest":
      return { kind };
  }
}

/** Returns the filter of a rule. The pattern of a `regex` policy is in the policy instead. */
function filterOf({ kind, include, exclude, pattern, extract, order }: Written): Pick<PolicySettings, "filter"> {
  const isPolicy = kind === "regex" && order === "newest";
  const patterns = pattern === undefined || isPolicy ? [] : [pattern];
  const filter = { include, exclude, patterns, ...(extract === undefined ? {} : { extract }) };
  return isOpen(filter) && extract === undefined ? {} : { filter };
}

/** The largest number of globs. Each glob is compared with every tag. */
const mostGlobs = 100;

/**
 * Parses globs, separated by commas. An empty list is a problem, because it is probably a mistake.
 */
function readGlobs(text: string): Result<readonly TagGlob[], string> {
  const globs: TagGlob[] = [];
  const texts = listed(text);
  if (texts.length > mostGlobs) return problem(`${texts.length} globs, and at most ${mostGlobs} are allowed`);
  for (const written of texts) {
    const glob = parseGlob(written);
    if (!glob.ok) return problem(glob.problem.message);
    globs.push(glob.value);
  }
  return globs.length === 0 ? problem("expected globs, separated by commas, such as *-debug,v1.*") : ok(globs);
}

/** Returns the text of a rule. Only `regex` has an order. */
function textOf({ kind, keeps, range, suffixes, pattern, extract, order, include, exclude }: Written): string {
  const isRegex = kind === "regex";
  const limit = isRegex ? pattern?.text : comparesVersions(kind) ? range?.text : undefined;
  return [
    limit === undefined ? kind : `${kind} ${limit}`,
    ...versionTexts(kind, keeps, suffixes),
    ...(isRegex || pattern === undefined ? [] : [`pattern ${pattern.text}`]),
    ...(extract === undefined ? [] : [`extract ${extract.text}`]),
    ...(isRegex && order !== "newest" ? [`order ${order}`] : []),
    ...globsText("include", include),
    ...globsText("exclude", exclude),
  ].join(", ");
}

function versionTexts(
  kind: PolicyKind,
  keeps: KeptPart | undefined,
  suffixes: SuffixRule | undefined,
): readonly string[] {
  if (!comparesVersions(kind)) return [];
  return [
    ...(keeps === undefined ? [] : [`same ${keeps}`]),
    ...(suffixes === undefined ? [] : [`suffixes ${suffixes}`]),
  ];
}

function globsText(word: string, globs: readonly TagGlob[]): readonly string[] {
  return globs.length === 0 ? [] : [`${word} ${globs.map(({ text }) => text).join(" ")}`];
}
