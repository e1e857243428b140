import { baseImageText } from "../../settings/base-images.ts";
import type { WorkloadSettings } from "../../settings/settings.ts";
import { deepEqual } from "../../shared/deep-equal.ts";
import type { BaseImageMove, SeenBaseImage } from "../../workload/base-image.ts";
import type { Decision } from "../state/changes.ts";
import type { WorkloadRecord } from "../state/workload.ts";

/** The most told digests of a base image that a record keeps. */
const mostTold = 10;

/**
 * Stores the digests of the base images, and tells of those that moved. Returns undefined if nothing
 * changed.
 *
 * The first digest of an image is no move. Each digest is told once. An image that the annotations no
 * longer name is forgotten, and one without a new read keeps its digest.
 *
 * @param read - the digests in the registry, by {@link baseImageText}.
 */
export function seeBaseImages(
  record: Pick<WorkloadRecord, "baseImages" | "effects" | "retry">,
  settings: Pick<WorkloadSettings, "baseImages">,
  read: ReadonlyMap<string, string>,
): Decision | undefined {
  const { baseImages: named = [] } = settings;
  const { baseImages: before = [], effects, retry } = record;
  const moves: BaseImageMove[] = [];
  const after = named.flatMap((one): readonly SeenBaseImage[] => {
    const image = baseImageText(one);
    const known = before.find((seen) => seen.image === image);
    const digest = read.get(image);
    if (known === undefined) return digest === undefined ? [] : [{ image, digest }];
    if (digest === undefined || digest === known.digest) return [known];
    const { told = [] } = known;
    if (told.includes(digest)) return [{ ...known, digest }];
    moves.push({ image, from: known.digest, digest });
    return [{ image, digest, told: [...told, digest].slice(-mostTold) }];
  });
  if (deepEqual(before, after)) return undefined;
  const about = { seq: 0, what: "base-image-moved", reasons: [], changes: [], baseImages: moves } as const;
  return {
    changes: {
      baseImages: after.length === 0 ? undefined : after,
      // The new version takes the place of one whose vote has to wake the gates.
      ...(effects.vote === undefined ? {} : { needsEvaluation: true }),
    },
    retry,
    transitions: moves.length === 0 ? [] : [{ ...about, detail: moves.map(moveText).join(", ") }],
  };
}

function moveText({ image, from, digest }: BaseImageMove): string {
  return `${image} moved from ${from} to ${digest}`;
}
