import { artifactText } from "#domain/image/artifact";
import { imageNameOf } from "#domain/image/reference";
import {
  asksWhenMoved,
  type CandidateTag,
  type CurrentImage,
  decidingTags,
  nameOf,
  type RejectedTag,
  type Selection,
  selectTag,
} from "#domain/policy/policy";
import { movedAtOf } from "#domain/policy/candidate-tag";
import { newerThanRunning, oldEnoughAt, type StoredSighting } from "#domain/policy/tag-age";
import {
  firstOldEnough,
  highestYoung,
  inTurn,
  isPreferred,
  mayReplace,
  type YoungTag,
} from "#domain/policy/young-tags";
import { isBlockReason, retryOf } from "#domain/shared/reasons";
import { earliest, type EpochMs, epochMs } from "#domain/shared/time";
import { type ProvenImage, provenImages } from "#domain/tiers/proof";
import { provenDigest } from "#domain/tiers/proven-digest";
import { currentImage, type DesiredImage, findBlocked, platformsMatter } from "#domain/update/decide/desired-image";
import type { ImageChange } from "#domain/workload/patch";
import type { ManifestRead } from "#ports/registry";
import { readOnceFor } from "./once.ts";
import {
  compareDigest,
  isProposed,
  registryFailure,
  type SelectedContainer,
  selectionFailure,
  selectionKey,
  withPlatforms,
} from "./tag-image.ts";
import type { SeenTags } from "./seen-tags.ts";

/** A tag that the policy prefers, but that can't run or is not old enough. */
export interface SkippedTag extends RejectedTag {
  /** The artifact. Absent for an image. */
  readonly detail?: string;
  /** The instant at which the tag is old enough. Absent for an artifact. */
  readonly until?: EpochMs;
}

/** The desired image of a container, and the preferred tags that Lookout skipped. */
export interface WalkedTags {
  readonly desired: DesiredImage;
  /** The tag of the desired image, or the tag that failed. Absent if the policy selects no tag. */
  readonly tag?: string;
  readonly skipped: readonly SkippedTag[];
  /** True if the desired image is not old enough yet: its gate holds it. */
  readonly isYoung?: true;
  /** The tags that the earlier tiers ran, if only they could be selected. Absent otherwise. */
  readonly proven?: ReadonlySet<string>;
}

/**
 * The most registry requests of one walk. After the last request, the walk fails and names the
 * tags that it skipped.
 */
const mostRequests = 10;

/** The most requests for one tag: its digest and its manifest. */
const requestsPerTag = 2;

function mayAsk({ asked }: Walk, more: number): boolean {
  return asked.size + more <= mostRequests;
}

/** A walk over the candidates of a container, from the highest down. */
interface Walk extends SelectedContainer {
  /** The sightings of the repository. Undefined without a minimum age. */
  readonly seen: SeenTags | undefined;
  readonly now: EpochMs;
  /** The images that may be selected. Absent if any may. */
  readonly proven?: readonly ProvenImage[];
  /** The running image, with which the policy compares the candidates. */
  readonly current: CurrentImage;
  /** The candidates that have not been judged. */
  pool: readonly CandidateTag[];
  /** The tags and digests that the walk has asked the registry for. */
  readonly asked: Set<string>;
  readonly young: YoungTag[];
  readonly artifacts: SkippedTag[];
  /** The first change to a quarantined digest, which its gate holds. */
  quarantined?: DesiredImage;
  /** The failure of the first blocked tag. */
  blocked?: { readonly desired: DesiredImage; readonly tag: string };
}

/** The tags of a repository, and the tags among them that may be selected. */
export interface WalkableTags {
  readonly listed: readonly CandidateTag[];
  /** Absent if every listed tag may be selected. */
  readonly among?: ReadonlySet<string>;
}

/**
 * Selects the highest tag that can run, is old enough, and is neither blocked nor in quarantine.
 *
 * A workload with a minimum age asks the registry for tags that may be old enough, and for tags that
 * Lookout has not seen. A tag below a young tag is not asked for: its age would begin later than the
 * age of the young tag. If no candidate is old enough, the change is the next candidate that will
 * be. Its gate holds it until then.
 *
 * If no other tag fits, the result is the failure of the first blocked tag. Lookout does not skip a
 * tag that a user replaced, because an older tag would override the user's change.
 */
