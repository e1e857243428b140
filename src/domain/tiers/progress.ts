import { type EpochMs, since } from "../shared/time.ts";
import type { Measurement } from "../update/effects/metrics.ts";
import type { RanImage, TierMember } from "./member.ts";
import { hasRun, isPossible, latestFound } from "./proof.ts";
import type { Tier } from "./rules.ts";

/** A tier of a group with its members. */
export interface TierOfGroup {
  readonly tier: Tier;
  readonly members: readonly TierMember[];
}

/**
 * Measures how far the newest image of a group is. Returns an empty list if no member ran any image.
 *
 * A member that joins later is to update as well, until it has run the image.
 */
export function measurementsOfGroup(
  group: string,
  tiers: readonly TierOfGroup[],
  now: EpochMs,
): readonly Measurement[] {
  const all = tiers.flatMap(({ members }) => members);
  const [newest] = latestFound(all.flatMap(({ ran }) => ran));
  if (newest === undefined) return [];
  const left = tiers.map((one) => one.members.filter((member) => isToUpdate(member, newest, one.tier)).length);
  const current = left.findIndex((members) => members > 0);
  const startedAt = Math.min(...runsOf(newest, all).map(({ at }) => at)) as EpochMs;
  const name = tiers[current]?.tier.name;
  const about = { group, tag: newest.tag, ...(name === undefined ? {} : { tier: name }) };
  return [
    { name: "TierCurrent", value: current + 1, about },
    { name: "TierMembersAtLatest", value: all.filter((member) => hasRun(member, newest)).length, about },
    { name: "TierMembersToUpdate", value: left.reduce((sum, members) => sum + members, 0), about },
    { name: "TierMembersSuspended", value: all.filter(({ suspended }) => suspended === true).length, about },
    {
      name: "TierUpgradingSeconds",
      value: name === undefined ? 0 : Math.max(0, since(startedAt, now)) / 1_000,
      about,
    },
  ];
}

/** Returns whether an image is still to come to a member. A tier that goes on past a failure waits for none. */
function isToUpdate(member: TierMember, image: RanImage, { haltOnFailure }: Tier): boolean {
  if (member.suspended === true || hasRun(member, image) || !isPossible(member, image)) return false;
  return (haltOnFailure && member.mayFail !== true) || member.halted.every(({ digest }) => digest !== image.digest);
}

function runsOf({ digest }: RanImage, members: readonly TierMember[]): readonly RanImage[] {
  return members.flatMap(({ ran }) => ran.filter((image) => image.digest === digest));
}
