import type { ControlView } from "#contracts/api/control";
import { artifactText } from "#domain/image/artifact";
import { imageNameOf, impliedTag, parseImageReference } from "#domain/image/reference";
import { didYouMean, nearest } from "#domain/shared/nearest";
import { printableText, shortened } from "#domain/shared/shown-text";
import { type EpochMs, toIso } from "#domain/shared/time";
import { keepImages, type Person, rollBackActive } from "#domain/update/decide/control";
import { currentImage, findBlocked, repositoryOf } from "#domain/update/decide/desired-image";
import { desiredKept, policyKey } from "#domain/update/decide/kept-image";
import { formerImages } from "#domain/update/decide/manual-change";
import { judgedChanges, propose } from "#domain/update/decide/propose";
import { blockDetail } from "#domain/workload/block-reason";
import { afterDecision, type Decision, folded } from "#domain/update/state/changes";
import type { KeptImage, KnownImage, LeftTags, RequestedVersion } from "#domain/workload/control";
import type { BlockedDigest, RollingOutUpdate, WorkloadRecord } from "#domain/update/state/workload";
import type { WorkloadSettings } from "#domain/settings/settings";
import { canDrift } from "#domain/workload/digest-drift";
import type { ImageChange } from "#domain/workload/patch";
import { namespaceOf, workloadKey, type WorkloadName } from "#domain/workload/workload";
import { decide } from "../decide.ts";
import { allOf, mapBounded } from "../shared/bounded.ts";
import { imageBeforeMove } from "../shared/digest-drift.ts";
import { keepSightings, readReleaseFacts } from "../shared/gate-facts.ts";
import { withOrigins } from "../shared/image-origins.ts";
import { settingsOf } from "../shared/records.ts";
import { type RegistryReads, startRegistryReads } from "../shared/registry-reads.ts";
import { desiredImages, knownImage, newestImage, preferredTags, selectedContainers } from "../shared/selection.ts";
import type { SelectedContainer } from "../shared/tag-image.ts";
import { leave, storeThen } from "../shared/turn.ts";
import { type ApiError, notFound, type Served } from "./handler.ts";
import { controlView } from "./views.ts";

/** A person's request for a version of a workload. */
interface Asked extends Person {
  readonly as: RequestedVersion["as"];
  readonly workload: WorkloadName;
  /** A tag or a digest. Absent for a rollback to the version before the last update. */
  readonly version?: string;
  readonly container?: string;
}

/** A request, and what it is about. */
interface Context extends Asked {
  readonly record: WorkloadRecord;
  readonly settings: WorkloadSettings;
  readonly reads: RegistryReads;
  readonly now: EpochMs;
}

/** The image that a container shall run. */
interface Target {
  readonly selected: SelectedContainer;
  readonly tag: string;
  readonly digest: string;
  /** The digests of an index's platforms. Empty for a single image. */
  readonly platforms: readonly string[];
}

/**
 * Updates a workload to a version that a person names, or rolls it back. The workload keeps the
 * version until its policy prefers an image that does not exist now.
 *
 * Undefined for a workload that is not tracked.
 */
export async function requestVersion(
  asked: Asked,
  { ports, id, signal }: Served,
): Promise<ControlView | ApiError | undefined> {
  const { workload, as } = asked;
  const deciding = { workload, cause: `${as === "set" ? "Set" : "Rollback"}:${id}`, doing: "changed" };
  return decide<ControlView | ApiError | undefined>(deciding, ports, async (record) => {
    if (!record.tracked) return leave(undefined);
    const now = ports.clock.now();
    const read = await settingsOf(record, ports);
    // An invalid annotation stops every update but a rollback.
    const settings = as === "rollback" ? { ...read, problems: [] } : read;
    const reads = startRegistryReads(ports, [namespaceOf(workload)], signal);
    const context = { ...asked, record, settings, reads, now };
    const targets = await targetsOf(context);
    if (!Array.isArray(targets)) return leave(targets as ApiError);
    const refused = await refusalOf(context, targets as readonly Target[]);
    if (refused !== undefined) return leave(refused);
    const decision = await decisionOf(context, targets as readonly Target[], ports);
    const shown = (targets as readonly Target[]).map(({ tag, digest }) => `${tag} @ ${shortDigest(digest)}`);
    const detail = `${as === "set" ? "It is set to" : "It goes back to"} ${[...new Set(shown)].join(", ")}, and keeps it until a newer image appears or lookout resume.`;
    return storeThen(record, decision, now, (next) => controlView(next, now, { changed: true, detail }));
  });
}

