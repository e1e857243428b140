import { mayReplace } from "../policy/young-tags.ts";
import { asksWhenMoved, type CandidateTag, type SelectionRule, type TagPolicy } from "../policy/policy.ts";
import { type EpochMs, epochMs, minutes, plus } from "../shared/time.ts";
import { compareTexts } from "../shared/text-order.ts";
import { workloadKey } from "../workload/workload.ts";
import { type HaltedImage, presentOf, type RanImage, type TierContainer, type TierMember } from "./member.ts";
import type { Tier } from "./rules.ts";

/** A cluster that can't prove anything about its members now. */
export interface UnprovedCluster {
  readonly cluster: string;
  /** Why, for people: `not synced since the tiers changed`. */
  readonly detail: string;
}

/** An earlier tier of a group, as it was read. */
export interface EarlierTier {
  readonly tier: Tier;
  /** With those that left. */
  readonly members: readonly TierMember[];
  /** The clusters that may have members which Lookout does not know yet. */
  readonly unread: readonly UnprovedCluster[];
  /** The clusters that give no answer. */
  readonly away: readonly UnprovedCluster[];
}

/** Returns a tier whose members are all known, and whose clusters answer. */
export function knownTier(tier: Tier, members: readonly TierMember[]): EarlierTier {
  return { tier, members, unread: [], away: [] };
}

/** An image of a container, as a policy selected it. */
export interface WantedImage extends TierContainer {
  readonly tag: string;
  readonly digest: string;
}

/** How an image stands in an earlier tier. */
export type TierStanding =
  /** No member of the tier has the container. */
  | { readonly kind: "empty" }
  /** All members that count ran it for the soak. */
  | { readonly kind: "proven"; readonly from: EpochMs }
  /** All members that count ran it, and the soak ends later. */
  | { readonly kind: "soaking"; readonly from: EpochMs; readonly by: TierMember }
  | { readonly kind: "pending"; readonly by: TierMember }
  | { readonly kind: "halted"; readonly by: TierMember; readonly halted: HaltedImage }
  /** No member counts: all are suspended, already higher, or failed without a halt. */
  | { readonly kind: "unproved" }
  | { readonly kind: "unread"; readonly cluster: UnprovedCluster; readonly by?: TierMember };

/** The rule without the settings of a workload: an image that Lookout found later is higher. */
export const laterIsHigher: SelectionRule = { policy: { kind: "latest" }, allowDowngrade: false };

/** Returns how an image stands in an earlier tier. `rule` is the policy of the workload that wants the image. */
export function standingIn(earlier: EarlierTier, image: WantedImage, rule: SelectionRule, now: EpochMs): TierStanding {
  const { tier, unread } = earlier;
  const [first] = unread;
  if (first !== undefined) return { kind: "unread", cluster: first };
  return tier.image === undefined
    ? standingOfImage(earlier, { image, rule }, now)
    : standingOfDeclared(earlier, tier.image, image, now);
}

/** Returns how an image stands among the members that have its container, with those that left. */
function standingOfImage(
  earlier: EarlierTier,
  { image, rule }: { readonly image: WantedImage; readonly rule: SelectionRule },
  now: EpochMs,
): TierStanding {
  const { tier } = earlier;
  const ever = earlier.members.filter((member) => isPossible(member, image));
  for (const by of tier.haltOnFailure ? ever : []) {
    if (by.mayFail === true) continue;
    const halted = haltedIn(by, image);
    if (halted !== undefined) return { kind: "halted", by, halted };
  }
  const [members, possible] = [presentOf(earlier.members), presentOf(ever)];
  if (possible.length === 0) return standingOfEmpty(ever, tier, now);
  const counting = countingMembers(possible, members, image, rule);
  const waiting = counting.find((member) => !hasRun(member, image));
  if (waiting !== undefined) return unreadOf(waiting, earlier) ?? { kind: "pending", by: waiting };
  for (const member of counting) {
    const standing = unreadOf(member, earlier);
    if (standing !== undefined) return standing;
  }
  const last = lastToRun(counting, image);
  if (last === undefined) return { kind: "unproved" };
  const from = plus(last.at, tier.soak);
  return from > now ? { kind: "soaking", from, by: last.member } : { kind: "proven", from };
}