export async function walkTags(selected: SelectedContainer, tags: WalkableTags, now: EpochMs): Promise<WalkedTags> {
  const proven = await provenFor(selected, now);
  if (proven === undefined) return walkPool(selected, tags, now);
  const after = proven.images.length === 0 ? undefined : await walkPool(selected, tags, now, proven.images);
  // Without an image that the earlier tiers ran, the gate of tiers holds the highest one.
  const walked =
    after?.desired.kind === "change"
      ? { ...withFirstSight(after, proven.images), proven: new Set(proven.images.map(({ tag }) => tag)) }
      : unproven(await walkPool(selected, tags, now));
  const reselectAt = earliest([walked.desired.reselectAt, proven.nextAt].flatMap((at) => at ?? []));
  return reselectAt === undefined ? walked : { ...walked, desired: { ...walked.desired, reselectAt } };
}

function unproven(walked: WalkedTags): WalkedTags {
  const { desired } = walked;
  return desired.kind === "change" ? { ...walked, desired: { ...desired, isUnproven: true } } : walked;
}

/** Adds the instant at which Lookout learned of the image, which may be long ago. */
function withFirstSight(walked: WalkedTags, images: readonly ProvenImage[]): WalkedTags {
  const { desired } = walked;
  if (desired.kind !== "change") return walked;
  const image = images.find(({ digest }) => digest === desired.change.digest);
  return image === undefined ? walked : { ...walked, desired: { ...desired, foundAt: image.foundAt } };
}

/** The images that earlier tiers ran, and the instant at which the next one has soaked. */
interface Proven {
  readonly images: readonly ProvenImage[];
  readonly nextAt: EpochMs | undefined;
}

/** The images that earlier tiers ran, by container and policy: many workloads share a tier. */
const provenOf = readOnceFor<readonly ProvenImage[] | undefined>();

/** Returns what the earlier tiers of a container ran. Undefined if no tier limits the container. */
async function provenFor(
  { container, name, own, earlier }: SelectedContainer,
  now: EpochMs,
): Promise<Proven | undefined> {
  if (earlier === undefined) return undefined;
  const asked = { list: container.list, name: container.name, imageName: imageNameOf(name) };
  const key = JSON.stringify([asked, own.policy]);
  const images = await provenOf(earlier, key, () => Promise.resolve(provenImages(earlier, asked, own)));
  if (images === undefined) return undefined;
  const soaking = images.flatMap(({ from }) => (from > now ? [from] : []));
  return { images: images.filter(({ from }) => from <= now), nextAt: earliest(soaking) };
}

/** Returns the tags of a listing that earlier tiers ran, with the instants at which Lookout found their images. */
function provenTags(listed: readonly CandidateTag[], images: readonly ProvenImage[]): readonly CandidateTag[] {
  const found = new Map<string, EpochMs>();
  for (const { tag, foundAt } of images) found.set(tag, epochMs(Math.max(found.get(tag) ?? 0, foundAt)));
  return listed.flatMap((tag) => {
    const movedAt = found.get(nameOf(tag));
    return movedAt === undefined ? [] : [{ name: nameOf(tag), movedAt }];
  });
}

/** Returns the running image, with the instant at which Lookout found it. */
function runningImage(
  { container, record: { ran = [] } }: SelectedContainer,
  listed: readonly CandidateTag[],
  proven: readonly ProvenImage[],
): CurrentImage {
  const current = currentImage(container);
  const known = [...proven, ...ran].filter(({ tag, digest }) => tag === current.tag && digest === current.digest);
  const entry = listed.find((tag) => nameOf(tag) === current.tag);
  const movedAt =
    earliest(known.map(({ foundAt }) => foundAt)) ??
    current.movedAt ??
    (entry === undefined ? undefined : movedAtOf(entry));
  return { ...current, ...(movedAt === undefined ? {} : { movedAt }) };
}

/** Returns the tags that may be selected, and the running image with which the policy compares them. */
function limitOf(
  selected: SelectedContainer,
  listed: readonly CandidateTag[],
  proven: readonly ProvenImage[] | undefined,
): Pick<Walk, "current" | "proven"> & { readonly allowed: readonly CandidateTag[] } {
  if (proven === undefined) return { allowed: listed, current: currentImage(selected.container) };
  return { allowed: provenTags(listed, proven), current: runningImage(selected, listed, proven), proven };
}

