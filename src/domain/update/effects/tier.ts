import { annotationPrefix } from "../../annotations/written-settings.ts";
import { haltSetting } from "../../gates/tier.ts";
import { readBoolean } from "../../annotations/setting-values.ts";
import { imageNameOf } from "../../image/reference.ts";
import { deepEqual } from "../../shared/deep-equal.ts";
import { withoutUndefined } from "../../shared/without-undefined.ts";
import {
  mostHalted,
  type RanImage,
  type TierChange,
  type StoredTierPlace,
  type TierMember,
} from "../../tiers/member.ts";
import { followsItself } from "../../definitions/service-annotations.ts";
import { declaredPlaceIn, declaredTagIn } from "../../tiers/declared-tiers.ts";
import { keptImages } from "../../tiers/kept-images.ts";
import { type Membership, membershipOf } from "../../tiers/membership.ts";
import type { TierRules } from "../../tiers/rules.ts";
import type { EpochMs } from "../../shared/time.ts";
import { isSameDigest } from "../../workload/repository-digest.ts";
import { currentImage, repositoryOf } from "../decide/desired-image.ts";
import type { EndedUpdate, WorkloadRecord } from "../state/workload.ts";

/** The parts of a record that say where it is among the tiers, and what it ran there. */
type TierParts = Pick<WorkloadRecord, "member" | "ran">;

/**
 * Returns the place of a record's next version among the tiers, and the images that ran there. Both are
 * absent if the workload is no member of a tier.
 */
export function tierPartsOf(before: WorkloadRecord, after: WorkloadRecord, rules: TierRules): TierParts {
  const member = placeOf(after, rules, before.member);
  if (member === undefined) return {};
  const ran = ranIn(before, after);
  return { member, ...(ran.length === 0 ? {} : { ran }) };
}

/**
 * Returns the place that the rules give a record. Undefined if it is no member of a tier.
 *
 * A workload whose own tier or group can't be stays where it was, or else is in the first tier, and has run nothing
 * there: a typing error in dev must not open prod.
 */
function placeOf(record: WorkloadRecord, rules: TierRules, former = record.member): StoredTierPlace | undefined {
  if (!record.tracked) return undefined;
  const membership = membershipOfRecord(record, rules);
  if (membership.kind === "member") return { group: membership.group, tier: membership.tier };
  const [first] = rules.tiers;
  if (membership.kind === "none" || first === undefined) return undefined;
  const isKnown = rules.tiers.some(({ name }) => name === former?.tier);
  const { namespace, name } = record.workload;
  const { group, tier } =
    isKnown && former !== undefined ? former : { group: former?.group ?? `${namespace}/${name}`, tier: first.name };
  return { group, tier, misplaced: membership.detail };
}

/** Returns what the rules say of a record. */
export function membershipOfRecord({ workload, uid, observed }: WorkloadRecord, rules: TierRules): Membership {
  const { annotations, labels = {} } = observed;
  return membershipOf({ workload, uid, annotations, labels }, rules);
}

/** Returns whether the stored place of a record differs from the rules. */
export function isMisplaced(record: WorkloadRecord, rules: TierRules): boolean {
  return !deepEqual(record.member, placeOf(record, rules));
}

function ranIn(before: WorkloadRecord, after: WorkloadRecord): readonly RanImage[] {
  const { last, blocked } = after;
  const known = before.uid === after.uid ? ranBefore(before) : [];
  const isNew = last?.status === "succeeded" && last.seq !== before.last?.seq;
  // Besides the images of an update, those that were found to run well.
  const found = (after.ran ?? []).filter((image) => before.ran?.includes(image) !== true);
  const fresh = [...(isNew ? imagesOf(last) : []), ...found];
  const others = known.filter((old) => !fresh.some((image) => isOf(image, old) && image.digest === old.digest));
  // What a person took away no longer counts, until it is seen again.
  const isTaken = ({ digest, at }: RanImage): boolean =>
    last?.status === "reverted" && at <= last.endedAt && last.changes.some((change) => change.digest === digest);
  return keptImages([...fresh, ...others].filter((image) => !blocked.some(isSameDigest(image)) && !isTaken(image)));
}

/** Returns what ran before. A workload that joins a tier begins with the last update that landed. */
function ranBefore({ member, ran = [], landed }: WorkloadRecord): readonly RanImage[] {
  return member === undefined ? imagesOf(landed) : ran;
}

