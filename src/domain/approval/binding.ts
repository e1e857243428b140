import { noticeOnly } from "../annotations/notices.ts";
import { annotationPrefix } from "../annotations/written-settings.ts";
import { sha256 } from "../shared/sha256.ts";
import { compareTexts } from "../shared/text-order.ts";
import type { ImageChange } from "../workload/patch.ts";

/** An image that an approval names. */
export type BoundImage = Pick<ImageChange, "list" | "name" | "imageName" | "tag" | "digest">;

/** The subject of a vote. A vote counts for no other binding. */
export interface Binding {
  /** The uid of the workload's object. */
  readonly uid: string;
  /** The number of the update. */
  readonly seq: number;
  /** Every container of the update, sorted by list and name. */
  readonly images: readonly BoundImage[];
  /** The SHA-256 of the annotations that gate the workload. */
  readonly policyHash: string;
}

/** The workload, the update and the annotations of a {@link Binding}. */
export interface Bindable {
  readonly uid: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly update: { readonly seq: number; readonly changes: readonly ImageChange[] };
}

/** Returns the binding of the votes for an update. */
export function bindingOf({ uid, annotations, update: { seq, changes } }: Bindable): Binding {
  const images = changes
    .map(({ list, name, imageName, tag, digest }) => ({ list, name, imageName, tag, digest }))
    .sort((one, other) => compareTexts(one.list, other.list) || compareTexts(one.name, other.name));
  return { uid, seq, images, policyHash: policyHash(annotations) };
}

/** Returns the SHA-256 of a binding. Equal hashes mean equal bindings. */
export function bindingHash({ uid, seq, images, policyHash: policy }: Binding): string {
  const texts = images.map(({ list, name, imageName, tag, digest }) => [list, name, imageName, tag, digest]);
  return sha256(JSON.stringify([uid, seq, texts, policy]));
}

/**
 * Returns the hash of the annotations that gate a workload. Other annotations, such as a
 * notification channel, don't change it.
 */
function policyHash(annotations: Bindable["annotations"]): string {
  const gating = Object.entries(annotations)
    .filter(([key]) => isGatingAnnotation(key))
    .sort(([one], [other]) => compareTexts(one, other));
  return sha256(JSON.stringify(gating));
}

/**
 * The settings that may change while an update waits for approval: votes, suspension and notices.
 */
const notGating: ReadonlySet<string> = new Set([
  ...["approved-by", "approved-image", "approve", "suspend"],
  ...noticeOnly.keys(),
]);

/** Returns whether an annotation may change an update, or open or close its gates. */
function isGatingAnnotation(key: string): boolean {
  return !key.startsWith(annotationPrefix) || !notGating.has(key.slice(annotationPrefix.length));
}