/**
 * Walks the tags of a container. `proven`: only these images may be selected, and the running one.
 */
async function walkPool(
  selected: SelectedContainer,
  { listed, among }: WalkableTags,
  now: EpochMs,
  proven?: readonly ProvenImage[],
): Promise<WalkedTags> {
  const { own, name, reads } = selected;
  const seen = own.minAge > 0 ? await reads.seen(name) : undefined;
  const { allowed, ...limit } = limitOf(selected, listed, proven);
  const pool = among === undefined ? allowed : allowed.filter((tag) => among.has(nameOf(tag)));
  const walk: Walk = { ...selected, ...limit, seen, now, pool, asked: new Set(), young: [], artifacts: [] };
  if (seen !== undefined) {
    await forgetUnlisted(walk, seen, listed);
    await skipKnownYoung(walk, seen, pool);
  }
  for (;;) {
    const selection = await select(walk);
    if (selection.kind === "none") return end(walk, failureOf(walk, selection.reason));
    if (isNotAsked(walk, selection)) continue;
    if (!mayAsk(walk, requestsPerTag)) return end(walk, failureOf(walk, "no-tag-fits"));
    const final = await judge(walk, selection);
    if (final !== undefined) return end(walk, final, selection.tag);
    if (own.policy.kind === "digest") return end(walk, failureOf(walk, "no-tag-fits"));
    walk.pool = without(walk.pool, selection.tag);
  }
}

/** The deciding tags of each listing, by policy and running tag: many workloads share a repository. */
const deciding = readOnceFor<readonly CandidateTag[]>();

/** Selects a tag of the pool. A long pool is read once for all containers with one policy and tag. */
async function select(walk: Walk): Promise<Selection> {
  const { pool, reads, current } = walk;
  const rule = ruleOf(walk);
  const few = await deciding(pool, selectionKey(rule, current), () =>
    reads.fewOf(pool, (part) => decidingTags(rule, current, part)),
  );
  return selectTag(rule, current, few);
}

/** Returns the rule of the walk. A young tag is no reason for a downgrade. */
function ruleOf({ own, young }: Walk): SelectedContainer["own"] {
  return young.length === 0 ? own : { ...own, allowDowngrade: false };
}

/** Forgets the tags that the registry does not list any more. */
async function forgetUnlisted({ own }: Walk, seen: SeenTags, listed: readonly CandidateTag[]): Promise<void> {
  if (asksWhenMoved(own.policy) || own.policy.kind === "digest") return;
  const names = new Set(listed.map(nameOf));
  await seen.forget(seen.latest().flatMap(({ tag }) => (names.has(tag) ? [] : seen.of(tag))));
}

/**
 * Takes tags out of the walk that are known to be young. The pushed tag is asked for, because it
 * may have moved.
 */
async function skipKnownYoung(walk: Walk, seen: SeenTags, tags: readonly CandidateTag[]): Promise<void> {
  const { container, own, name, reads } = walk;
  const current = currentImage(container);
  const byName = new Map(tags.map((tag) => [nameOf(tag), tag]));
  const pushed = byName.get(reads.pushedTag(name) ?? "");
  if (pushed !== undefined && mayReplace(own, current, pushed)) await seeTag(walk, seen, nameOf(pushed));
  const known = seen.latest().filter((one) => one.tag !== current.tag && untilOf(walk, one) !== undefined);
  const quarantined = await reads.quarantined(known.map(({ digest }) => digest));
  for (const one of known) {
    const tag = byName.get(one.tag);
    if (tag !== undefined && mayReplace(own, current, tag)) await skipYoung(walk, tag, one, quarantined);
  }
  const names = new Set(known.map(({ tag }) => tag));
  walk.pool = tags.filter((tag) => !names.has(nameOf(tag)));
}

/** Stores the digest of a tag, without a judgement. */
async function seeTag(walk: Walk, seen: SeenTags, tag: string): Promise<void> {
  const read = await resolve(walk, tag);
  if (read.kind === "manifest") await seen.see(tag, read.digest, walk.own.minAge);
}