/** Returns the images that a request names, or why it names none. */
async function targetsOf(context: Context): Promise<readonly Target[] | ApiError> {
  const { as, version, record } = context;
  if (record.active?.status === "rolling-back")
    return {
      kind: "version-refused",
      detail: `${workloadKey(record.workload)} is being rolled back now: wait until update ${record.active.seq} ends`,
    };
  if (as === "rollback" && version === undefined) return previousImages(context);
  const containers = namedContainers(context);
  if (!Array.isArray(containers)) return containers as ApiError;
  const found = await mapBounded(containers as readonly SelectedContainer[], atOnce, (one) =>
    namedImage(one, version ?? "", context),
  );
  const refusal = found.find((one): one is ApiError => "kind" in one);
  return refusal ?? found.filter((one): one is Target => "selected" in one);
}

const atOnce = 4;

/** Returns the containers that a request is about. */
function namedContainers({
  container,
  record,
  settings,
  reads,
  workload,
}: Context): readonly SelectedContainer[] | ApiError {
  const all = selectedContainers(record, settings, reads);
  const selected = all.filter((one): one is SelectedContainer => "own" in one);
  const key = workloadKey(workload);
  const names = selected.map((one) => one.container.name);
  if (container !== undefined) {
    const one = selected.filter(({ container: { name } }) => name === container);
    if (one.length > 0) return one;
    const shown = printableText(shortened(container, 100));
    const hint = didYouMean(nearest(container, names));
    return notFound(`${key} has no tracked container "${shown}"${hint} Its containers: ${names.join(", ")}`);
  }
  if (selected.length === 0) {
    const failed = all.flatMap((one) => ("desired" in one && one.desired.kind === "failure" ? [one.desired] : []));
    const why = failed[0]?.selectionFailure.detail;
    return {
      kind: "version-refused",
      detail: `${key} has no container whose image may be set${why === undefined ? "" : `: ${why}`}`,
    };
  }
  const repositories = new Set(selected.map(({ name }) => imageNameOf(name)));
  if (settings.together || repositories.size === 1) return selected;
  return {
    kind: "bad-name",
    detail: `${key} has several images: name the container with --container. Its containers: ${names.join(", ")}`,
  };
}

/** Returns the images before the last update, or before the update that is rolling out. */
async function previousImages(context: Context): Promise<readonly Target[] | ApiError> {
  const { record, settings, reads, container, workload } = context;
  const update = record.active?.status === "rolling-out" ? record.active : record.landed;
  const key = workloadKey(workload);
  const changes = (update?.changes ?? []).filter(({ name }) => container === undefined || name === container);
  if (changes.length === 0)
    return notFound(
      `Lookout has not updated ${key} yet. Name the version: lookout rollback ${key} --to VERSION --why REASON`,
    );
  const selected = selectedContainers(record, settings, reads).filter((one): one is SelectedContainer => "own" in one);
  const targets: (Target | ApiError)[] = [];
  for (const change of changes) {
    const one = selected.find(({ container: { list, name } }) => list === change.list && name === change.name);
    const changedSince = record.active === undefined && one !== undefined && one.container.image !== change.to;
    if (one === undefined || changedSince)
      return {
        kind: "version-refused",
        detail: `the image of container ${change.name} was changed after the last update. Name the version: lookout rollback ${key} --to VERSION --why REASON`,
      };
    targets.push(await imageBefore(one, change, key));
  }
  const refusal = targets.find((one): one is ApiError => "kind" in one);
  return refusal ?? targets.filter((one): one is Target => "selected" in one);
}

async function imageBefore(
  selected: SelectedContainer,
  { name, from, isFirst, fromDigest, apply }: ImageChange,
  key: string,
): Promise<Target | ApiError> {
  if (isFirst === true)
    return {
      kind: "version-refused",
      detail: `container ${name} had no image before the last update. Name the version: lookout rollback ${key} --to VERSION --why REASON`,
    };
  const before = parseImageReference(from);
  if (!before.ok)
    return { kind: "version-refused", detail: `the image "${printableText(shortened(from, 200))}" can't be read` };
  const tag = before.value.tag ?? impliedTag;
  const digest = before.value.digest ?? fromDigest;
  if (digest !== undefined) return { selected, tag, digest, platforms: [] };
  if (apply === "restart")
    return { kind: "version-refused", detail: `Lookout does not know which digest ran before. Name it: --to DIGEST` };
  return tagImage(selected, tag);
}