/**
 * Returns the standing of a tier whose members shall run an image that a definition names. `wanted` is the image of the
 * later tier: if the tags are the same, the members shall have run its digest.
 */
function standingOfDeclared(
  earlier: EarlierTier,
  declared: DeclaredImage,
  wanted: WantedImage,
  now: EpochMs,
): TierStanding {
  if (wanted.imageName !== declared.imageName) return { kind: "empty" };
  const digest = wanted.tag === declared.tag ? wanted.digest : undefined;
  const ran = (member: TierMember): boolean => runsDeclared(member, declared, digest);
  const members = presentOf(earlier.members);
  // Of another tag than the wanted one, any digest that ran proves the tier.
  const isMended = (image: HaltedImage): boolean =>
    digest === undefined && members.some((member) => ranAfter(member, declared, image));
  const failed = (member: TierMember): HaltedImage | undefined =>
    ran(member) ? undefined : member.halted.find((image) => isImage(image, declared, digest) && !isMended(image));
  const halt = haltOf(earlier.members, failed, members.some(ran));
  if (halt !== undefined) return halt;
  if (members.length === 0) return standingOfEmpty(earlier.members, earlier.tier, now);
  const waiting = members.find((member) => member.suspended !== true && !ran(member) && failed(member) === undefined);
  if (waiting !== undefined) return unreadOf(waiting, earlier) ?? { kind: "pending", by: waiting };
  for (const member of members) {
    const standing = unreadOf(member, earlier);
    if (standing !== undefined) return standing;
  }
  return { kind: "proven", from: epochMs(0) };
}

/** Returns whether a member ran another digest of a tag after one failed. */
function ranAfter({ ran }: TierMember, declared: DeclaredImage, { digest, at }: HaltedImage): boolean {
  return ran.some((image) => isImage(image, declared, undefined) && image.digest !== digest && image.at > at);
}

/** Returns the standing of a tier with a failure. One that halts nothing needs another member that runs the image. */
function haltOf(
  members: readonly TierMember[],
  failed: (member: TierMember) => HaltedImage | undefined,
  isRun: boolean,
): TierStanding | undefined {
  for (const by of members) {
    const halted = failed(by);
    if (halted !== undefined && by.suspended !== true && (by.mayFail !== true || !isRun))
      return { kind: "halted", by, halted };
  }
  return undefined;
}

type DeclaredImage = NonNullable<Tier["image"]>;

/**
 * Returns whether all containers of a member that a definition is about run its tag, and ran it well.
 *
 * @param digest - the digest that they shall have run. Undefined: any digest of the tag.
 */
export function runsDeclared(member: TierMember, declared: DeclaredImage, digest?: string): boolean {
  const { containers, ran } = member;
  const own = containers.filter(({ list, imageName }) => list === "containers" && imageName === declared.imageName);
  return (
    own.length > 0 &&
    own.every(
      (container) =>
        container.tag === declared.tag &&
        ran.some((image) => image.name === container.name && isImage(image, declared, digest)),
    )
  );
}

function isImage(
  image: RanImage | HaltedImage,
  { imageName, tag }: DeclaredImage,
  digest: string | undefined,
): boolean {
  return image.imageName === imageName && image.tag === tag && (digest === undefined || image.digest === digest);
}

/** The time for which a tier whose last member left stays closed, because the member may be created anew. */
const emptyFor = minutes(10);

/** Returns the standing of a tier without a member. It stays closed for the soak, and a while. */
function standingOfEmpty(left: readonly TierMember[], { soak }: Tier, now: EpochMs): TierStanding {
  const [by] = left.toSorted((one, other) => (other.leftAt ?? 0) - (one.leftAt ?? 0));
  if (by?.leftAt === undefined) return { kind: "empty" };
  const from = plus(by.leftAt, soak > emptyFor ? soak : emptyFor);
  return from > now ? { kind: "soaking", from, by } : { kind: "empty" };
}