/** Skips a young tag. Blocked, quarantined and other digests that can't run are no candidates later. */
async function skipYoung(
  walk: Walk,
  tag: CandidateTag,
  sighting: StoredSighting,
  quarantined: ReadonlySet<string>,
): Promise<void> {
  const { name, record, seen, own } = walk;
  const { digest } = sighting;
  // A neighbour with a shorter age would keep the sighting for a shorter time.
  await seen?.keep(sighting, own.minAge);
  const content = sighting.content ?? (await unreadContent(walk, sighting));
  if (isArtifact(walk, content)) walk.artifacts.push(skippedArtifact(sighting.tag, content));
  else if (findBlocked({ imageName: imageNameOf(name), digest }, record.blocked) === undefined) {
    if (!quarantined.has(digest))
      walk.young.push({ tag, digest, until: oldEnoughAt(sighting, walk.own.minAge, walk.now) });
  }
}

/** Reads the content of a tag that only its push has shown. Returns undefined without an answer. */
async function unreadContent(walk: Walk, sighting: StoredSighting): Promise<string | undefined> {
  if (!mayAsk(walk, 1)) return undefined;
  const read = await readManifest(walk, sighting.digest);
  return read.kind === "manifest" ? keepContent(walk, sighting, read) : undefined;
}

async function keepContent(
  { seen, own }: Walk,
  sighting: StoredSighting,
  { artifact = image }: Extract<ManifestRead, { kind: "manifest" }>,
): Promise<string> {
  await seen?.keep(sighting, own.minAge, artifact);
  return artifact;
}

/** Takes all unseen tags out of the walk if the selected tag is unseen and below a young tag. */
function isNotAsked(walk: Walk, { tag, kind }: Selection & { readonly tag: string }): boolean {
  const { seen, young, own, container } = walk;
  if (seen === undefined || kind === "unchanged" || seen.of(tag).length > 0) return false;
  const current = currentImage(container);
  const highest = highestYoung(own, current, young);
  if (highest === undefined || isPreferred(own, current, candidate(walk, tag), highest)) return false;
  walk.pool = walk.pool.filter((one) => nameOf(one) === current.tag || seen.of(nameOf(one)).length > 0);
  return true;
}

function candidate({ pool }: Walk, tag: string): CandidateTag {
  return pool.find((one) => nameOf(one) === tag) ?? tag;
}

/** Asks the registry for a tag. Returns the final result, or undefined if the tag is skipped. */
async function judge(
  walk: Walk,
  { tag, kind }: Exclude<Selection, { kind: "none" }>,
): Promise<DesiredImage | undefined> {
  const { container, own, seen } = walk;
  const read = await resolve(walk, tag);
  if (read.kind !== "manifest") {
    if (read.kind === "not-found") await seen?.forget(seen.of(tag));
    const isGone = read.kind === "not-found" && kind === "selected" && asksWhenMoved(own.policy);
    return isGone ? undefined : registryFailure(container.name, read, "tag-not-found", tag);
  }
  const digest = await digestOf(walk, tag, read.digest);
  if (digest === undefined || seen === undefined)
    return digest === undefined ? undefined : judgeDigest(walk, tag, digest);
  if (kind === "unchanged") await seeRunning(walk, seen, tag);
  return judgeSeen(walk, seen, { tag, digest, present: read.digest, isRunning: kind === "unchanged" });
}

/** Judges a digest of a tag by its age, then the earlier digests of the running tag. */
async function judgeSeen(
  walk: Walk,
  seen: SeenTags,
  {
    tag,
    digest,
    present,
    isRunning,
  }: { readonly tag: string; readonly digest: string; readonly present: string; readonly isRunning: boolean },
): Promise<DesiredImage | undefined> {
  const known = digest === present ? undefined : seen.of(tag).find((one) => one.digest === digest);
  const final = await judgeDigest(walk, tag, digest, known ?? (await seen.see(tag, digest, walk.own.minAge)));
  const looksBack = final === undefined && isRunning && walk.proven === undefined;
  return looksBack ? judgeEarlierDigests(walk, seen, tag) : final;
}

/** Returns the digest of a tag that may be selected. Undefined if the tag has none now. */
async function digestOf(walk: Walk, tag: string, present: string): Promise<string | undefined> {
  const { proven, container, own, record } = walk;
  if (proven === undefined) return present;
  const receiving = { current: currentImage(container), apply: own.apply, ran: record.ran ?? [] };
  const digest = provenDigest(tag, present, proven, receiving);
  if (digest === undefined || digest === present) return digest;
  // The registry may have deleted the image since another one took its tag.
  const read = mayAsk(walk, 1) ? await readManifest(walk, digest) : undefined;
  return read?.kind === "manifest" ? digest : undefined;
}

