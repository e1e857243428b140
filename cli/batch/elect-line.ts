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

/** What a selection comes to. */
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

/** Rules that are kept: a batch asks the same few again and again, and to read one takes longer than to select. */
const mostRules = 1_000;

/** Answers lines of `lookout policy elect --batch`. */
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

/** The same line for the same tags, in whatever order they come. */
function byTag({ rejected, ...answer }: ElectAnswer): ElectAnswer {
  if (rejected === undefined) return answer;
  return { ...answer, rejected: rejected.toSorted((one, other) => compareTexts(one.tag, other.tag)) };
}

/** What no registry has is nothing to set others against, neither what runs nor what its tag names now. Of other tags it is only rejected. */
function misnamedImage({ tag, digest }: CurrentImage, tags: readonly CandidateTag[]): LineRefusal | undefined {
  if (tag !== undefined && !isTag(tag)) return misnamed("tag", "current", tag);
  if (digest !== undefined && !isDescriptorDigest(digest)) return misnamed("digest", "current", digest);
  const index = tags.findIndex((candidate) => nameOf(candidate) === tag && hasNoDigest(candidate));
  const candidate = tags[index];
  return candidate === undefined ? undefined : misnamed("digest", `tags[${index}]`, digestOf(candidate) ?? "");
}

/** Whether what is given for the digest of a tag is none. */
function hasNoDigest(tag: CandidateTag): boolean {
  const digest = digestOf(tag);
  return digest !== undefined && !isDescriptorDigest(digest);
}

/** Each tag once, and none that stands among the others too. */
function withoutDigest(misnamed: readonly CandidateTag[], usable: readonly CandidateTag[]): readonly RejectedTag[] {
  const names = new Set(misnamed.map(nameOf)).difference(new Set(usable.map(nameOf)));
  return [...names].map((tag) => ({ tag, reason: "not-a-digest" }));
}

/** A selection compares digests, and fetches none: those of any algorithm will do. */
const forms = { tag: tagForm, digest: descriptorDigestForm };

function misnamed(part: keyof typeof forms, place: string, text: string): LineRefusal {
  const message = `${place}.${part}: "${shortened(text, 100)}": not a ${part} (expected ${forms[part]})`;
  return refusal({ code: `${part}-invalid`, message });
}

/** Reads a rule; the engine of patterns is loaded for a rule that has one. */
export async function readWrittenRule(written: WrittenRule): Promise<ReadRule> {
  if (!hasPattern(written)) return readRule(written, noEngine);
  const { loadPatternCompiler } = await import("#runtime/patterns");
  return readRule(written, await loadPatternCompiler());
}

const noEngine: CompilePattern = (text) => {
  throw new Error(`the pattern "${text}" has no engine`);
};

/** Selects, by the very functions that decide on updates. */
export function electAnswer(
  rule: SelectionRule,
  current: CurrentImage | undefined,
  tags: readonly CandidateTag[],
  explain: boolean,
): ElectAnswer {
  const { usable = [], misnamed: others = [] } = Object.groupBy(tags, (tag) =>
    hasNoDigest(tag) ? "misnamed" : "usable",
  );
  const { selection, rejected } = selectImage(rule, current, usable);
  const why = explain ? { rejected: [...rejected, ...withoutDigest(others, usable)] } : {};
  if (selection.kind === "none") return { ok: true, outcome: "none", reason: selection.reason, ...why };
  const { kind, tag, digest = null, extracted = null, attributes } = selection;
  return { ok: true, outcome: kind, tag, digest, extracted, attributes, ...why };
}
