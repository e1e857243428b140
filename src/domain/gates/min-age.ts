import { readDuration, type ReadValue } from "../annotations/setting-values.ts";
import type { Sighting, TaggedImage } from "../policy/tag-history.ts";
import { formatDuration } from "../shared/duration.ts";
import { problem } from "../shared/result.ts";
import { type DurationMs, hours, plus, toIso } from "../shared/time.ts";
import { type AskGate, closed, open } from "./gate.ts";
import { gateSetting } from "./gate-setting.ts";

/** The longest minimum age. Lookout keeps sightings of images for twice this time. */
const longestMinAge = hours(90 * 24);

const readMinAge: ReadValue<DurationMs> = (text) => {
  const age = readDuration(text);
  return age.ok && age.value > longestMinAge ? problem(`expected at most ${formatDuration(longestMinAge)}`) : age;
};

/** The time for which Lookout must have known an image. */
export const minAgeSetting = gateSetting({
  key: "min-age",
  isSupported: true,
  parse: readMinAge,
  label: "minimum age",
  toJson: formatDuration,
  toText: formatDuration,
});

/**
 * Holds an update until Lookout has known each digest under its tag for the minimum age.
 *
 * Lookout uses its own clock, because publishers set all other instants. Lookout also holds an
 * update to an image that it has not seen.
 */
export const askMinAge: AskGate = ({ settings, changes, facts: { sightings }, now }) => {
  const minAge = minAgeSetting.valueIn(settings.gates);
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

function sightingOf({ imageName, tag, digest }: TaggedImage, sightings: readonly Sighting[]): Sighting | undefined {
  return sightings.find((one) => one.imageName === imageName && one.tag === tag && one.digest === digest);
}
