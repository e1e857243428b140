import type { ImageView } from "#contracts/api/schema";
import type { WorkloadView } from "#contracts/api/workloads";
import type { Look } from "./look.ts";

/** Digits of a digest that people are shown. */
const shownDigits = 12;

/** Writes a digest as people read it: 12 digits, or whole with `--wide`. */
export function digestText(digest: string, { wide }: Pick<Look, "wide">): string {
  return wide ? digest : digest.replace(/^[a-z0-9]+:/, "").slice(0, shownDigits);
}

/** Shortens every whole digest inside a sentence. */
export function withShortDigests(text: string, look: Pick<Look, "wide">): string {
  return text.replaceAll(/\bsha(?:256|384|512):[0-9a-f]{64,128}\b/g, (digest) => digestText(digest, look));
}

/** Writes which version an image is: `1.4.2 @ 9b2c41d0e7aa`, `latest (no digest)`. */
export function versionText({ tag, digest }: Pick<ImageView, "tag" | "digest">, look: Pick<Look, "wide">): string {
  if (digest === undefined) return `${tag ?? "no tag"} (no digest)`;
  return `${tag === undefined ? "" : `${tag} `}@ ${digestText(digest, look)}`;
}

/** Writes an image with its repository: `registry.example.com/shop/api:1.5.0 @ 4d5e6f708192`. */
export function imageText(image: ImageView, look: Pick<Look, "wide">): string {
  const tag = image.tag === undefined ? "" : `:${image.tag}`;
  return `${image.repository}${tag}${image.digest === undefined ? "" : ` @ ${digestText(image.digest, look)}`}`;
}

/** Picks the containers that are tracked; all of them where none does, so that the workload is still seen. */
export function takingPart({ runs }: Pick<WorkloadView, "runs">): readonly ImageView[] {
  const selecting = runs.filter((image) => image.policy !== undefined);
  return selecting.length > 0 ? selecting : runs;
}
