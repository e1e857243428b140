import type { Command } from "commander";
import { isTag, tagForm } from "#domain/image/grammar";
import type { WrittenRule } from "#domain/policy/rule-text";
import type { CandidateTag } from "#domain/policy/policy";
import { parseInstant } from "#domain/shared/time";
import { type SuffixRule, suffixRules } from "#domain/version/suffix";
import { electAnswer, readWrittenRule } from "../answers/selection.ts";
import { type AddVerb, choice, type Context, repeated, styleOf, withExamples, withOutput } from "../context.ts";
import { exitCodes, Failure } from "../failure.ts";
import { writeAnswer } from "../output.ts";
import { renderSelection } from "../render/selection.ts";

const kinds = ["semver", "latest", "digest", "regex", "alphabetical", "numerical", "pinned"] as const;

interface Flags {
  readonly policy: (typeof kinds)[number];
  readonly range?: string;
  readonly allowPrerelease?: boolean;
  readonly suffixes?: SuffixRule;
  readonly allowDowngrade?: boolean;
  readonly order?: "asc" | "desc";
  readonly pattern?: string;
  readonly extract?: string;
  readonly include?: readonly string[];
  readonly exclude?: readonly string[];
  readonly current?: string;
  readonly output: string;
}

/** `lookout policy elect` */
export const addPolicy: AddVerb = (program, context) => {
  const group = program.command("policy").description("try policies");
  const command: Command = group
    .command("elect")
    .description("try a policy on tags: selected tag and rejections; exit 1 without a selected tag")
    .argument("[tags...]", "TAG, or TAG=INSTANT with the time of the push")
    .addOption(choice("--policy <kind>", "the kind of policy", kinds).default(kinds[0]))
    .option("--range <range>", "the range of versions: >=1.4 <2")
    .option("--allow-prerelease", "accept pre-releases")
    .addOption(choice("--suffixes <rule>", "the way to read the suffixes of versions", suffixRules))
    .option("--allow-downgrade", "accept tags older than the running tag")
    .addOption(choice("--order <order>", "asc: the highest tag wins; desc: the lowest tag wins", ["asc", "desc"]))
    .option("--pattern <pattern>", "accept only tags that match (RE2)")
    .option("--extract <template>", "the part of a match to compare: $1, $name, ${name}")
    .option("--include <glob>", "accept only tags that match this glob; repeatable", repeated)
    .option("--exclude <glob>", "reject tags that match this glob; repeatable", repeated)
    .option("--current <tag>", "the running tag")
    .action((tags: readonly string[], flags: Flags) => select(context, tags, flags));
  withExamples(withOutput(command, ["table", "json", "yaml", "name"]), [
    ["lookout policy elect --range '>=1' --current 1.2.0 1.2.0 1.3.0", "select by a range of versions"],
    [
      "lookout policy elect --policy numerical --pattern '^main-(\\d+)' --extract '$1' main-9 main-10",
      "select by a number",
    ],
  ]);
};

async function select(context: Context, typed: readonly string[], flags: Flags): Promise<void> {
  const rule = await readWrittenRule(ruleOf(flags));
  if (!rule.ok) throw new Failure(exitCodes.wrongInput, `${rule.problem.message}.`);
  if (typed.length === 0 && flags.policy !== "digest")
    throw new Failure(exitCodes.wrongInput, "The tags are missing: add the tags to select from.");
  const current = flags.current === undefined ? undefined : { tag: flags.current };
  if (current !== undefined && !isTag(current.tag))
    throw new Failure(exitCodes.wrongInput, `--current: "${current.tag}" is not a tag.`, [`Expected: ${tagForm}`]);
  const answer = electAnswer(rule.value, current, typed.map(tagOf));
  await writeAnswer(context.world, flags.output, {
    value: answer,
    text: () => renderSelection(answer, flags.current, styleOf(context.world)),
    names: () => (answer.outcome === "none" ? [] : [answer.tag]),
  });
  if (answer.outcome === "none") context.setExitCode(exitCodes.notSo);
}

/**
 * Returns the rule of the flags. `--pattern` is the pattern of the policy `regex`. With another
 * policy, the filter uses the pattern.
 */
function ruleOf({ pattern, extract, include, exclude, allowDowngrade, ...flags }: Flags): WrittenRule {
  const filter = { pattern: flags.policy === "regex" ? undefined : pattern, extract, include, exclude };
  return { policy: policyOf(flags, pattern), filter, allowDowngrade };
}

function policyOf(
  {
    policy: kind,
    range,
    allowPrerelease,
    suffixes,
    order,
  }: Pick<Flags, "policy" | "range" | "allowPrerelease" | "suffixes" | "order">,
  pattern: string | undefined,
): WrittenRule["policy"] {
  const comparesVersions = kind === "semver" || kind === "pinned";
  refuseStray("--range", range, comparesVersions);
  refuseStray("--allow-prerelease", allowPrerelease, comparesVersions);
  refuseStray("--suffixes", suffixes, comparesVersions);
  refuseStray("--order", order, kind === "alphabetical" || kind === "numerical");
  switch (kind) {
    case "semver":
    case "pinned":
      return { kind, range, allowPrerelease, suffixes };
    case "regex":
      if (pattern === undefined) throw new Failure(exitCodes.wrongInput, "--policy regex needs a --pattern.");
      return { kind, pattern };
    case "alphabetical":
    case "numerical":
      return { kind, order };
    case "latest":
    case "digest":
      return { kind };
  }
}

function refuseStray(flag: string, value: unknown, isOfPolicy: boolean): void {
  if (value !== undefined && !isOfPolicy)
    throw new Failure(exitCodes.wrongInput, `${flag} has no effect on this policy: remove ${flag}.`);
}

/**
 * Returns the tag of an argument. The text after `=` is the time of the push, because a tag can't
 * contain `=`.
 */
function tagOf(typed: string): CandidateTag {
  const [, name = typed, instant] = /^([^=]*)=(.*)$/s.exec(typed) ?? [];
  if (name === "") throw new Failure(exitCodes.wrongInput, `"${typed}" has no tag.`);
  if (instant === undefined) return name;
  const movedAt = parseInstant(instant);
  if (movedAt !== undefined) return { name, movedAt };
  throw new Failure(exitCodes.wrongInput, `"${instant}" is not an instant.`, [
    "Expected for example: 2026-11-21T00:30:00Z",
  ]);
}
