import { commonTags, type Listed, tagAlone } from "#domain/policy/common-tags";
import type { CandidateTag, SelectionRule } from "#domain/policy/policy";
import type { Advice } from "#domain/policy/suggestion";
import { isBlockReason } from "#domain/shared/reasons";
import { currentImage, type DesiredImage } from "#domain/update/decide/desired-image";
import type { SelectionFailure } from "#domain/update/state/workload";
import { allOf } from "./bounded.ts";
import { unskippedTags } from "./skipped-tags.ts";
import { type SelectedContainer, selectionFailure } from "./tag-image.ts";
import { walkTags, type WalkedTags } from "./tag-walk.ts";

/** A container and the result of its walk. `compared` is absent if no tags were compared. */
export type WalkedContainer = WalkedTags & { readonly container: string; readonly compared?: ComparedTags };

/** The tags that a policy compares. The explanation of a selection starts from them. */
export interface ComparedTags {
  readonly of: SelectedContainer;
  readonly tags: readonly CandidateTag[];
  /** The rule with its matches. Absent if the matching exceeds its limit. */
  readonly rule?: SelectionRule;
  readonly advice?: Advice;
}

/** A container whose tags are listed and matched. */
export interface ListedContainer extends SelectedContainer {
  readonly tags: readonly CandidateTag[];
  readonly advice: NonNullable<DesiredImage["advice"]>;
  readonly compared: ComparedTags;
}

/** Returns a result without skipped tags. */
export function onlyDesired(desired: DesiredImage): WalkedTags {
  return { desired, skipped: [] };
}

/** The most tags that are tried for all containers. Each may cost requests to each registry. */
const mostTries = 10;

/**
 * Selects one tag for all containers: the highest, by the policy of the first container, that every
 * policy accepts, every repository has and every image of which can run.
 *
 * If a container gets no answer, all containers wait with it. If a tag is too young for one
 * container, a lower tag that is old enough for all comes first.
 */
export async function walkTogether(
  containers: readonly (SelectedContainer | WalkedContainer)[],
  list: (selected: SelectedContainer) => Promise<ListedContainer | WalkedContainer>,
): Promise<readonly WalkedContainer[]> {
  const listed = await allOf(containers.map(async (one) => ("desired" in one ? one : list(one))));
  const walked = await walkListed(listed);
  return walked.map((one, index) => withCompared(one, listed[index]));
}

async function walkListed(listed: readonly (ListedContainer | WalkedContainer)[]): Promise<readonly WalkedContainer[]> {
  const ready = listed.filter((one) => "own" in one);
  const names = listed.map((one) => ("own" in one ? one.container.name : one.container));
  const stopped = listed.find((one) => "desired" in one);
  if (stopped !== undefined) return waitWith(stopped, names, ready);
  const tags = ready.reduce((sum, one) => sum + one.tags.length, 0);
  const common = await ready[0]?.reads.onTags(tags, () => commonTags(ready.map(listedOf)));
  const agreed = await agree(ready, common ?? new Set());
  return agreed.map((one, index) => withAdvice(one, ready[index]));
}

async function agree(
  ready: readonly ListedContainer[],
  common: ReadonlySet<string>,
): Promise<readonly WalkedContainer[]> {
  let young: readonly WalkedContainer[] | undefined;
  let failing: readonly WalkedContainer[] | undefined;
  const left = new Set(common);
  for (let tries = 0; tries < mostTries && left.size > 0; tries += 1) {
    const tried = await tryHighest(ready, left);
    if (tried.kind === "changes") return tried.walked;
    if (tried.kind === "ends") return young ?? failing ?? tried.walked(common);
    young ??= tried.young;
    failing ??= tried.failing;
    left.delete(tried.tag);
  }
  return young ?? failing ?? ready.map(({ container }) => failed(container.name, "no-common-tag", whyApart(ready)));
}

/** The result of a try of one tag for all containers. */
type TriedTag =
  | { readonly kind: "changes"; readonly walked: readonly WalkedContainer[] }
  /** All containers run the tag, or no lower tag may be tried. */
  | { readonly kind: "ends"; readonly walked: (common: ReadonlySet<string>) => readonly WalkedContainer[] }
  /** The tag can't run in a container now: it is too young, blocked or no image. */
  | {
      readonly kind: "lower";
      readonly tag: string;
      readonly young?: readonly WalkedContainer[];
      readonly failing?: readonly WalkedContainer[];
    };

