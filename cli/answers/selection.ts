import { selectImage } from "#domain/policy/image-selection";
import type { CandidateTag, CurrentImage, RejectedTag, SelectionRule } from "#domain/policy/policy";
import { hasPattern, readRule, type RuleProblem, type WrittenRule } from "#domain/policy/rule-text";
import type { CompilePattern } from "#domain/policy/tag-pattern";
import type { Reason } from "#domain/shared/reasons";
import type { Result } from "#domain/shared/result";

/** The answer of `lookout policy elect`. */
export type ElectAnswer = { readonly ok: true; readonly rejected: readonly RejectedTag[] } & (
  | {
      readonly outcome: "elected" | "unchanged";
      readonly tag: string;
      readonly digest: string | null;
      readonly extracted: string | null;
      readonly attributes: Readonly<Record<string, string>>;
    }
  | { readonly outcome: "none"; readonly reason: Reason }
);

/** Parses a rule. Loads the pattern engine only for a rule with a pattern. */
export async function readWrittenRule(written: WrittenRule): Promise<Result<SelectionRule, RuleProblem>> {
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
): ElectAnswer {
  const { selection, rejected } = selectImage(rule, current, tags);
  if (selection.kind === "none") return { ok: true, outcome: "none", reason: selection.reason, rejected };
  const { kind, tag, digest = null, extracted = null, attributes } = selection;
  // The JSON keeps the word "elected", because scripts depend on it.
  const outcome = kind === "selected" ? "elected" : kind;
  return { ok: true, outcome, tag, digest, extracted, attributes, rejected };
}
