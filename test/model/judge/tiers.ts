import { parseSettings } from "#domain/settings/settings";
import type { EpochMs } from "#domain/shared/time";
import type { Tier, TierRules } from "#domain/tiers/rules";
import type { WorkloadRecord } from "#domain/update/state/workload";
import type { ImageChange } from "#domain/workload/patch";
import { workloadKey } from "#domain/workload/workload";
import { pinOf, rankOf, short, tagOf } from "#test/model/image-text";
import type { Images } from "#test/model/world/images";
import type { ForwardPatch } from "./requests.ts";
import type { Complain } from "./complain.ts";

/** An update of a container whose pods ran. */
interface Success {
  readonly digest: string;
  /** The true time of its end. */
  readonly at: number;
  /** The instant at which Lookout learned of the image. */
  readonly foundAt: EpochMs;
}

/** What was stored of a workload at a tick, with all that succeeded before. */
interface Known {
  readonly tick: number;
  readonly record: WorkloadRecord;
  readonly successes: readonly Success[];
}

/** A forward patch with the annotations that its run read. */
export interface TieredPatch extends ForwardPatch {
  readonly annotations: Readonly<Record<string, string>>;
}

/** The tiers by which a patch is judged, and the names of images. */
interface JudgedBy {
  readonly rules: TierRules;
  readonly images: Images;
}

/** An earlier tier of a group with its members, as they are known. */
export interface KnownTier {
  readonly tier: Tier;
  readonly members: readonly Known[];
}

/** Judges the order of tiers by what was stored: annotations, ends of updates, and blocked digests. */
export interface TierJudge {
  /** Records a stored version at a tick, and the simulated time. */
  stored(after: WorkloadRecord, tick: number, at: number): void;
  checkPatched(patch: TieredPatch, by: JudgedBy): void;
  /** Returns the earlier tiers of a workload that have a member with a container. */
  earlierOf(
    record: WorkloadRecord,
    change: Pick<ImageChange, "list" | "name" | "imageName">,
    rules: TierRules,
  ): readonly KnownTier[];
  /** Returns whether a workload whose tier or group can't be holds the group of a record. */
  isHeldByName(record: WorkloadRecord): boolean;
}

type Annotations = Readonly<Record<string, string>>;
type Wanted = Pick<ImageChange, "list" | "name" | "imageName" | "tag" | "digest">;

/** Returns a judge that knows no workload. */
export function tierJudge(complain: Complain): TierJudge {
  const known = new Map<string, Known[]>();
  const membersAt = (tick: number): readonly Known[] =>
    [...known.values()].flatMap((versions) => versions.findLast((one) => one.tick < tick) ?? []);
  return {
    stored(record, tick, at) {
      const key = workloadKey(record.workload);
      const versions = known.get(key) ?? [];
      known.set(key, versions);
      const before = versions.at(-1);
      const { last } = record;
      // What a person takes back no longer counts.
      const taken = last?.status === "reverted" ? last.changes.map(({ digest }) => digest) : [];
      const all = before?.record.uid === record.uid ? before.successes : [];
      const kept = all.filter(({ digest }) => !taken.includes(digest));
      versions.push({ tick, record, successes: [...kept, ...successesIn(record, at)] });
    },
    checkPatched(patch, by) {
      const { updateLabel, record, annotations, changes, tick } = patch;
      const place = placeOf(record, annotations, by.rules);
      if (place === undefined) return;
      for (const change of changes) {
        const policy = parseSettings(annotations, record.observed.containers).containers[change.name]?.policy.kind;
        const at = (instant: number): readonly string[] => {
          const all = membersAt(instant);
          return earlier(place, change, by.rules, all, record).flatMap((tier) =>
            closedBy(tier, change, { ...by, at: patch.at, isSemver: policy === "semver", all }),
          );
        };
        // What opened since the gates were read opened it in time.
        const now = at(Infinity);
        for (const what of at(tick))
          if (now.includes(what)) complain("S17", `${updateLabel} wrote ${short(change.to)}, although ${what}`);
      }
    },
    isHeldByName: ({ member }) =>
      membersAt(Infinity).some(
        ({ record: { tracked, member: other } }) =>
          tracked && other?.misplaced !== undefined && other.group === member?.group,
      ),
    earlierOf(record, change, rules) {
      const place = placeOf(record, record.observed.annotations, rules);
      return place === undefined ? [] : earlier(place, change, rules, membersAt(Infinity), record);
    },
  };
}

interface KnownPlace {
  readonly group: string;
  readonly index: number;
}

