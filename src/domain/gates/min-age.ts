import { readDuration, type ReadValue } from "../annotations/setting-values.ts";
import { agesFrom } from "../policy/tag-age.ts";
import type { Sighting, TaggedImage } from "../policy/tag-history.ts";
import { formatDuration } from "../shared/duration.ts";
import { problem } from "../shared/result.ts";
import { type DurationMs, durationMs, hours, plus, toIso } from "../shared/time.ts";
import { type AskGate, closed, type GatedSettings, open } from "./gate.ts";
import { gateSetting } from "./gate-setting.ts";

/** The longest minimum age. Lookout keeps sightings of images for twice the age of a workload. */
const longestMinAge = hours(90 * 24);

const readMinAge: ReadValue<DurationMs> = (text) => {
  const age = readDuration(text);
  return age.ok && age.value > longestMinAge ? problem(`expected at most ${formatDuration(longestMinAge)}`) : age;
};

/** The time for which a tag must have been at its digest. */
export const minAgeSetting = gateSetting({
  key: "min-age",
  isSupported: true,
  parse: readMinAge,
  label: "minimum age",
  toJson: formatDuration,
  toText: formatDuration,
});

/** Returns the minimum age of a workload; 0 without one. */
export function minAgeOf({ gates }: Pick<GatedSettings, "gates">): DurationMs {
  return minAgeSetting.valueIn(gates) ?? durationMs(0);
}

/**
 * Holds an update until each tag came to its digest at least the minimum age ago.
 *
 * The selection prefers images that are old enough, so this gate holds an update while no image is.
 * At the release it is the last guard: a tag that came back to its digest meanwhile is young again.
 *
 * Lookout uses its own clock, because publishers set all other instants. Lookout also holds an
 * update to an image that it has not seen.
 */
export const askMinAge: AskGate = ({ settings, changes, facts: { sightings }, now }) => {
  const minAge = minAgeOf(settings);
  if (minAge === 0) return open;
  const unseen = changes.find((change) => sightingOf(change, sightings) === undefined);
  if (unseen !== undefined)
    return closed({ reason: "image-too-new", detail: `Lookout has not seen ${unseen.tag} yet` });
  const seen = changes.flatMap((change) => sightingOf(change, sightings) ?? []);
  const ages = seen.map(({ tag, ...sighting }) => ({ tag, from: agesFrom({ tag, ...sighting }, now) }));
  const youngest = ages.toSorted((one, other) => other.from - one.from)[0];
  if (youngest === undefined) return open;
  const until = plus(youngest.from, minAge);
  if (until <= now) return open;
  const detail = `${youngest.tag} was first seen at ${toIso(youngest.from)}, minimum age ${formatDuration(minAge)}`;
  return closed({ reason: "image-too-new", detail, until });
};

function sightingOf({ imageName, tag, digest }: TaggedImage, sightings: readonly Sighting[]): Sighting | undefined {
  return sightings.find((one) => one.imageName === imageName && one.tag === tag && one.digest === digest);
}
