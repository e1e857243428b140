import type { ImageView } from "#contracts/api/schema";
import type { WorkloadView } from "#contracts/api/workloads";
import type { Style } from "./style.ts";

const shownDigits = 12;

/** Returns 12 digits of a digest, or the whole digest with `--wide`. */
export function digestText(digest: string, { wide }: Pick<Style, "wide">): string {
  return wide ? digest : digest.replace(/^[a-z0-9]+:/, "").slice(0, shownDigits);
}

/** Shortens every digest in a sentence. */
export function withShortDigests(text: string, style: Pick<Style, "wide">): string {
  return text.replaceAll(/\bsha(?:256|384|512):[0-9a-f]{64,128}\b/g, (digest) => digestText(digest, style));
}

/** Returns an image's tag and digest: `1.4.2 @ 9b2c41d0e7aa`, `latest (no digest)`. */
export function versionText({ tag, digest }: Pick<ImageView, "tag" | "digest">, style: Pick<Style, "wide">): string {
  if (digest === undefined) return `${tag ?? "no tag"} (no digest)`;
  return `${tag === undefined ? "" : `${tag} `}@ ${digestText(digest, style)}`;
}

/** Returns an image with its repository: `registry.example.com/shop/api:1.5.0 @ 4d5e6f708192`. */
export function imageText(image: ImageView, style: Pick<Style, "wide">): string {
  const tag = image.tag === undefined ? "" : `:${image.tag}`;
  return `${image.imageName}${tag}${image.digest === undefined ? "" : ` @ ${digestText(image.digest, style)}`}`;
}

/** Returns the tracked containers, or all containers if none is tracked. */
export function trackedContainers({ runs }: Pick<WorkloadView, "runs">): readonly ImageView[] {
  const selecting = runs.filter((image) => image.policy !== undefined);
  return selecting.length > 0 ? selecting : runs;
}

/** Returns a policy in words. `semver` without a range becomes `semver: any higher version`. */
export function policyWords(policy: string): string {
  return policy.replace(/^semver(?=$|, (?!same (?:major|minor)))/, "semver: any higher version");
}
