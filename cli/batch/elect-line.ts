import { ElectLineSchema, readLine } from "#contracts/batch/lines";
import { selectImage } from "#domain/policy/image-selection";
import { descriptorDigestForm, isDescriptorDigest, isTag, tagForm } from "#domain/image/grammar";
import { digestOf, nameOf } from "#domain/policy/candidate-tag";
import type { CompilePattern } from "#domain/policy/tag-pattern";
import { hasPattern, readRule, type RuleProblem, type WrittenRule } from "#domain/policy/rule-text";
import type { Reason } from "#domain/shared/reasons";
import type { Result } from "#domain/shared/result";
import { shortened } from "#domain/shared/shown-text";
import { compareTexts } from "#domain/shared/text-order";
import type { CandidateTag, CurrentImage, SelectionRule, RejectedTag } from "#domain/policy/policy";
import { badLineRefusal, type LineAnswer, type LineRefusal, refusal } from "./lines.ts";

/** The answer of `lookout policy elect`. */
export type ElectAnswer = { readonly ok: true; readonly rejected?: readonly RejectedTag[] } & (
  | {
      readonly outcome: "elected" | "unchanged";
      readonly tag: string;
      readonly digest: string | null;
      readonly extracted: string | null;
      readonly attributes: Readonly<Record<string, string>>;
    }
  | { readonly outcome: "none"; readonly reason: Reason }
);

type ReadRule = Result<SelectionRule, RuleProblem>;

/**
 * The maximum number of parsed rules in the cache. The lines of a batch repeat a few rules, and
 * parsing a rule is slower than selecting a tag.
 */
const mostRules = 1_000;

/** Returns a function that answers lines of `lookout policy elect --batch`. */
export function electLineAnswerer(): (line: string) => LineAnswer | Promise<LineAnswer> {
  const rules = new Map<string, ReadRule>();
  return (line) => {
    const read = readLine(ElectLineSchema, line);
    if (!read.ok) return badLineRefusal(read.problem);
    const { tags, current, explain = false, ...written } = read.value;
    const refused = misnamedImage(current ?? {}, tags);
    if (refused !== undefined) return refused;
    const answer = (rule: ReadRule): LineAnswer =>
      rule.ok ? byTag(electAnswer(rule.value, current ?? undefined, tags, explain)) : refusal(rule.problem);
    const key = JSON.stringify(written);
    const known = rules.get(key);
    if (known !== undefined) return answer(known);
    return readWrittenRule(written).then((rule) => {
      if (rules.size >= mostRules) rules.clear();
      rules.set(key, rule);
      return answer(rule);
    });
  };
}

/**
 * Returns the answer with its rejected tags sorted, so that the order of the input has no effect.
 */
function byTag({ rejected, ...answer }: ElectAnswer): ElectAnswer {
  if (rejected === undefined) return answer;
  return { ...answer, rejected: rejected.toSorted((one, other) => compareTexts(one.tag, other.tag)) };
}

/**
 * Returns the refusal of a line whose running image has an invalid tag or digest, else undefined.
 */
function misnamedImage({ tag, digest }: CurrentImage, tags: readonly CandidateTag[]): LineRefusal | undefined {
  if (tag !== undefined && !isTag(tag)) return misnamed("tag", "current", tag);
  if (digest !== undefined && !isDescriptorDigest(digest)) return misnamed("digest", "current", digest);
  const index = tags.findIndex((candidate) => nameOf(candidate) === tag && hasInvalidDigest(candidate));
  const candidate = tags[index];
  return candidate === undefined ? undefined : misnamed("digest", `tags[${index}]`, digestOf(candidate) ?? "");
}

/** Returns whether a tag has an invalid digest. */
function hasInvalidDigest(tag: CandidateTag): boolean {
  const digest = digestOf(tag);
  return digest !== undefined && !isDescriptorDigest(digest);
}

/** Returns one rejection for each tag that the list contains only with invalid digests. */
function withoutDigest(misnamed: readonly CandidateTag[], usable: readonly CandidateTag[]): readonly RejectedTag[] {
  const names = new Set(misnamed.map(nameOf)).difference(new Set(usable.map(nameOf)));
  return [...names].map((tag) => ({ tag, reason: "not-a-digest" }));
}

/**
 * The forms of a tag and a digest. Any hash algorithm is accepted, because a selection only
 * compares digests.
 */
const forms = { tag: tagForm, digest: descriptorDigestForm };

function misnamed(part: keyof typeof forms, place: string, text: string): LineRefusal {
  const message = `${place}.${part}: "${shortened(text, 100)}": not a ${part} (expected ${forms[part]})`;
  return refusal({ code: `${part}-invalid`, message });
}

/** Parses a rule. Loads the pattern engine only for a rule with a pattern. */
export async function readWrittenRule(written: WrittenRule): Promise<ReadRule> {
  if (!hasPattern(written)) return readRule(written, noEngine);
  const { loadPatternCompiler } = await import("#runtime/patterns");
  return readRule(written, await loadPatternCompiler());
}

const noEngine: CompilePattern = (text) => {
  throw new Error(`the pattern "${text}" needs the pattern engine, which is not loaded`);
};

/** Selects a tag with the same function as an evaluation. */
export function electAnswer(
  rule: SelectionRule,
  current: CurrentImage | undefined,
  tags: readonly CandidateTag[],
  explain: boolean,
): ElectAnswer {
  const { usable = [], misnamed: others = [] } = Object.groupBy(tags, (tag) =>
    hasInvalidDigest(tag) ? "misnamed" : "usable",
  );
  const { selection, rejected } = selectImage(rule, current, usable);
  const why = explain ? { rejected: [...rejected, ...withoutDigest(others, usable)] } : {};
  if (selection.kind === "none") return { ok: true, outcome: "none", reason: selection.reason, ...why };
  const { kind, tag, digest = null, extracted = null, attributes } = selection;
  // The batch format keeps the word "elected" for scripts (docs/glossary.md).
  const outcome = kind === "selected" ? "elected" : kind;
  return { ok: true, outcome, tag, digest, extracted, attributes, ...why };
}