/** Returns the image of a tag or a digest that a person names. */
async function namedImage(selected: SelectedContainer, version: string, context: Context): Promise<Target | ApiError> {
  const digits = version.replace(/^sha(?:256|384|512):/, "");
  if (/^[0-9a-f]{12,128}$/.test(digits)) {
    const known = await knownDigest(selected, version, digits, context);
    if (known !== undefined) return checkedImage(selected, known.tag, known.digest, context);
  }
  if (digits !== version)
    return notFound(
      `Lookout knows no tag of ${imageNameOf(selected.name)} with the digest ${shortDigest(version)}. Name the tag instead`,
    );
  const before = context.as === "rollback" ? ranBefore(selected, version, context.record) : undefined;
  return before === undefined ? tagImage(selected, version) : checkedImage(selected, version, before, context);
}

/** Returns a digest that the record or the history of tags knows. */
async function knownDigest(
  { name, container }: SelectedContainer,
  version: string,
  digits: string,
  { record, reads }: Context,
): Promise<{ readonly tag: string; readonly digest: string } | undefined> {
  const imageName = imageNameOf(name);
  const fits = (digest: string | undefined): digest is string =>
    digest !== undefined && (version === digits ? digest.replace(/^\w+:/, "") : digest).startsWith(version);
  const known = [...imagesOf(record, imageName), ...(await reads.moves(name))].find(({ digest }) => fits(digest));
  if (known !== undefined) return known;
  const { tag } = currentImage(container);
  const running = [container.digest, container.baseline].find(fits);
  return running === undefined || tag === undefined ? undefined : { tag, digest: running };
}

/** Returns the images of a repository that a record names, the latest last. */
function imagesOf(
  { landed, last, active, pending, blocked }: WorkloadRecord,
  imageName: string,
): readonly { readonly tag: string; readonly digest: string }[] {
  const changes = [landed, last, active, pending].flatMap((update) => update?.changes ?? []);
  const before = changes.flatMap(({ imageName: name, from, fromDigest }) => {
    const image = parseImageReference(from);
    const digest = (image.ok ? image.value.digest : undefined) ?? fromDigest;
    return image.ok && digest !== undefined ? [{ imageName: name, tag: image.value.tag ?? impliedTag, digest }] : [];
  });
  return [...blocked, ...before, ...changes].filter((one) => one.imageName === imageName);
}

/** Returns the digest of a tag that ran here before. Undefined if none is known. */
function ranBefore({ name }: SelectedContainer, tag: string, record: WorkloadRecord): string | undefined {
  return imagesOf({ ...record, blocked: [] }, imageNameOf(name)).findLast((one) => one.tag === tag)?.digest;
}

/** Returns an image that ran here before, if the registry does not deny that it exists. */
async function checkedImage(
  selected: SelectedContainer,
  tag: string,
  digest: string,
  { reads, as }: Context,
): Promise<Target | ApiError> {
  const read = await reads.manifest(selected.name, digest);
  if (read.kind === "manifest") return { selected, tag, digest, platforms: read.platforms };
  if (read.kind === "not-found")
    return notFound(`the registry no longer has ${imageNameOf(selected.name)}:${tag} @ ${shortDigest(digest)}`);
  // The nodes may have the image, and a rollback can't wait for a registry.
  if (as === "rollback") return { selected, tag, digest, platforms: [] };
  return { kind: "try-again", detail: `the registry gives no answer: ${read.detail}` };
}