/** Returns the members for which the next tier waits: not those that are suspended, failed or already higher. */
function countingMembers(
  possible: readonly TierMember[],
  members: readonly TierMember[],
  image: WantedImage,
  rule: SelectionRule,
): readonly TierMember[] {
  const foundAt = foundAtOf(image.digest, members);
  const isHigher = higherThan({ ...image, ...(foundAt === undefined ? {} : { foundAt }) }, rule, members);
  return possible.filter(
    (member) =>
      haltedIn(member, image) === undefined &&
      member.suspended !== true &&
      (hasRun(member, image) || !isHigher(member)),
  );
}

/** Returns the standing of a member whose cluster gives no answer. Undefined if it answers. */
function unreadOf(by: TierMember, { away }: EarlierTier): TierStanding | undefined {
  const cluster = away.find((one) => one.cluster === by.workload.cluster);
  return cluster === undefined ? undefined : { kind: "unread", cluster, by };
}

/** An image that all earlier tiers ran, and the instant from which a lower tier may get it. */
export interface ProvenImage extends RanImage {
  readonly from: EpochMs;
}

/** The most different digests of one container that are judged: the latest ones. */
const mostJudged = 50;

/**
 * Returns the images of a container that all earlier tiers ran or soak, in no order. Undefined if no
 * earlier tier has a member with the container, so that none has to prove anything.
 */
export function provenImages(
  earlier: readonly EarlierTier[],
  { list, name, imageName }: TierContainer,
  rule: SelectionRule,
): readonly ProvenImage[] | undefined {
  const container = { list, name, imageName };
  // The policy allows one tag only, so the gate alone decides.
  if (earlier.some(({ tier }) => tier.image !== undefined)) return undefined;
  const having = earlier.filter(
    ({ members, unread }) => unread.length > 0 || presentOf(members).some((one) => isPossible(one, container)),
  );
  if (having.length === 0) return undefined;
  if (having.some(({ unread }) => unread.length > 0)) return [];
  return candidates(having, container).flatMap((image): readonly ProvenImage[] => {
    const standings = having.map((tier) => standingIn(tier, { ...container, ...tagAndDigest(image) }, rule, never));
    const instants = standings.flatMap((standing) => (standing.kind === "soaking" ? [standing.from] : []));
    if (instants.length < standings.length) return [];
    return [{ ...image, ...container, from: epochMs(Math.max(...instants)) }];
  });
}

/** Before this instant every image that ran still soaks, so that its standing has the end of the soak. */
const never = epochMs(-8.64e15);

function tagAndDigest({ tag, digest }: RanImage): Pick<RanImage, "tag" | "digest"> {
  return { tag, digest };
}

/** Returns the latest images that members ran in a container. */
function candidates(earlier: readonly EarlierTier[], container: TierContainer): readonly RanImage[] {
  const ran = earlier.flatMap(({ members }) => presentOf(members)).flatMap((member) => member.ran);
  return latestFound(ran.filter((image) => isSameContainer(image, container))).slice(0, mostJudged);
}

/** Returns the images with each digest once, by its first sight. The image that Lookout found last comes first. */
export function latestFound(images: readonly RanImage[]): readonly RanImage[] {
  const first = new Map<string, RanImage>();
  for (const image of images) {
    const known = first.get(image.digest);
    if (known === undefined || image.foundAt < known.foundAt) first.set(image.digest, image);
  }
  return [...first.values()].toSorted((one, other) => other.foundAt - one.foundAt || other.at - one.at);
}

/** Returns whether two containers are the same in two workloads: they have one name, or images of one repository. */
function isSameContainer(one: TierContainer, other: TierContainer): boolean {
  return (one.list === other.list && one.name === other.name) || one.imageName === other.imageName;
}

