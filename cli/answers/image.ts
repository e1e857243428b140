import { familiarImage, formatImageReference, type ImageReference, parseImageReference } from "#domain/image/reference";
import { type Refusal, refusal } from "./refusal.ts";

/** The parts of an image reference. A missing tag stays null. */
export interface ImageAnswer {
  readonly ok: true;
  readonly registry: string;
  readonly repository: string;
  readonly tag: string | null;
  readonly digest: string | null;
  readonly familiar: string;
  readonly canonical: string;
}

/** Returns the parts of an image reference, or the refusal of an invalid reference. */
export function answerImage(reference: string): ImageAnswer | Refusal {
  const parsed = parseImageReference(reference);
  return parsed.ok ? imageAnswer(parsed.value) : refusal(parsed.problem);
}

/** Returns the parts of a parsed image reference. */
export function imageAnswer(image: ImageReference): ImageAnswer {
  const { registry, repository, tag = null, digest = null } = image;
  const familiar = familiarImage(image);
  const canonical = formatImageReference(image);
  return { ok: true, registry, repository, tag, digest, familiar, canonical };
}
