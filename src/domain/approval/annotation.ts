import { isTag, parseImageReference, imageNameOf } from "../image/reference.ts";
import { type ApprovalSettings, unnamed, writtenApproval, type WrittenApproval } from "./approval-settings.ts";
import { annotationPrefix } from "../annotations/written-settings.ts";
import { sha256 } from "../shared/sha256.ts";
import { changesText } from "../workload/changes-text.ts";
import type { ImageChange } from "../workload/patch.ts";
import type { Requirement } from "./approvers.ts";
import type { Person } from "./people.ts";
import { hasDigest, isEnoughAlone, mayCount, peopleNeeded } from "./votes.ts";

/** An approval annotation that Lookout has read before. */
export interface ReadApproval {
  /** The first 16 digits of the SHA-256 of `BY IMAGE`. */
  readonly text: string;
  /**
   * The number of the update for which the annotation counts. 0 means that the annotation counts
   * for no update.
   */
  readonly seq: number;
}

/**
 * The maximum number of remembered annotations. `kubectl rollout undo` can restore fewer
 * annotations.
 */
const mostRead = 100;

/** The effect of an approval annotation on an update. */
export type AnnotationVerdict =
  /** The object has no approval annotation. */
  | { readonly kind: "none" }
  | { readonly kind: "counts"; readonly person: string; readonly approval: WrittenApproval }
  /** `isEarly`: the annotation names no digest, and was written before the update waited. */
  | { readonly kind: "ignored"; readonly why: string; readonly isEarly: boolean };

interface AnnotationQuestion {
  readonly settings: ApprovalSettings;
  /**
   * The update. `isAsked`: a stored version has already asked for approval. `isExpired`: the time for
   * approval is over.
   */
  readonly update: {
    readonly seq: number;
    readonly changes: readonly ImageChange[];
    readonly isAsked: boolean;
    readonly isExpired: boolean;
  };
  readonly requirement: Requirement;
  readonly people: readonly Person[];
  /** The annotations that were read before. */
  readonly read: readonly ReadApproval[];
}

/**
 * Returns the effect of an object's approval annotation on an update.
 *
 * An annotation counts for one update only, because `kubectl rollout undo` can restore an old
 * annotation. An annotation without a digest counts only if it was written while this update
 * waited.
 */
export function judgeAnnotation(question: AnnotationQuestion): AnnotationVerdict {
  const { settings, update } = question;
  const half = halfApproval(settings);
  if (half !== undefined) return { kind: "ignored", why: half, isEarly: false };
  const approval = writtenApproval(settings);
  if (approval === undefined) return { kind: "none" };
  const found = findApproval(approval, question);
  const { person, isEarly, countedFor } = found;
  // The annotation has given its vote in time.
  if (update.isExpired && countedFor === update.seq) return { kind: "none" };
  const why = whyIgnored(found, question);
  if (why === undefined) return { kind: "counts", person, approval };
  return { kind: "ignored", why: `${shown(approval)} does not count: ${why}`, isEarly };
}

function findApproval(approval: WrittenApproval, { update, people, read }: AnnotationQuestion): FoundApproval {
  const { by, image } = approval;
  const person = people.find(({ name, email }) => by === name || by === email)?.name ?? by;
  const countedFor = read.find(({ text }) => text === textOf(approval))?.seq;
  const isNamed = namesAll(image, update.changes);
  const isEarly = isNamed && !hasDigest(image) && (!update.isAsked || countedFor === 0);
  return { person, approval, isNamed, isEarly, ...(countedFor === undefined ? {} : { countedFor }) };
}

interface FoundApproval {
  readonly person: string;
  readonly approval: WrittenApproval;
  /** True if the annotation names every image of the update. */
  readonly isNamed: boolean;
  readonly isEarly: boolean;
  /**
   * The number of the update for which the annotation counted; 0 for no update. Absent if the
   * annotation was not read before.
   */
  readonly countedFor?: number;
}

/**
 * Returns why an approval annotation does not count, with the remedy, or undefined if the
 * annotation counts.
 */
function whyIgnored(
  { person, approval, isNamed, isEarly, countedFor = 0 }: FoundApproval,
  { update: { seq, changes, isExpired }, requirement, read }: AnnotationQuestion,
): string | undefined {
  const { byAnnotation } = requirement;
  const anew = wayOut(approval, changes, read, requirement);
  if (byAnnotation === "nobody") return "lookout.yaml allows no approval by annotation. Use lookout approve";
  const others = othersNeeded(person, requirement);
  if (others !== undefined)
    return `update ${seq} needs ${others}, and an annotation proves nobody. ${wayToProve(requirement)}`;
  if (!isNamed) return `it does not name the images of update ${seq}. ${anew}`;
  if (isExpired) return `the approval of update ${seq} expired`;
  if (countedFor !== 0 && countedFor !== seq) return `it counted for update ${countedFor}. ${anew}`;
  if (isEarly) return `it was written before update ${seq} waited. ${anew}`;
  if (byAnnotation === "deciders-with-digest" && !hasDigest(approval.image)) return `it names no digest. ${anew}`;
  if (mayCount({ person, proof: { kind: "annotation", ...approval } }, requirement)) return undefined;
  return `${person} may not decide. Name another person`;
}