/** Returns the place of a workload by its annotations and its cluster. Undefined: it is in no tier. */
function placeOf({ workload }: WorkloadRecord, annotations: Annotations, rules: TierRules): KnownPlace | undefined {
  const ofCluster = rules.clusters.find(({ name }) => name === workload.cluster)?.tier;
  const named = annotations["lookout.dev/tier"] ?? ofCluster ?? rules.tiers.at(-1)?.name;
  const index = rules.tiers.findIndex(({ name }) => name === named);
  const group = annotations["lookout.dev/tier-group"] ?? `${workload.namespace}/${workload.name}`;
  return index === -1 ? undefined : { group, index };
}

function earlier(
  { group, index }: KnownPlace,
  container: Pick<Wanted, "list" | "name" | "imageName">,
  rules: TierRules,
  all: readonly Known[],
  own: WorkloadRecord,
): readonly KnownTier[] {
  return rules.tiers.slice(0, index).flatMap((tier, earlierIndex) => {
    const members = all.filter(({ record }) => {
      const place = placeOf(record, record.observed.annotations, rules);
      const isThere = record.tracked && place?.group === group && place.index === earlierIndex;
      const isOwn = workloadKey(record.workload) === workloadKey(own.workload);
      return isThere && !isOwn && runningIn(record, container) !== undefined;
    });
    return members.length === 0 ? [] : [{ tier, members }];
  });
}

/** Returns the image text of the same container of a member: of its name, or of its repository. */
function runningIn(
  { observed }: WorkloadRecord,
  { list, name, imageName }: Pick<Wanted, "list" | "name" | "imageName">,
) {
  const { containers } = observed;
  return (
    containers.find((one) => one.list === list && one.name === name) ??
    containers.find(({ image }) => image.startsWith(`${imageName}:`))
  );
}

interface Judged extends JudgedBy {
  readonly at: number;
  readonly isSemver: boolean;
  readonly all: readonly Known[];
}

/** Returns why an image may not pass an earlier tier; empty if it may. */
function closedBy({ tier, members }: KnownTier, wanted: Wanted, judged: Judged): readonly string[] {
  const counting = members.filter((member) => !isSuspended(member));
  const halting = counting.filter(({ record }) => record.blocked.some(({ digest }) => digest === wanted.digest));
  if (tier.haltOnFailure && halting.length > 0)
    return halting.map(({ record }) => `${record.workload.name} of tier ${tier.name} has it blocked`);
  const ran = members.flatMap((member) => successOf(member, wanted) ?? []);
  if (ran.length === 0) return [`no member of tier ${tier.name} has run it`];
  return counting.flatMap((member) => {
    const { record } = member;
    const of = `${record.workload.name} of tier ${tier.name}`;
    if (halting.includes(member)) return [];
    const success = successOf(member, wanted);
    if (success === undefined) return isAhead(member, wanted, judged) ? [] : [`${of} has not run it`];
    return judged.at < success.at + tier.soak ? [`${of} ran it less than its soak ago`] : [];
  });
}

/** Returns whether updates of a member are suspended, as its record says. */
export function isSuspended({ record: { suspension, observed } }: Known): boolean {
  return suspension !== undefined || observed.annotations["lookout.dev/suspend"] === "true";
}

/** Returns the first success of a member with a digest; undefined if it did not run it. */
export function successOf({ successes }: Known, { digest }: Pick<Wanted, "digest">): Success | undefined {
  return successes.find((one) => one.digest === digest);
}

/** Returns whether a member runs a higher version, or a later digest, so that nobody waits for it. */
function isAhead({ record }: Known, wanted: Wanted, { images, isSemver, all }: Judged): boolean {
  const running = runningIn(record, wanted);
  if (running === undefined) return false;
  const text = running.image.split("@")[0] ?? "";
  const tag = tagOf(running.image);
  if (isSemver && tag !== wanted.tag) return rankOf(tag) > rankOf(wanted.tag);
  const digest = pinOf(running.image) ?? running.digest;
  if (digest === undefined) return true;
  if (text === `${wanted.imageName}:${wanted.tag}` && images.namedAfter(text, wanted.digest, digest)) return true;
  // Lookout may find a digest late that was pushed early, and finds a requested one at the request.
  const foundAt = (of: string): number =>
    Math.min(...all.flatMap(({ successes }) => successes.filter((one) => one.digest === of)).map((one) => one.foundAt));
  const [its, own] = [foundAt(digest), foundAt(wanted.digest)];
  return its < Infinity && its >= own;
}

function successesIn({ transitions, last }: WorkloadRecord, at: number): readonly Success[] {
  if (last?.status !== "succeeded" || !transitions.some(({ seq, what }) => seq === last.seq && what === "succeeded"))
    return [];
  // No pod showed that the images run.
  if (last.isUnproved === true) return [];
  return last.changes.map(({ digest }) => ({ digest, at, foundAt: last.detectedAt }));
}