/**
 * Stores the running digest as the first digest of its tag, so that later digests are known to be
 * newer. Only an image that names its digest is certain to have run under its tag.
 */
async function seeRunning({ container, own }: Walk, seen: SeenTags, tag: string): Promise<void> {
  const { digest, image } = container;
  if (digest === undefined || !image.includes("@")) return;
  const known = seen.of(tag);
  if (known.length === 0) await seen.see(tag, digest, own.minAge);
  for (const one of known) if (one.digest === digest) await seen.keep(one, own.minAge);
}

/** Judges a digest of a tag. Returns the final result, or undefined if the digest is skipped. */
async function judgeDigest(
  walk: Walk,
  tag: string,
  digest: string,
  sighting?: StoredSighting,
): Promise<DesiredImage | undefined> {
  if (platformsMatter(walk.container, walk.own, tag, digest)) walk.asked.add(digest);
  const desired = await compareDigest(walk, tag, digest);
  if (desired.kind === "failure") return isSkippedBlock(walk, tag, desired) ? undefined : desired;
  if (desired.kind === "satisfied") return desired;
  const { change } = desired;
  const content = await contentOf(walk, change, sighting);
  if (typeof content !== "string") return content;
  if (isArtifact(walk, content)) {
    walk.artifacts.push(skippedArtifact(tag, content));
    return undefined;
  }
  if (sighting === undefined) return withPlatforms(walk, change);
  if ((await walk.reads.quarantined([digest])).has(digest)) {
    walk.quarantined ??= await withPlatforms(walk, change);
    return undefined;
  }
  const until = untilOf(walk, sighting);
  if (until === undefined) return withPlatforms(walk, change);
  walk.young.push({ tag: candidate(walk, tag), digest, until });
  return undefined;
}

/** Notes the first blocked tag. Returns false for another failure, and for a user's block of this tag. */
function isSkippedBlock(walk: Walk, tag: string, failure: DesiredImage & { readonly kind: "failure" }): boolean {
  if (!isBlockReason(failure.selectionFailure.reason)) return false;
  const imageName = imageNameOf(walk.name);
  const isByUser = walk.record.blocked.some(
    (digest) => digest.reason === "changed-by-hand" && digest.tag === tag && digest.imageName === imageName,
  );
  if (!isByUser) walk.blocked ??= { desired: failure, tag };
  return !isByUser;
}

/**
 * Reads the manifest of a change, unless Lookout has read it before. Returns `image`, the media type
 * of an artifact, or the failure of the registry.
 */
async function contentOf(
  walk: Walk,
  change: ImageChange,
  sighting: StoredSighting | undefined,
): Promise<string | DesiredImage> {
  if (sighting?.content !== undefined) return sighting.content;
  if (isProposed(walk, change)) return image;
  const read = await readManifest(walk, change.digest);
  if (read.kind !== "manifest") return registryFailure(change.name, read, "tag-not-found", change.tag);
  return sighting === undefined ? (read.artifact ?? image) : keepContent(walk, sighting, read);
}

/**
 * Judges the earlier digests of the running tag, the latest first. Only a written digest can run,
 * because a pod without it gets the present digest of its tag.
 */
async function judgeEarlierDigests(walk: Walk, seen: SeenTags, tag: string): Promise<DesiredImage | undefined> {
  const { container, own } = walk;
  const { digest, baseline, seenAt } = container;
  const running = { digests: [digest, baseline], ...(seenAt === undefined ? {} : { writtenAt: seenAt }) };
  const [, ...earlier] = own.apply === "pin" ? newerThanRunning(seen.of(tag), running) : [];
  for (const sighting of earlier) {
    const until = untilOf(walk, sighting);
    if (until === undefined) {
      if (!mayAsk(walk, 1)) return undefined;
      const read = await readManifest(walk, sighting.digest);
      if (read.kind === "not-found") {
        await seen.forget([sighting]);
        continue;
      }
      if (read.kind !== "manifest") return registryFailure(container.name, read, "tag-not-found", tag);
      const content = await keepContent(walk, sighting, read);
      const final = await judgeDigest(walk, tag, sighting.digest, { ...sighting, content });
      if (final !== undefined) return final;
    } else await skipYoung(walk, tag, sighting, await walk.reads.quarantined([sighting.digest]));
  }
  return undefined;
}