async function tagImage(selected: SelectedContainer, tag: string): Promise<Target | ApiError> {
  const { name, reads } = selected;
  const shown = printableText(shortened(tag, 100));
  const resolved = await reads.resolve(name, tag);
  if (resolved.kind === "not-found") {
    const listing = await reads.tags(name);
    const hint = listing.kind === "tags" ? didYouMean(nearest(tag, listing.tags)) : "";
    return notFound(`the registry has no tag "${shown}" of ${imageNameOf(name)}${hint}`);
  }
  if (resolved.kind !== "manifest")
    return { kind: "try-again", detail: `the registry gives no answer: ${resolved.detail}` };
  const read = await reads.manifest(name, resolved.digest);
  if (read.kind !== "manifest") return { selected, tag, digest: resolved.digest, platforms: resolved.platforms };
  if (read.artifact !== undefined)
    return {
      kind: "version-refused",
      detail: `${imageNameOf(name)}:${shown} is ${artifactText(read.artifact)}, and no image`,
    };
  return { selected, tag, digest: resolved.digest, platforms: read.platforms };
}

/** Returns why a workload can't get these images. Undefined if it can. */
async function refusalOf(
  { record, reads, workload }: Context,
  targets: readonly Target[],
): Promise<ApiError | undefined> {
  const key = workloadKey(workload);
  const quarantined = await reads.quarantined(targets.map(({ digest }) => digest));
  for (const { selected, tag, digest } of targets) {
    if (quarantined.has(digest))
      return {
        kind: "version-refused",
        detail: `${tag} @ ${shortDigest(digest)} is in quarantine: lookout quarantine list. To lift it: lookout quarantine lift ${digest}`,
      };
    const blocked = findBlocked({ imageName: imageNameOf(selected.name), digest }, record.blocked);
    if (blocked !== undefined)
      return {
        kind: "version-refused",
        detail: `${blockDetail(blocked)}, so it is blocked here. First: lookout unblock ${key} --digest ${shortDigest(digest)}`,
      };
  }
  return undefined;
}

async function decisionOf(context: Context, targets: readonly Target[], ports: Served["ports"]): Promise<Decision> {
  const { record, settings, reads, as, by, why, now } = context;
  const [newest, pinned] = await allOf([newestImages(context, targets), mapBounded(targets, atOnce, hasMoved)]);
  const wanted = targets.map((target, index) =>
    pinned[index] === true ? { ...target, pinned: true as const } : target,
  );
  const kept = wanted.map(({ selected, ...image }, index): KeptImage => ({
    as,
    by,
    why,
    at: now,
    list: selected.container.list,
    container: selected.container.name,
    imageName: imageNameOf(selected.name),
    ...image,
    seq: record.seq,
    ...(runsAlready(selected, image, context) ? { landed: true } : {}),
    newest: newest[index] ?? knownImage(selected),
  }));
  const digests = as === "rollback" ? targets.flatMap((target) => leftDigests(target, context)) : [];
  const tags = await leftTags(kept, targets, context);
  const base = keepImages(record, kept, { digests, tags }, context, now);
  const after = afterDecision(record, base);
  const active = rollingOutFrom(record, targets);
  const follows =
    as === "rollback" && active !== undefined
      ? rollBackActive(active, { by, why }, now)
      : await proposalFor(after, settings, reads, `${as} by ${by}`, now, ports);
  return withActOnUpdate(folded([base, follows]) ?? { changes: {}, transitions: [] });
}

/** Returns a decision whose act belongs to the update that it begins or rolls back. */
function withActOnUpdate(decision: Decision): Decision {
  const { transitions } = decision;
  const act = transitions.find(({ seq, action }) => seq === 0 && action !== undefined);
  const begun = transitions.find(({ seq, selected, what }) => seq !== 0 && (selected === true || what === "failing"));
  if (act?.action === undefined || begun === undefined) return decision;
  const { action, ...ofWorkload } = act;
  return {
    ...decision,
    transitions: transitions.map((one) => {
      if (one === act) return ofWorkload;
      return one === begun ? { ...one, action } : one;
    }),
  };
}

/**
 * Returns the newest image of each container. Containers that belong together have their common tag: a tag that
 * only some of their repositories have is new when the others get it.
 */
async function newestImages({ settings }: Context, targets: readonly Target[]): Promise<readonly KnownImage[]> {
  const found = await mapBounded(targets, atOnce, ({ selected }) => newestImage(selected));
  const isCommon = new Set(found.map(({ tag }) => tag)).size === 1;
  return settings.together && !isCommon ? targets.map(({ selected }) => knownImage(selected)) : found;
}

/**
 * Returns the tags that the containers leave. Containers that belong together leave only the tags that
 * all of them leave.
 */
