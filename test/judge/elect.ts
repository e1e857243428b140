import * as z from "zod";
import { type Refusal, refusal } from "#cli/answers/refusal";
import { electAnswer, readWrittenRule } from "#cli/answers/selection";
import { descriptorDigestForm, isDescriptorDigest, isTag, tagForm } from "#domain/image/grammar";
import { digestOf, nameOf } from "#domain/policy/candidate-tag";
import type { CandidateTag, CurrentImage, RejectedTag } from "#domain/policy/policy";
import { shortened } from "#domain/shared/shown-text";
import { compareTexts } from "#domain/shared/text-order";
import { suffixRules } from "#domain/version/suffix";
import { type AnswerLine, badLineRefusal, instant, judge, type LineAnswer, readLine } from "./lines.ts";

const order = z.enum(["asc", "desc"]).exactOptional();

/** The limits of the policies that compare versions. */
const versions = {
  range: z.string().exactOptional(),
  allowPrerelease: z.boolean().exactOptional(),
  suffixes: z.enum(suffixRules).exactOptional(),
};

const PolicySchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("semver"), ...versions }),
  z.strictObject({ kind: z.literal("latest") }),
  z.strictObject({ kind: z.literal("digest") }),
  z.strictObject({ kind: z.literal("regex"), pattern: z.string() }),
  z.strictObject({ kind: z.literal("alphabetical"), order }),
  z.strictObject({ kind: z.literal("numerical"), order }),
  z.strictObject({ kind: z.literal("pinned"), ...versions }),
]);

const FilterSchema = z.strictObject({
  pattern: z.string().exactOptional(),
  extract: z.string().exactOptional(),
  include: z.array(z.string()).exactOptional(),
  exclude: z.array(z.string()).exactOptional(),
});

const TagSchema = z.strictObject({
  name: z.string(),
  digest: z.string().exactOptional(),
  movedAt: instant.exactOptional(),
});

/** A misspelt limit would limit nothing, so unknown members are rejected. */
const ElectLineSchema = z.strictObject({
  policy: PolicySchema,
  filter: FilterSchema.exactOptional(),
  current: z.strictObject({ tag: z.string(), digest: z.string().exactOptional() }).nullish(),
  allowDowngrade: z.boolean().exactOptional(),
  tags: z.array(z.union([z.string(), TagSchema], "expected a text, or an object with name, digest and movedAt")),
  explain: z.boolean().exactOptional(),
});
type ElectLine = z.output<typeof ElectLineSchema>;
type ReadRule = Awaited<ReturnType<typeof readWrittenRule>>;

/**
 * The maximum number of parsed rules in the cache. Lines repeat a few rules, and parsing a rule is
 * slower than selecting a tag.
 */
const mostRules = 1_000;

/** Returns a function that answers `{"policy":{…},"tags":[…]}` with the selected tag. */
export function electLineAnswerer(): AnswerLine {
  const rules = new Map<string, ReadRule>();
  return (line) => {
    const read = readLine(ElectLineSchema, line);
    if (!read.ok) return badLineRefusal(read.problem);
    const { tags, current, explain: _, ...written } = read.value;
    const refused = misnamedImage(current ?? {}, tags);
    if (refused !== undefined) return refused;
    const key = JSON.stringify(written);
    const known = rules.get(key);
    if (known !== undefined) return answerBy(known, read.value);
    return readWrittenRule(written).then((rule) => {
      if (rules.size >= mostRules) rules.clear();
      rules.set(key, rule);
      return answerBy(rule, read.value);
    });
  };
}

/**
 * Returns the answer by a rule. Its rejected tags are sorted, so that the order of the input has no
 * effect.
 */
function answerBy(rule: ReadRule, { tags, current, explain = false }: ElectLine): LineAnswer {
  if (!rule.ok) return refusal(rule.problem);
  const { usable = [], misnamed: others = [] } = Object.groupBy(tags, (tag) =>
    hasInvalidDigest(tag) ? "misnamed" : "usable",
  );
  const { rejected, ...answer } = electAnswer(rule.value, current ?? undefined, usable);
  if (!explain) return answer;
  const all = [...rejected, ...withoutDigest(others, usable)];
  const explained = { ...answer, rejected: all.toSorted((one, other) => compareTexts(one.tag, other.tag)) };
  return explained;
}

/** Returns one rejection for each tag that the list contains only with invalid digests. */
function withoutDigest(misnamed: readonly CandidateTag[], usable: readonly CandidateTag[]): readonly RejectedTag[] {
  const names = new Set(misnamed.map(nameOf)).difference(new Set(usable.map(nameOf)));
  return [...names].map((tag) => ({ tag, reason: "not-a-digest" }));
}

/**
 * Returns the refusal of a line whose running image has an invalid tag or digest, else undefined.
 */
function misnamedImage({ tag, digest }: CurrentImage, tags: readonly CandidateTag[]): Refusal | undefined {
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

/**
 * The forms of a tag and a digest. Any hash algorithm is accepted, because a selection only
 * compares digests.
 */
const forms = { tag: tagForm, digest: descriptorDigestForm };

function misnamed(part: keyof typeof forms, place: string, text: string): Refusal {
  const message = `${place}.${part}: "${shortened(text, 100)}": not a ${part} (expected ${forms[part]})`;
  return refusal({ code: `${part}-invalid`, message });
}

if (import.meta.main) await judge(electLineAnswerer());
