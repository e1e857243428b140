import { isTag, parseImageReference, repositoryKey } from "../image/reference.ts";
import { type ApprovalSettings, writtenApproval, type WrittenApproval } from "../settings/approval-settings.ts";
import type { EpochMs } from "../shared/time.ts";
import type { ImageChange } from "../workload/patch.ts";
import type { Quorum, Requirement } from "./approvers.ts";
import { type Binding, bindingHash } from "./binding.ts";
import type { Proof } from "./people.ts";

/** The stored decision of one person about one update. */
export interface Vote {
  readonly person: string;
  readonly proof: Proof;
  readonly decision: "approve" | "reject";
  /** The subject of the decision. */
  readonly binding: Binding;
  readonly bindingHash: string;
  readonly why?: string;
  readonly at: EpochMs;
  /** The `Idempotency-Key` of the request; absent: it had none. */
  readonly requestId?: string;
}

/** A quorum that is not reached. */
export interface MissingVotes {
  /** How many more people must approve. */
  readonly more: number;
  /** The names of those who may still approve. */
  readonly people: readonly string[];
}

/** The votes for an update, as they count now. */
export interface Tally {
  /** The people whose approvals count, in the order of their votes. */
  readonly approvedBy: readonly string[];
  /** The rejection that decides; absent: nobody rejected. */
  readonly rejection?: Vote;
  /** The people whose votes are about other images, settings or another object. */
  readonly voidOf: readonly string[];
  /** Empty: every quorum is reached. */
  readonly missing: readonly MissingVotes[];
}

/** Counts the votes for a binding. Each person has one vote: the newest. */
export function countVotes(requirement: Requirement, votes: readonly Vote[], binding: Binding): Tally {
  const hash = bindingHash(binding);
  const ofPeople = newestOfEach(
    votes.filter((vote) => mayCount(vote, requirement)),
    requirement,
  );
  const bound = ofPeople.filter((vote) => vote.bindingHash === hash && bindingHash(vote.binding) === hash);
  const rejection = bound.find(({ decision }) => decision === "reject");
  const approvedBy = bound.filter(({ decision }) => decision === "approve").map(({ person }) => person);
  return {
    approvedBy,
    ...(rejection === undefined ? {} : { rejection }),
    voidOf: ofPeople.filter((vote) => !bound.includes(vote)).map(({ person }) => person),
    missing: requirement.quorums.flatMap((quorum) => missingOf(quorum, requirement, approvedBy)),
  };
}

/** Names on an object prove nobody. Where they may be anyone's, they have one vote. */
function newestOfEach(votes: readonly Vote[], { byAnnotation }: Requirement): readonly Vote[] {
  const inOrder = votes.toSorted((one, other) => one.at - other.at);
  const voter = ({ person }: Vote): string => (byAnnotation === "anyone" ? "" : person);
  return [...new Map(inOrder.map((vote) => [voter(vote), vote])).values()].toSorted((one, other) => one.at - other.at);
}

/** Says whether a person's vote may count: the person still has the right, or the annotation counts. */
export function mayCount(
  { person, proof }: Pick<Vote, "person" | "proof">,
  { deciders, byAnnotation }: Requirement,
): boolean {
  if (proof.kind !== "annotation") return deciders.includes(person);
  return byAnnotation === "anyone" || (byAnnotation === "deciders" && deciders.includes(person));
}

/** Anyone may be the author, because a registry names at most the account that pushed. */
function missingOf(
  { needed, people, notTheAuthor }: Quorum,
  { deciders }: Requirement,
  approvedBy: readonly string[],
): readonly MissingVotes[] {
  const needs = notTheAuthor ? needed + 1 : needed;
  const given = approvedBy.filter((person) => people?.includes(person) ?? true);
  if (given.length >= needs) return [];
  const others = (people ?? deciders).filter((person) => !given.includes(person));
  return [{ more: needs - given.length, people: others }];
}

/** Returns the approval on the object, if it names every image of an update; undefined: it does not. */
export function approvalOnObject(
  settings: ApprovalSettings,
  changes: readonly ImageChange[],
): WrittenApproval | undefined {
  const written = writtenApproval(settings);
  return written && changes.every((change) => namesImage(written.image, change)) ? written : undefined;
}

/** A tag, `tag@digest`, or an image with a tag, a digest or both. */
function namesImage(written: string, { repository, tag, digest }: ImageChange): boolean {
  if (written === tag || written === `${tag}@${digest}`) return true;
  const image = parseImageReference(written);
  if (!image.ok || isTag(written) || repositoryKey(image.value) !== repository) return false;
  const { tag: named = tag, digest: pinned = digest } = image.value;
  return (image.value.tag ?? image.value.digest) !== undefined && named === tag && pinned === digest;
}
