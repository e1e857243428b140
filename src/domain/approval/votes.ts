import { compareTexts } from "../shared/text-order.ts";
import type { EpochMs } from "../shared/time.ts";
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
  /** The `Idempotency-Key` of the request. Absent if there is no key. */
  readonly requestId?: string;
}

/** A quorum that is not reached. */
export interface MissingVotes {
  /** The number of people who must still approve. */
  readonly more: number;
  /** The names of the people who may still approve. */
  readonly people: readonly string[];
}

/** The votes for an update, as they count now. */
export interface Tally {
  /** The people whose approvals count, in the order of their votes. */
  readonly approvedBy: readonly string[];
  /** The rejection that decides. Absent if no person rejected the update. */
  readonly rejection?: Vote;
  /** The people whose votes are for other images, other settings or another object. */
  readonly voidOf: readonly string[];
  /** The quorums that are not reached. Empty if every quorum is reached. */
  readonly missing: readonly MissingVotes[];
}

/** The voter of all approval annotations. No person of `lookout.yaml` can have this name. */
const annotationVoter = "by annotation";

/**
 * Returns the voter of a vote. Each voter has one vote on an update.
 *
 * Nothing proves the author of an annotation, so all annotations together are one voter.
 */
export function voterOfVote({ person, proof }: Pick<Vote, "person" | "proof">): string {
  return proof.kind === "annotation" ? annotationVoter : person;
}

/**
 * A void vote. The vote stays void until its voter votes again, even if the settings change back.
 */
export interface VoidedVote {
  readonly voter: string;
  /** The instant of the vote. */
  readonly at: EpochMs;
}

/** Returns whether a vote was found void. */
export function isVoided(vote: Vote, voided: readonly VoidedVote[] = []): boolean {
  return voided.some(({ voter, at }) => voter === voterOfVote(vote) && at === vote.at);
}

/** Returns the void votes: votes on another binding, and votes that were found void before. */
export function voidedVotes(
  votes: readonly Vote[],
  binding: Binding,
  before: readonly VoidedVote[] = [],
): readonly VoidedVote[] {
  const hash = bindingHash(binding);
  return votes
    .filter((vote) => vote.bindingHash !== hash || bindingHash(vote.binding) !== hash || isVoided(vote, before))
    .map((vote) => ({ voter: voterOfVote(vote), at: vote.at }))
    .sort((one, other) => compareTexts(one.voter, other.voter));
}

/** Counts the votes that are not void. Each voter has one vote: the newest. */
export function countVotes(requirement: Requirement, votes: readonly Vote[], voided: readonly VoidedVote[]): Tally {
  const ofVoters = newestOfEach(votes.filter((vote) => mayCount(vote, requirement)));
  const bound = ofVoters.filter((vote) => !isVoided(vote, voided));
  const rejection = bound.find(({ decision }) => decision === "reject");
  const approvedBy = namesOf(bound.filter(({ decision }) => decision === "approve"));
  const counted = namesOf(bound);
  return {
    approvedBy,
    ...(rejection === undefined ? {} : { rejection }),
    voidOf: namesOf(ofVoters).filter((person) => !counted.includes(person)),
    missing: requirement.quorums.flatMap((quorum) => missingOf(quorum, requirement, approvedBy)),
  };
}

function newestOfEach(votes: readonly Vote[]): readonly Vote[] {
  const inOrder = votes.toSorted((one, other) => one.at - other.at);
  const newest = new Map(inOrder.map((vote) => [voterOfVote(vote), vote]));
  return [...newest.values()].toSorted((one, other) => one.at - other.at);
}

/** Returns the people of votes, each once. An annotation may name a person who has also voted. */
function namesOf(votes: readonly Vote[]): readonly string[] {
  return [...new Set(votes.map(({ person }) => person))];
}

/**
 * Returns whether a vote may count: its person still has the right, or its annotation counts.
 *
 * Nothing proves the author of an annotation, so an annotation never counts beside another person:
 * it counts only if it reaches every quorum alone.
 */
export function mayCount({ person, proof }: Pick<Vote, "person" | "proof">, requirement: Requirement): boolean {
  if (proof.kind !== "annotation") return requirement.deciders.includes(person);
  return mayAnnotate(person, proof.image, requirement) && isEnoughAlone(person, requirement);
}

function mayAnnotate(person: string, image: string, { deciders, byAnnotation }: Requirement): boolean {
  if (byAnnotation === "deciders-with-digest") return deciders.includes(person) && hasDigest(image);
  return byAnnotation === "anyone" || (byAnnotation === "deciders" && deciders.includes(person));
}

/** Returns whether the approval of one person reaches every quorum. */
export function isEnoughAlone(person: string, { quorums }: Requirement): boolean {
  return quorums.every((quorum) => peopleNeeded(quorum) === 1 && (quorum.people?.includes(person) ?? true));
}

/**
 * Returns the number of people who must approve for a quorum. A registry names no author, so anyone
 * may be the author.
 */
export function peopleNeeded({ needed, notTheAuthor }: Quorum): number {
  return notTheAuthor ? needed + 1 : needed;
}

/** Returns the missing votes of a quorum. */
function missingOf(quorum: Quorum, { deciders }: Requirement, approvedBy: readonly string[]): readonly MissingVotes[] {
  const { people = deciders } = quorum;
  const needs = peopleNeeded(quorum);
  const given = approvedBy.filter((person) => quorum.people?.includes(person) ?? true);
  if (given.length >= needs) return [];
  return [{ more: needs - given.length, people: people.filter((person) => !given.includes(person)) }];
}

/** Returns whether the text of an approval on the object names a digest. */
export function hasDigest(image: string): boolean {
  return image.includes("@");
}
