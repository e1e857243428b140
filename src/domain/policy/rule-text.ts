import { ok, problem, type Result } from "../shared/result.ts";
import type { SelectionRule, TagPolicy } from "./policy.ts";
import { parseRange, type RangeProblem } from "../version/range.ts";
import { type ExtractProblem, type ExtractTemplate, parseTemplate } from "./extract-template.ts";
import { noFilter, type TagFilter } from "./tag-filter.ts";
import { type GlobProblem, parseGlob, type TagGlob } from "./tag-glob.ts";
import type { CompilePattern, PatternProblem, TagMatcher } from "./tag-pattern.ts";

/** A rule as people write it, in texts. */
export interface WrittenRule {
  readonly policy:
    | {
        readonly kind: "semver";
        readonly range?: string | undefined;
        /** False where it is missing. */
        readonly allowPrerelease?: boolean | undefined;
      }
    | { readonly kind: "latest" | "digest" }
    | { readonly kind: "regex"; readonly pattern: string }
    /** `asc` where it is missing: what sorts last wins. */
    | { readonly kind: "alphabetical" | "numerical"; readonly order?: "asc" | "desc" | undefined };
  readonly filter?: WrittenFilter | undefined;
  /** False where it is missing. */
  readonly allowDowngrade?: boolean | undefined;
}

/** Which tags are candidates, as people write it. */
export interface WrittenFilter {
  readonly pattern?: string | undefined;
  readonly extract?: string | undefined;
  readonly include?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
}

/** Why a rule can't be read: the first text that is wrong. */
export type RuleProblem = RangeProblem | PatternProblem | ExtractProblem | GlobProblem;

/** Whether {@link readRule} will compile a pattern. */
export function hasPattern({ policy, filter }: WrittenRule): boolean {
  return policy.kind === "regex" || filter?.pattern !== undefined;
}

/** Reads a rule. What can't be read is a problem, and never no constraint. */
export function readRule(written: WrittenRule, compile: CompilePattern): Result<SelectionRule, RuleProblem> {
  const policy = readPolicy(written.policy, compile);
  if (!policy.ok) return policy;
  const filter = readFilter(written.filter ?? {}, policy.value, compile);
  if (!filter.ok) return filter;
  return ok({ policy: policy.value, filter: filter.value, allowDowngrade: written.allowDowngrade ?? false });
}

function readPolicy(written: WrittenRule["policy"], compile: CompilePattern): Result<TagPolicy, RuleProblem> {
  switch (written.kind) {
    case "semver": {
      const { kind, allowPrerelease = false } = written;
      if (written.range === undefined) return ok({ kind, allowPrerelease });
      const range = parseRange(written.range);
      return range.ok ? ok({ kind, allowPrerelease, range: range.value }) : range;
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
 * Reads what of a candidate is compared.
 *
 * @param filling - the pattern whose groups fill it; "unread": there is one that can't be read. Undefined: there is none.
 */
export function readExtract(
  text: string,
  filling: TagMatcher | "unread" | undefined,
): Result<ExtractTemplate, ExtractProblem> {
  if (filling === "unread") return parseTemplate(text);
  if (filling !== undefined) return parseTemplate(text, filling.groupNames);
  const message = `"${text}": not a template (there is no pattern whose groups could fill it)`;
  return problem({ code: "extract-invalid", message });
}

/** A list that names nothing would take any tag, or none: a slip. */
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

/** Writes a rule as {@link readRule} reads it; a rule of annotations has one pattern at most. */
export function writeRule({ policy, filter, allowDowngrade }: SelectionRule): WrittenRule {
  return { policy: writePolicy(policy), filter: writeFilter(filter ?? noFilter), allowDowngrade };
}

function writePolicy(policy: TagPolicy): WrittenRule["policy"] {
  switch (policy.kind) {
    case "semver": {
      const { kind, allowPrerelease, range } = policy;
      return range === undefined ? { kind, allowPrerelease } : { kind, range: range.text, allowPrerelease };
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