function resolve({ asked, reads, name }: Walk, tag: string): Promise<ManifestRead> {
  asked.add(tag);
  return reads.resolve(name, tag);
}

function readManifest({ asked, reads, name }: Walk, digest: string): Promise<ManifestRead> {
  asked.add(digest);
  return reads.manifest(name, digest);
}

/** Returns when a tag is old enough, or undefined if it is now. */
function untilOf({ own, now }: Walk, sighting: StoredSighting): EpochMs | undefined {
  const until = oldEnoughAt(sighting, own.minAge, now);
  return until > now ? until : undefined;
}

/** The content of a sighting whose manifest is an image. */
const image = "image";

/** Returns whether no container can run a content. A volume may hold any artifact. */
function isArtifact({ container }: Walk, content: string | undefined): content is string {
  return container.list !== "volumes" && content !== undefined && content !== image;
}

function skippedArtifact(tag: string, content: string): SkippedTag {
  return { tag, reason: "not-an-image", detail: artifactText(content) };
}

function failureOf(
  { container, own, artifacts }: Walk,
  reason: Extract<Selection, { kind: "none" }>["reason"],
): DesiredImage {
  if (artifacts.length === 0) return selectionFailure(container.name, reason, own.policyText);
  const named = artifacts.slice(0, 3).map(({ tag, detail = "" }) => `${tag} is ${detail}`);
  return selectionFailure(
    container.name,
    "not-an-image",
    [...named, ...(artifacts.length > 3 ? ["…"] : [])].join(", "),
  );
}

/**
 * Ends a walk. A change that is old enough is final, and so is a registry that does not confirm an
 * age. Otherwise the next young candidate comes first, then quarantined and blocked ones.
 */
async function end(walk: Walk, final: DesiredImage, tag?: string): Promise<WalkedTags> {
  const next = isFinal(walk, final) ? undefined : await nextYoung(walk);
  if (next !== undefined) return { ...walked(walk, next.desired, next.others), isYoung: true };
  if (final.kind === "change") return walked(walk, final, preferredYoung(walk, final.change.tag));
  if (isFinal(walk, final)) return walked(walk, final, [], tag);
  if (walk.quarantined !== undefined) return walked(walk, walk.quarantined, []);
  const { blocked } = walk;
  return blocked === undefined ? walked(walk, final, [], tag) : walked(walk, blocked.desired, [], blocked.tag);
}

function isFinal({ seen }: Walk, final: DesiredImage): boolean {
  if (final.kind !== "failure") return final.kind === "change";
  return seen !== undefined && retryOf(final.selectionFailure.reason) === "registry-outage";
}

function walked({ artifacts }: Walk, desired: DesiredImage, younger: readonly YoungTag[], judged?: string): WalkedTags {
  const tag = desired.kind === "change" ? desired.change.tag : judged;
  const reselectAt = firstOldEnough(younger);
  const skipped = younger.map(({ tag, until }) => ({ tag: nameOf(tag), reason: "too-new" as const, until }));
  return {
    desired: reselectAt === undefined ? desired : { ...desired, reselectAt },
    ...(tag === undefined ? {} : { tag }),
    skipped: [...artifacts, ...skipped],
  };
}

/** Returns the change to the young candidate that is old enough first, and the other candidates. */
async function nextYoung(
  walk: Walk,
): Promise<{ readonly desired: DesiredImage; readonly others: readonly YoungTag[] } | undefined> {
  const ordered = inTurn(walk.own, currentImage(walk.container), walk.young);
  for (const young of ordered) {
    const desired = await compareDigest(walk, nameOf(young.tag), young.digest);
    const changed = desired.kind === "change" ? await withPlatforms(walk, desired.change) : desired;
    if (changed.kind === "change") return { desired: changed, others: ordered.filter((one) => one !== young) };
  }
  return undefined;
}

/** Returns the young candidates that the policy prefers to a selected tag. */
function preferredYoung({ own, container, young }: Walk, tag: string): readonly YoungTag[] {
  const current = currentImage(container);
  return young.filter((one) => tag === current.tag || isPreferred(own, current, one.tag, tag));
}

function without(tags: readonly CandidateTag[], tag: string): readonly CandidateTag[] {
  return tags.filter((one) => nameOf(one) !== tag);
}
