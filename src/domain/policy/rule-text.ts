import { ok, problem, type Result } from "../shared/result.ts";
import type { SelectionRule, TagPolicy } from "./policy.ts";
import { parseRange, type RangeProblem } from "../version/range.ts";
import type { SuffixRule } from "../version/suffix.ts";
import { type ExtractProblem, type ExtractTemplate, parseTemplate } from "./extract-template.ts";
import { noFilter, type TagFilter } from "./tag-filter.ts";
import { type GlobProblem, parseGlob, type TagGlob } from "./tag-glob.ts";
import type { CompilePattern, PatternProblem, TagMatcher } from "./tag-pattern.ts";

/** A rule as users write it. */
export interface WrittenRule {
  readonly policy:
    | {
        readonly kind: "semver" | "pinned";
        readonly range?: string | undefined;
        /** True if pre-releases may be selected. The default is false. */
        readonly allowPrerelease?: boolean | undefined;
        /** The default is `flavour`, or `semver` for a range that names `-0`. */
        readonly suffixes?: SuffixRule | undefined;
      }
    | { readonly kind: "latest" | "digest" }
    | { readonly kind: "regex"; readonly pattern: string }
    /** The order of values. The default is `asc`, so that the last value wins. */
    | { readonly kind: "alphabetical" | "numerical"; readonly order?: "asc" | "desc" | undefined };
  readonly filter?: WrittenFilter | undefined;
  /** True if lower or older tags may be selected. The default is false. */
  readonly allowDowngrade?: boolean | undefined;
}

/** The filters of a rule, as users write them. */
export interface WrittenFilter {
  readonly pattern?: string | undefined;
  readonly extract?: string | undefined;
  readonly include?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
}

/** The problem of a rule: its first invalid text. */
export type RuleProblem = RangeProblem | PatternProblem | ExtractProblem | GlobProblem;

/** Returns whether {@link readRule} will compile a pattern. */
export function hasPattern({ policy, filter }: WrittenRule): boolean {
  return policy.kind === "regex" || filter?.pattern !== undefined;
}

/** Parses a rule. Invalid text is a problem, and never removes a limit. */
export function readRule(written: WrittenRule, compile: CompilePattern): Result<SelectionRule, RuleProblem> {
  const policy = readPolicy(written.policy, compile);
  if (!policy.ok) return policy;
  const filter = readFilter(written.filter ?? {}, policy.value, compile);
  if (!filter.ok) return filter;
  return ok({ policy: policy.value, filter: filter.value, allowDowngrade: written.allowDowngrade ?? false });
}

function readPolicy(written: WrittenRule["policy"], compile: CompilePattern): Result<TagPolicy, RuleProblem> {
  switch (written.kind) {
    case "semver":
    case "pinned": {
      const { kind, allowPrerelease = false, suffixes } = written;
      const rule = { kind, allowPrerelease, ...(suffixes && { suffixes }) };
      if (written.range === undefined) return ok(rule);
      const range = parseRange(written.range);
      return range.ok ? ok({ ...rule, range: range.value }) : range;
    }
    case "regex": {
      const pattern = compile(written.pattern);
      return pattern.ok ? ok({ kind: written.kind, pattern: pattern.value }) : pattern;
    }
    case "alphabetical":
    case "numerical":
      return ok({ kind: written.kind, order: written.order ?? "asc" });
    case "latest":
    case "digest":
      return ok({ kind: written.kind });
  }
}

function readFilter(
  written: WrittenFilter,
  policy: TagPolicy,
  compile: CompilePattern,
): Result<TagFilter, RuleProblem> {
  const include = readIncluded(written.include);
  if (!include.ok) return include;
  const exclude = readAll(written.exclude ?? []);
  if (!exclude.ok) return exclude;
  const pattern = written.pattern === undefined ? undefined : compile(written.pattern);
  if (pattern?.ok === false) return pattern;
  const filter = {
    include: include.value,
    exclude: exclude.value,
    patterns: pattern === undefined ? [] : [pattern.value],
  };
  if (written.extract === undefined) return ok(filter);
  const [filling] = [...filter.patterns, ...(policy.kind === "regex" ? [policy.pattern] : [])];
  const extract = readExtract(written.extract, filling);
  return extract.ok ? ok({ ...filter, extract: extract.value }) : extract;
}

/**
 * Parses the template of a rule.
 *
 * @param filling - the pattern whose groups fill the template. "unread": the pattern is invalid.
 *   Undefined if there is no pattern.
 */
export function readExtract(
  text: string,
  filling: TagMatcher | "unread" | undefined,
): Result<ExtractTemplate, ExtractProblem> {
  if (filling === "unread") return parseTemplate(text);
  if (filling !== undefined) return parseTemplate(text, filling.groupNames);
  const message = `"${text}": not a template (a template needs a pattern with groups)`;
  return problem({ code: "extract-invalid", message });
}

/** Parses the included globs. An empty list is a problem, because it is probably a mistake. */
function readIncluded(globs: readonly string[] | undefined): Result<readonly TagGlob[], GlobProblem> {
  if (globs?.length !== 0) return readAll(globs ?? []);
  return problem({ code: "glob-invalid", message: "include: not a list of globs (empty; * matches any tag)" });
}

function readAll(globs: readonly string[]): Result<readonly TagGlob[], GlobProblem> {
  const read: TagGlob[] = [];
  for (const text of globs) {
    const glob = parseGlob(text);
    if (!glob.ok) return glob;
    read.push(glob.value);
  }
  return ok(read);
}

/**
 * Returns a rule in the form that {@link readRule} reads. A rule from annotations has at most one
 * pattern.
 */
export function writeRule({ policy, filter, allowDowngrade }: SelectionRule): WrittenRule {
  return { policy: writePolicy(policy), filter: writeFilter(filter ?? noFilter), allowDowngrade };
}

function writePolicy(policy: TagPolicy): WrittenRule["policy"] {
  switch (policy.kind) {
    case "semver":
    case "pinned": {
      const { kind, allowPrerelease, range, suffixes } = policy;
      return { kind, ...(range && { range: range.text }), allowPrerelease, ...(suffixes && { suffixes }) };
    }
    case "regex":
      return { kind: policy.kind, pattern: policy.pattern.text };
    case "alphabetical":
    case "numerical":
      return { kind: policy.kind, order: policy.order };
    case "latest":
    case "digest":
      return { kind: policy.kind };
  }
}

function writeFilter({ include, exclude, patterns: [pattern], extract }: TagFilter): WrittenFilter {
  return {
    ...(pattern && { pattern: pattern.text }),
    ...(extract && { extract: extract.text }),
    ...(include.length > 0 && { include: include.map(({ text }) => text) }),
    ...(exclude.length > 0 && { exclude: exclude.map(({ text }) => text) }),
  };
}