async function tryHighest(ready: readonly ListedContainer[], left: ReadonlySet<string>): Promise<TriedTag> {
  const names = ready.map(({ container }) => container.name);
  const [first, ...others] = ready;
  if (first === undefined) return { kind: "changes", walked: [] };
  const leading = await walk(first, left);
  const tag = tagOf(leading, first);
  if (tag === undefined) return { kind: "ends", walked: () => waitWith(leading, names, ready) };
  const walked = [leading, ...(await allOf(others.map((other) => walk(other, new Set([tag])))))];
  const stopped = walked.find(({ desired }) => desired.kind === "failure" && !mayTryLower(desired.selectionFailure));
  if (stopped !== undefined) return { kind: "ends", walked: () => waitWith(stopped, names, ready) };
  if (walked.some((one, index) => tagOf(one, ready[index]) !== tag)) {
    const failing = walked.find(({ desired }) => desired.kind === "failure");
    return { kind: "lower", tag, ...(failing && { failing: waitWith(failing, names, ready) }) };
  }
  if (walked.some(({ isYoung }) => isYoung === true)) return { kind: "lower", tag, young: walked };
  if (walked.some(({ desired }) => desired.kind === "change")) return { kind: "changes", walked };
  return { kind: "ends", walked: (common) => withLoneTags(walked, ready, common) };
}

async function walk(one: ListedContainer, among: ReadonlySet<string>): Promise<WalkedContainer> {
  const { container, tags, reads } = one;
  const unskipped = await unskippedTags(one, tags);
  const left = unskipped === undefined ? among : new Set([...among].filter((tag) => unskipped.has(tag)));
  return { container: container.name, ...(await walkTags(one, { listed: tags, among: left }, reads.now())) };
}

/** Returns the tag that a container would run. Undefined for a failure. */
function tagOf({ desired }: WalkedContainer, of: ListedContainer | undefined): string | undefined {
  if (desired.kind === "failure" || of === undefined) return undefined;
  return desired.kind === "change" ? desired.change.tag : currentImage(of.container).tag;
}

/** A tag that can't run in one container is passed over in all. A user's decision is not. */
function mayTryLower({ reason }: SelectionFailure): boolean {
  const isOfTag = reason === "no-tag-fits" || reason === "not-an-image" || isBlockReason(reason);
  return isOfTag && reason !== "digest-replaced";
}

/** Returns the failure of one container for all: none moves without the others. */
function waitWith(
  { container, desired }: WalkedContainer,
  names: readonly string[],
  ready: readonly ListedContainer[],
): readonly WalkedContainer[] {
  if (desired.kind !== "failure") return names.map((name) => failed(name, "no-common-tag", whyApart(ready)));
  const { reason, detail, until } = desired.selectionFailure;
  const told = `container ${container}${detail === undefined ? "" : `: ${detail}`}`;
  return names.map((name) => failed(name, reason, name === container ? detail : told, until));
}

/**
 * Returns the containers with a failure for each that would get a higher tag alone: its tag waits
 * for the other containers.
 */
function withLoneTags(
  walked: readonly WalkedContainer[],
  ready: readonly ListedContainer[],
  common: ReadonlySet<string>,
): readonly WalkedContainer[] {
  return walked.map((one, index) => {
    const of = ready[index];
    const alone = of === undefined ? undefined : tagAlone(listedOf(of));
    if (alone === undefined) return one;
    const why = common.has(alone) ? "can't run in every container" : "is not a tag of every container yet";
    return failed(one.container, "no-common-tag", `${alone} ${why}`);
  });
}

function whyApart(ready: readonly ListedContainer[]): string {
  const each = ready.map((one) => {
    const tag = tagAlone(listedOf(one)) ?? currentImage(one.container).tag;
    return `${one.container.name} ${tag === undefined ? "gets no tag" : `would get ${tag}`}`;
  });
  return each.join(", ");
}

function listedOf({ own, container, tags }: ListedContainer): Listed {
  return { rule: own, current: currentImage(container), tags };
}

function failed(
  container: string,
  reason: SelectionFailure["reason"],
  detail?: string,
  until?: SelectionFailure["until"],
): WalkedContainer {
  return { container, ...onlyDesired(selectionFailure(container, reason, detail, until)) };
}

function withAdvice(one: WalkedContainer, of: ListedContainer | undefined): WalkedContainer {
  return of === undefined ? one : { ...one, desired: { ...one.desired, advice: of.advice } };
}

/** Returns a result with the compared tags, also if the result is the failure of another container. */
function withCompared(one: WalkedContainer, listed: ListedContainer | WalkedContainer | undefined): WalkedContainer {
  return listed?.compared === undefined ? one : { ...one, compared: listed.compared };
}