/** Returns the container of a member with the name of another one, else with an image of its repository. */
export function containerOf(
  member: TierMember,
  container: TierContainer,
): TierMember["containers"][number] | undefined {
  const { containers } = member;
  return (
    containers.find(({ list, name }) => list === container.list && name === container.name) ??
    containers.find(({ imageName }) => imageName === container.imageName)
  );
}

/** Returns whether a member has the container. One that can't be read may have any. */
export function isPossible(member: TierMember, container: TierContainer): boolean {
  return member.isUnreadable === true || containerOf(member, container) !== undefined;
}

/** Returns whether a member ran an image with success. */
export function hasRun({ ran }: TierMember, { digest }: Pick<WantedImage, "digest">): boolean {
  return ran.some((image) => image.digest === digest);
}

function haltedIn({ halted }: TierMember, { digest }: WantedImage): HaltedImage | undefined {
  return halted.find((image) => image.digest === digest);
}

/** Returns the instant at which Lookout first learned of a digest. Undefined if no member ran it. */
function foundAtOf(digest: string, members: readonly TierMember[]): EpochMs | undefined {
  const found = members.flatMap(({ ran }) => ran.filter((image) => image.digest === digest));
  return found.length === 0 ? undefined : epochMs(Math.min(...found.map(({ foundAt }) => foundAt)));
}

/** Returns whether members run a higher version than an image, or a later digest of its tag. */
function higherThan(
  image: WantedImage & { readonly foundAt?: EpochMs },
  wanted: SelectionRule,
  members: readonly TierMember[],
): (member: TierMember) => boolean {
  const rule = orderOf(wanted);
  const movedAt = image.foundAt === undefined ? {} : { movedAt: image.foundAt };
  const current = { tag: image.tag, digest: image.digest, ...movedAt };
  const known = new Map<string, boolean>();
  const judge = (tag: string, digest: string | undefined): boolean => {
    const foundAt = digest === undefined ? undefined : foundAtOf(digest, members);
    if (tag === image.tag)
      return foundAt !== undefined && image.foundAt !== undefined && digest !== image.digest && foundAt > image.foundAt;
    const candidate: CandidateTag = foundAt === undefined ? tag : { name: tag, movedAt: foundAt };
    return mayReplace(rule, current, candidate);
  };
  return (member) => {
    const runs = containerOf(member, image);
    if (runs?.tag === undefined) return false;
    const key = `${runs.tag} ${runs.digest ?? ""}`;
    const isHigher = known.get(key) ?? judge(runs.tag, runs.digest);
    known.set(key, isHigher);
    return isHigher;
  };
}

/**
 * Returns the order of a rule without its limits, because a member may run a tag that the workload never gets. A
 * filter stays only where it says which part of a tag is compared.
 */
function orderOf({ policy, filter }: SelectionRule): SelectionRule {
  const isExtracted = filter?.extract !== undefined && !asksWhenMoved(policy);
  const compared = isExtracted ? { filter: { ...filter, include: [], exclude: [] } } : {};
  return { policy: orderOfPolicy(policy), ...compared, allowDowngrade: false };
}

function orderOfPolicy(policy: TagPolicy): TagPolicy {
  switch (policy.kind) {
    case "semver":
    case "pinned": {
      const suffixes = policy.suffixes === undefined ? {} : { suffixes: policy.suffixes };
      return { kind: "semver", allowPrerelease: true, ...suffixes };
    }
    case "regex":
      return { kind: "latest" };
    case "latest":
    case "alphabetical":
    case "numerical":
    case "digest":
      return policy;
  }
}

/** Returns the member that ran an image last. Of two, the first by its key. Undefined without members. */
function lastToRun(
  counting: readonly TierMember[],
  { digest }: WantedImage,
): { readonly member: TierMember; readonly at: EpochMs } | undefined {
  const runs = counting.flatMap((member) => {
    const image = member.ran.find((one) => one.digest === digest);
    return image === undefined ? [] : [{ member, at: image.at }];
  });
  return runs.toSorted(
    (one, other) =>
      other.at - one.at || compareTexts(workloadKey(one.member.workload), workloadKey(other.member.workload)),
  )[0];
}
