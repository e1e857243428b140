import { annotationPrefix } from "../annotations/written-settings.ts";
import type { ImageChange } from "../workload/patch.ts";
import type { WorkloadName } from "../workload/workload.ts";
import { countingText, type ReadApproval } from "./annotation.ts";
import { type ApprovalSettings, unnamed } from "./approval-settings.ts";
import { type ApprovalRules, type Requirement, requirementFor } from "./approvers.ts";
import { canProve } from "./people.ts";
import { peopleNeeded } from "./votes.ts";

/** A waiting update of a workload, and what is known about its annotations. */
export interface WaitingUpdate {
  readonly workload: WorkloadName;
  /** The context of the cluster in the user's kubeconfig. Absent if it is not known. */
  readonly context?: string | undefined;
  readonly settings: ApprovalSettings;
  readonly changes: readonly ImageChange[];
  /** The annotations that were read before. */
  readonly read: readonly ReadApproval[];
}

/**
 * Returns how to approve an update where `lookout approve` alone can't: `lookout.yaml` names no
 * people, or too few. Returns undefined for other updates, and if no approval is needed.
 */
export function howToApprove(update: WaitingUpdate, rules: ApprovalRules): string | undefined {
  const { workload, settings, changes, read } = update;
  const requirement = requirementFor(workload, settings, rules);
  if (requirement === undefined) return undefined;
  const needed = Math.max(...requirement.quorums.map(peopleNeeded));
  if (needed > 1) return tooFewVoters(needed, requirement, rules);
  if (requirement.byAnnotation !== "anyone") return undefined;
  const by = settings.approvedBy ?? unnamed;
  const text = countingText({ by, image: "" }, changes, read);
  const written =
    text === undefined ? [`approved-by=NAME`, `approved-image=${anyText(changes)}`] : textsFor(settings, text);
  return `Approve the update: ${annotateCommand(update, written)}`;
}

/** Returns the remedy if fewer people than needed can vote, or undefined if enough can. */
function tooFewVoters(needed: number, { deciders }: Requirement, { people }: ApprovalRules): string | undefined {
  const able = people.filter((person) => deciders.includes(person.name) && canProve(person)).map(({ name }) => name);
  if (able.length >= needed) return undefined;
  const voters = able.length === 0 ? "nobody" : `only ${able.join(", ")}`;
  return `Name more people with iam, tokenHash or token in lookout.yaml: this update needs ${needed} people, ${voters} can vote, and an annotation proves nobody.`;
}

/** Returns the annotations that give the approval. Two images on one object would contradict. */
function textsFor({ approvedBy = unnamed, approvedImage }: ApprovalSettings, text: string): readonly string[] {
  const [key, other] = approvedBy === unnamed ? ["approve", "approved-image"] : ["approved-image", "approve"];
  return [`${key}=${text}`, ...(approvedImage === undefined ? [] : [`${other}-`])];
}

function anyText([first]: readonly ImageChange[]): string {
  return first === undefined ? "TAG" : `${first.tag}@${first.digest}`;
}

function annotateCommand(
  { workload: { namespace, kind, name }, context }: WaitingUpdate,
  written: readonly string[],
): string {
  const place = [...(context === undefined ? [] : ["--context", shellWord(context)]), "-n", namespace];
  const object = `${kind.toLowerCase()}/${name}`;
  const texts = written.map((text) => shellWord(`${annotationPrefix}${text}`));
  return ["kubectl annotate --overwrite", ...place, object, ...texts].join(" ");
}

/** Quotes a text as one word of a shell, if it needs quotes. */
function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