/** Returns the people whom an update needs besides a person, or undefined if it needs no others. */
function othersNeeded(person: string, requirement: Requirement): string | undefined {
  const most = Math.max(...requirement.quorums.map(peopleNeeded));
  if (most > 1) return `${most} people`;
  const isDecider = requirement.deciders.includes(person);
  return isDecider && !isEnoughAlone(person, requirement) ? `more people than ${person}` : undefined;
}

/** Returns how to approve as a proved person. */
function wayToProve({ byAnnotation }: Requirement): string {
  return byAnnotation === "anyone" ? "Name people in lookout.yaml, then use lookout approve" : "Use lookout approve";
}

/**
 * Adds the approval annotation to the annotations that were read before. `seq` is the update for
 * which the annotation counts, or 0 for no update.
 */
export function withRead(
  read: readonly ReadApproval[],
  settings: ApprovalSettings,
  seq: number,
): readonly ReadApproval[] {
  const written = writtenApproval(settings);
  if (written === undefined) return read;
  const text = textOf(written);
  return read.some((one) => one.text === text) ? read : [...read, { text, seq }].slice(-mostRead);
}

/** Returns why one approval annotation without the other approves nothing; undefined for both or none. */
function halfApproval({ approvedBy, approvedImage }: ApprovalSettings): string | undefined {
  const [by, image] = [`${annotationPrefix}approved-by`, `${annotationPrefix}approved-image`];
  if (approvedBy === undefined && approvedImage !== undefined)
    return `${image}: ${approvedImage} does not count: ${by} is missing. Write ${by} with your name`;
  if (approvedBy !== undefined && approvedImage === undefined)
    return `${by}: ${approvedBy} does not count: ${image} is missing. Write ${image} with the tag and digest`;
  return undefined;
}

/** Returns whether the text of an approval names every image of an update. */
export function namesAll(written: string, changes: readonly ImageChange[]): boolean {
  return written === changesText(changes) || changes.every((change) => namesImage(written, change));
}

/**
 * Returns whether a text names an image: by tag, by `tag@digest`, or as an image with a tag, a
 * digest or both.
 */
function namesImage(written: string, { imageName, tag, digest }: ImageChange): boolean {
  if (written === tag || written === `${tag}@${digest}`) return true;
  const image = parseImageReference(written);
  if (!image.ok || isTag(written) || imageNameOf(image.value) !== imageName) return false;
  const { tag: named = tag, digest: pinned = digest } = image.value;
  return (image.value.tag ?? image.value.digest) !== undefined && named === tag && pinned === digest;
}

function textOf({ by, image }: WrittenApproval): string {
  return sha256(`${by} ${image}`).slice(0, 16);
}

function keyOf({ by }: WrittenApproval): string {
  return by === unnamed ? unnamed : `${annotationPrefix}approved-image`;
}

function shown(approval: WrittenApproval): string {
  return `${keyOf(approval)}: ${approval.image}`;
}

/**
 * Returns how to approve: with an annotation that was not read before, or with `lookout approve`.
 */
function wayOut(
  approval: WrittenApproval,
  changes: readonly ImageChange[],
  read: readonly ReadApproval[],
  { byAnnotation }: Requirement,
): string {
  const image = countingText(approval, changes, read);
  if (image !== undefined) return `Write ${shown({ ...approval, image })}`;
  return byAnnotation === "anyone" ? `Write another ${annotationPrefix}approved-by` : "Use lookout approve";
}

/**
 * Returns a text that names every image of an update with its digest, and that was not read before
 * under the same approver. Undefined if there is none.
 */
export function countingText(
  approval: WrittenApproval,
  changes: readonly ImageChange[],
  read: readonly ReadApproval[],
): string | undefined {
  const forms = changes.flatMap(({ imageName, tag, digest }) => [
    `${tag}@${digest}`,
    `${imageName}:${tag}@${digest}`,
    `${imageName}@${digest}`,
  ]);
  return [...forms, changesText(changes)].find(
    (image) =>
      image !== undefined &&
      namesAll(image, changes) &&
      !read.some(({ text }) => text === textOf({ ...approval, image })),
  );
}
