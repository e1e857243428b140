import { isTag, parseImageReference, repositoryKey } from "../image/reference.ts";
import {
  type ApprovalSettings,
  unnamed,
  writtenApproval,
  type WrittenApproval,
} from "../settings/approval-settings.ts";
import { annotationPrefix } from "../settings/written-settings.ts";
import { sha256 } from "../shared/sha256.ts";
import type { ImageChange } from "../workload/patch.ts";
import type { Requirement } from "./approvers.ts";
import type { Person } from "./people.ts";
import { hasDigest, mayCount } from "./votes.ts";

/** A text of an approval on the object that Lookout has read before. */
export interface ReadApproval {
  /** The beginning of the SHA-256 of `BY IMAGE`. */
  readonly text: string;
  /** The number of the only update that it counts for; 0: it counts for none. */
  readonly seq: number;
}

/** How many texts are remembered: more than `kubectl rollout undo` can restore. */
const mostRead = 100;

/** What the approval on an object means for an update. */
export type AnnotationVerdict =
  /** There is none, or it names other images. */
  | { readonly kind: "none" }
  | { readonly kind: "counts"; readonly person: string; readonly approval: WrittenApproval }
  /** `isEarly`: it names no digest, and was there before the update waited. */
  | { readonly kind: "ignored"; readonly why: string; readonly isEarly: boolean };

interface AnnotationQuestion {
  readonly settings: ApprovalSettings;
  /** The update. `isAsked`: an earlier stored version asked for its approval. */
  readonly update: { readonly seq: number; readonly changes: readonly ImageChange[]; readonly isAsked: boolean };
  readonly requirement: Requirement;
  readonly people: readonly Person[];
  /** The texts that were read before. */
  readonly read: readonly ReadApproval[];
}

/**
 * Judges the approval on an object.
 *
 * A text counts for one update only, because `kubectl rollout undo` restores it. Without a digest,
 * it counts only if it was written while that update waited.
 */
export function judgeAnnotation({
  settings,
  update: { seq, changes, isAsked },
  requirement,
  people,
  read,
}: AnnotationQuestion): AnnotationVerdict {
  const approval = approvalOnObject(settings, changes);
  if (approval === undefined) return { kind: "none" };
  const person = people.find(({ name, email }) => approval.by === name || approval.by === email)?.name ?? approval.by;
  const earlier = read.find(({ text }) => text === textOf(approval));
  const isEarly = !hasDigest(approval.image) && (!isAsked || earlier?.seq === 0);
  const ignored = (because: string, wayOut: string): AnnotationVerdict => {
    return { kind: "ignored", why: `${shown(approval)} does not count: ${because}. ${wayOut}`, isEarly };
  };
  if (requirement.byAnnotation === "nobody") return ignored("no annotation counts here", "Use lookout approve");
  if (earlier !== undefined && earlier.seq !== seq && earlier.seq !== 0)
    return ignored(`it counted for update ${earlier.seq}`, wayOut(approval, changes, read, requirement));
  if (isEarly) return ignored(`it was there before update ${seq} waited`, wayOut(approval, changes, read, requirement));
  if (requirement.byAnnotation === "deciders-with-digest" && !hasDigest(approval.image))
    return ignored("it names no digest", wayOut(approval, changes, read, requirement));
  if (!mayCount({ person, proof: { kind: "annotation", ...approval } }, requirement))
    return ignored(`${person} may not decide`, "Name another person");
  return { kind: "counts", person, approval };
}

/** Remembers the approval on an object for one update; 0: it counts for none. */
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

function textOf({ by, image }: WrittenApproval): string {
  return sha256(`${by} ${image}`).slice(0, 16);
}

function keyOf({ by }: WrittenApproval): string {
  return by === unnamed ? unnamed : `${annotationPrefix}approved-image`;
}

function shown(approval: WrittenApproval): string {
  return `${keyOf(approval)}: ${approval.image}`;
}

/** Says how to approve with a text that was not read before. */
function wayOut(
  approval: WrittenApproval,
  changes: readonly ImageChange[],
  read: readonly ReadApproval[],
  { byAnnotation }: Requirement,
): string {
  const forms = changes.flatMap(({ repository, tag, digest }) => [
    `${tag}@${digest}`,
    `${repository}:${tag}@${digest}`,
    `${repository}@${digest}`,
  ]);
  const other = forms
    .map((image) => ({ ...approval, image }))
    .find(
      (one) =>
        changes.every((change) => namesImage(one.image, change)) && !read.some(({ text }) => text === textOf(one)),
    );
  if (other !== undefined) return `Write ${shown(other)}`;
  return byAnnotation === "anyone" ? `Write another ${annotationPrefix}approved-by` : "Use lookout approve";
}
