import type { Sighting, TaggedImage } from "../policy/tag-history.ts";
import { formatDuration } from "../shared/duration.ts";
import { plus, toIso } from "../shared/time.ts";
import { type AskGate, closed, open } from "./gate.ts";

/**
 * Holds an update until Lookout has known each digest under its tag for the minimum age.
 *
 * The clock is Lookout's own, because publishers set all other instants. An image that Lookout has
 * not seen is held too.
 */
export const askMinAge: AskGate = ({ settings: { gates }, changes, facts: { sightings }, now }) => {
  const { minAge } = gates;
  if (minAge === undefined || minAge === 0) return open;
  const unseen = changes.find((change) => sightingOf(change, sightings) === undefined);
  if (unseen !== undefined)
    return closed({ reason: "image-too-new", detail: `Lookout has not seen ${unseen.tag} yet` });
  const seen = changes.flatMap((change) => sightingOf(change, sightings) ?? []);
  const youngest = seen.toSorted((one, other) => other.seenAt - one.seenAt)[0];
  if (youngest === undefined) return open;
  const until = plus(youngest.seenAt, minAge);
  if (until <= now) return open;
  const detail = `${youngest.tag} was first seen at ${toIso(youngest.seenAt)}, minimum age ${formatDuration(minAge)}`;
  return closed({ reason: "image-too-new", detail, until });
};

function sightingOf({ repository, tag, digest }: TaggedImage, sightings: readonly Sighting[]): Sighting | undefined {
  return sightings.find((one) => one.repository === repository && one.tag === tag && one.digest === digest);
}