async function leftTags(
  kept: readonly KeptImage[],
  targets: readonly Target[],
  { settings }: Context,
): Promise<readonly LeftTags[]> {
  const found = await mapBounded(targets, atOnce, ({ selected, tag }) => preferredTags(selected, tag));
  const isCommon = (tag: string): boolean => !settings.together || found.every((tags) => tags?.includes(tag) === true);
  return kept.flatMap(({ by, why, at, list, container, imageName, newest }, index) => {
    const tags = (found[index] ?? []).filter(isCommon);
    const own = targets[index]?.selected.own;
    if (own === undefined || tags.length === 0) return [];
    return [{ by, why, at, list, container, imageName, tags, policy: policyKey(own), newest }];
  });
}

/** Returns whether new pods would pull another image by a tag. Without an answer, drifting pods are seen later. */
async function hasMoved({ selected, tag, digest }: Target): Promise<boolean> {
  const { container, own } = selected;
  const isByDigest = own.apply === "pin" && !canDrift(container);
  return !isByDigest && (await imageBeforeMove(selected, tag, digest)) !== undefined;
}

/** Returns whether a container has an image already, and no update is about to replace it. */
function runsAlready(
  { container, own }: SelectedContainer,
  image: Pick<KeptImage, "tag" | "digest" | "platforms" | "pinned">,
  { record: { active } }: Context,
): boolean {
  return active === undefined && desiredKept(container, own, image, []).kind === "satisfied";
}

/** Proposes the requested images. Other containers are evaluated later, if the object changed. */
async function proposalFor(
  record: WorkloadRecord,
  settings: WorkloadSettings,
  reads: RegistryReads,
  source: string,
  now: EpochMs,
  ports: Served["ports"],
): Promise<Decision | undefined> {
  const desired = await desiredImages(record, settings, reads);
  const judged = judgedChanges(record, desired);
  await keepSightings(settings, judged, ports);
  const [facts, withTheirOrigins] = await allOf([
    readReleaseFacts(record, settings, judged, ports),
    withOrigins(record, desired, reads),
  ]);
  const allContainers = record.needsEvaluation !== true;
  return propose(
    record,
    { desiredImages: withTheirOrigins, settings, facts, detectedAt: now, source, allContainers },
    now,
  );
}

/** Returns the update whose pods are being replaced, if a rollback of it brings back these images. */
function rollingOutFrom({ active }: WorkloadRecord, targets: readonly Target[]): RollingOutUpdate | undefined {
  if (active?.status !== "rolling-out") return undefined;
  const isBefore = ({ selected: { container }, tag, digest }: Target): boolean => {
    const change = active.changes.find(({ list, name }) => list === container.list && name === container.name);
    const before = change && parseImageReference(change.from);
    if (before?.ok !== true || change?.isFirst === true) return false;
    const known = before.value.digest ?? change?.fromDigest;
    return (before.value.tag ?? impliedTag) === tag && (known === undefined || known === digest);
  };
  return targets.length === active.changes.length && targets.every(isBefore) ? active : undefined;
}

/** Returns the digests that a rollback leaves: those that run, and those that are rolling out. */
function leftDigests(
  { selected: { container, name }, digest }: Target,
  { record, by, now }: Context,
): readonly BlockedDigest[] {
  const { active } = record;
  const rolling = active === undefined || active.status === "rolling-back" ? [] : active.changes;
  const images = [
    ...(repositoryOf(container) === undefined ? [] : formerImages(container)),
    ...rolling.filter((change) => change.list === container.list && change.name === container.name),
  ];
  const own = new Set<string>([digest]);
  // The digests of the target's index and platform are both the target.
  const former = repositoryOf(container) === undefined ? [] : formerImages(container);
  if (former.some((image) => own.has(image.digest))) for (const image of former) own.add(image.digest);
  return images.flatMap((image) => {
    if (own.has(image.digest)) return [];
    own.add(image.digest);
    return [
      {
        imageName: imageNameOf(name),
        digest: image.digest,
        tag: image.tag,
        reason: "rollback-requested",
        by: `${by} at ${toIso(now)}`,
        seq: active?.seq ?? record.landed?.seq ?? record.seq,
        at: now,
      } as const,
    ];
  });
}

function shortDigest(digest: string): string {
  return digest.replace(/^\w+:/, "").slice(0, 12);
}