function isOf(one: RanImage, other: RanImage): boolean {
  return one.list === other.list && one.name === other.name;
}

/** Returns the images of an update whose pods ran; none for any other update. */
function imagesOf(ended: EndedUpdate | undefined): readonly RanImage[] {
  if (ended?.status !== "succeeded" || ended.isUnproved === true) return [];
  const { changes, detectedAt, foundAt = detectedAt, endedAt: at } = ended;
  return changes.map(({ list, name, imageName, tag, digest }) => ({ list, name, imageName, tag, digest, foundAt, at }));
}

/**
 * Returns the images of a ServiceImage that a workload already has, and that no update of Lookout brought. Their pods
 * prove that they run. Empty if there is none, or while an update is open.
 */
export function unprovenImages(
  { observed, active, pending, blocked, ran = [] }: WorkloadRecord,
  now: EpochMs,
): readonly RanImage[] {
  const place = declaredPlaceIn(observed.annotations);
  const tag = declaredTagIn(observed.annotations);
  if (place === undefined || tag === undefined || active !== undefined || pending !== undefined) return [];
  return observed.containers.flatMap((container) => {
    const { list, name, baseline } = container;
    const repository = list === "containers" ? repositoryOf(container) : undefined;
    const imageName = repository && imageNameOf(repository);
    const { tag: present, digest = baseline } = currentImage(container);
    if (imageName !== place.imageName || present !== tag || digest === undefined) return [];
    // Without a digest in the text, pods may report that of their platform, and the registry has that of the index.
    const ranDigest = container.image.includes("@") ? digest : (baseline ?? digest);
    const image: RanImage = { list, name, imageName, tag, digest: ranDigest, foundAt: now, at: now };
    // A restart may have brought another digest of the tag. One that is blocked is never stored as run.
    const isDone = ran.some((one) => isOf(one, image) && one.tag === tag && isSameDigest(image)(one));
    return isDone || blocked.some(isSameDigest(image)) ? [] : [image];
  });
}

/** Returns the change of what lower tiers read of a record. Undefined if nothing changes for them. */
export function tierChange(before: WorkloadRecord, after: WorkloadRecord): TierChange | undefined {
  const [old, puts] = [memberOf(before), memberOf(after)];
  if (deepEqual(old, puts)) return undefined;
  const isElsewhere = old !== undefined && (puts?.group !== old.group || puts.tier !== old.tier);
  return withoutUndefined<TierChange>({
    puts,
    leaves: isElsewhere ? { ...old, leftAt: after.changedAt } : undefined,
  });
}

/** Returns what lower tiers read of a record. Undefined if it is no member of a tier. */
export function memberOf(record: WorkloadRecord): TierMember | undefined {
  const { workload, member, ran = [], blocked, observed, suspension } = record;
  if (member === undefined || !record.tracked) return undefined;
  const isSuspended = suspension !== undefined || switchIn(observed.annotations, "suspend") === true;
  const mayFail = switchIn(observed.annotations, haltSetting.key) === false;
  const place = declaredPlaceIn(observed.annotations);
  return {
    ...member,
    workload,
    containers: observed.containers.flatMap((container) => {
      const repository = repositoryOf(container);
      if (repository === undefined) return [];
      const { list, name } = container;
      const { tag, digest } = currentImage(container);
      if (place?.imageName === imageNameOf(repository) && followsItself(name, observed.annotations)) return [];
      return [{ list, name, imageName: imageNameOf(repository), ...withoutUndefined({ tag, digest }) }];
    }),
    ran: member.misplaced === undefined ? ran : [],
    halted: blocked
      .toReversed()
      .slice(0, mostHalted)
      .map(({ imageName, tag, digest, reason, by, at }) =>
        withoutUndefined({ imageName, tag, digest, reason, by, at }),
      ),
    ...(isSuspended ? { suspended: true } : {}),
    ...(mayFail ? { mayFail } : {}),
  };
}

/** Returns the value of a switch among annotations. Undefined if it is absent or invalid. */
function switchIn(annotations: Readonly<Record<string, string>>, setting: string): boolean | undefined {
  const text = annotations[annotationPrefix + setting];
  const read = text === undefined ? undefined : readBoolean(text);
  return read?.ok === true ? read.value : undefined;
}
