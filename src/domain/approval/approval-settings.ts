import { isTag, parseImageReference } from "../image/reference.ts";
import { ok, problem } from "../shared/result.ts";
import type { DurationMs } from "../shared/time.ts";
import { longestText } from "../workload/changes-text.ts";
import type { SettingScope } from "../annotations/setting-reader.ts";
import { readBoolean, readTimeout, type ReadValue } from "../annotations/setting-values.ts";
import { annotationPrefix } from "../annotations/written-settings.ts";

/** The approval settings of a workload. */
export interface ApprovalSettings {
  /**
   * The number of people who must approve an update. 0 means that the annotations ask for no
   * approval.
   */
  readonly required: number;
  /** The time that an update waits for approval. Absent if there is no limit. */
  readonly deadline?: DurationMs;
  /** The name of the approver in the annotation. */
  readonly approvedBy?: string;
  /** The approved tag or image, or the text of `lookout.dev/status.available-update`. */
  readonly approvedImage?: string;
}

/** An approval that is written in an object's annotation. Nothing proves its author. */
export interface WrittenApproval {
  readonly by: string;
  /** A tag, a tag with a digest, an image, or the text of `lookout.dev/status.available-update`. */
  readonly image: string;
}

/** Parses the annotations about approvals. */
export function readApprovalSettings(scope: SettingScope): ApprovalSettings {
  const required = readRequired(scope);
  const deadline = scope.read("approval-deadline", readTimeout);
  const approvedBy = scope.read("approved-by", readApprover);
  const approvedImage = scope.read("approved-image", readTagOrImage);
  const approved = scope.read("approve", readTagOrImage);
  if (approved !== undefined && approvedImage !== undefined && approved !== approvedImage)
    scope.refuse("approve", `contradicts ${annotationPrefix}approved-image`);
  const image = approvedImage ?? approved;
  return {
    required,
    ...(deadline !== undefined && { deadline }),
    ...(approvedBy === undefined ? approved !== undefined && { approvedBy: unnamed } : { approvedBy }),
    ...(image !== undefined && { approvedImage: image }),
  };
}

function readRequired(scope: SettingScope): number {
  const isRequired = scope.read("approval-required", readBoolean);
  const approvals = scope.read("approvals", readCount);
  if (approvals !== undefined && isRequired === false)
    scope.refuse("approvals", `contradicts ${annotationPrefix}approval-required`);
  return approvals ?? (isRequired === true ? 1 : 0);
}

/** The approver of `lookout.dev/approve`, which names no person. */
export const unnamed = `${annotationPrefix}approve`;

/**
 * Returns the approval of the object's annotations, if any. A name without an image approves
 * nothing.
 */
export function writtenApproval({ approvedBy, approvedImage }: ApprovalSettings): WrittenApproval | undefined {
  return approvedBy === undefined || approvedImage === undefined ? undefined : { by: approvedBy, image: approvedImage };
}

/** The largest number of approvals that an update may need. */
export const mostApprovals = 20;

const readCount: ReadValue<number> = (text) => {
  const count = /^\d{1,2}$/.test(text.trim()) ? Number(text) : 0;
  return count >= 1 && count <= mostApprovals
    ? ok(count)
    : problem(`expected a whole number from 1 to ${String(mostApprovals)}`);
};

/** Parses the name of an approver, which becomes part of the key of a stored vote. */
const readApprover: ReadValue<string> = (text) =>
  /^[\p{L}\p{N}][\p{L}\p{N} ._@+-]{0,99}$/u.test(text.trim())
    ? ok(text.trim())
    : problem("expected a name or an email address of at most 100 characters");

const readTagOrImage: ReadValue<string> = (text) => {
  const written = text.trim();
  return isTag(written) || parseImageReference(written).ok || isChangesText(written)
    ? ok(written)
    : problem("expected a tag or an image, such as 1.4.2");
};

/**
 * Returns whether a text has the form of `lookout.dev/status.available-update`: containers with
 * their images.
 */
function isChangesText(text: string): boolean {
  return text.length <= longestText && text.split(",").every(isContainerImage);
}

function isContainerImage(part: string): boolean {
  const [container = "", image = "", ...rest] = part.split("=");
  return rest.length === 0 && /^(?:init:)?[a-z0-9-]{1,63}$/.test(container) && parseImageReference(image).ok;
}
