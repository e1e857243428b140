import { withDefinitions } from "#app/shared/declared-clusters";
import { isObject } from "#domain/shared/json";
import { isOfTier, retryOf } from "#domain/shared/reasons";
import { differsFromRecord } from "#domain/update/decide/observe";
import type { WorkloadRecord } from "#domain/update/state/workload";
import type { KeptImage } from "#domain/workload/control";
import { type LiveWorkload, type WorkloadName } from "#domain/workload/workload";
import { type DefinitionVersion, isOf, type PolicyDraft } from "#test/model/history/definition-log";
import { short, tagOf } from "#test/model/image-text";
import type { Installation } from "#test/model/world/installation";
import {
  conditionIn,
  type DecidedImage,
  decidedImages,
  isIdle,
  keyOfTarget,
  missedTags,
  ownSettingIn,
  isSuspended,
  presentVersions,
  reasonIn,
  sightOf,
} from "./definition-status.ts";
import { versionText } from "./definitions.ts";

/** Returns a workload with what definitions declare. Undefined for a missing one. */
export async function declaredLive(
  workload: WorkloadName,
  { definitions, ports, cluster }: Installation,
): Promise<LiveWorkload | undefined> {
  const { signal } = new AbortController();
  const known = definitions ? withDefinitions(ports.clusters, ports.definitions).cluster(workload.cluster) : cluster;
  const read = await known?.read(workload, signal);
  return read?.kind === "found" ? read.live : undefined;
}

/** Checks at rest that records follow the definitions, and that the statuses of these are true. */
export async function checkDefinitions(installation: Installation): Promise<void> {
  if (!installation.definitions) return;
  const { witness, stored } = installation;
  const present = presentVersions(installation);
  for (const { object, version } of present) {
    const { status } = object;
    const what = versionText(object);
    const told = isObject(status) ? status["observedGeneration"] : undefined;
    if (told !== object.generation)
      witness.complain("S29", `at the end the status of ${what} is of generation ${String(told)}`);
    else if (version.draft.kind === "ServiceImage") await checkService(version, status, installation);
    else checkPolicy(version, version.draft, status, installation);
  }
  for (const record of stored.records().values()) {
    const live = await declaredLive(record.workload, installation);
    if (live !== undefined && record.active === undefined && differsFromRecord(record, live))
      witness.complain("L2", `${record.workload.name} differs from what Lookout knows, and nothing changes that`);
  }
}

/**
 * Checks that a ServiceImage is complete if and only if its workloads run the images of their tiers, ran them well, and
 * the last image of their tag failed on none.
 */
async function checkService(version: DefinitionVersion, status: unknown, installation: Installation): Promise<void> {
  const { witness } = installation;
  const what = versionText({ ...version, ...version.draft });
  const isComplete = conditionIn(status, "Complete") === "True";
  const said = `is ${isComplete ? "" : "not "}said to be complete`;
  if (version.draft.wrong !== undefined) {
    if (isComplete) witness.complain("S29", `at the end ${what} ${said}, although it is wrong`);
    return;
  }
  const members = await membersOf(version, installation);
  const counting = members.filter(({ isAside }) => !isAside);
  const behind = counting.filter(({ image, tag }) => tagOf(image) !== tag);
  const failed = counting.filter((one) => !behind.includes(one) && one.hasFailed);
  if (isComplete && behind.length + failed.length > 0)
    witness.complain(
      "S29",
      `at the end ${what} ${said}, although ${[...behind, ...failed].map(lackText).join(" and ")}`,
    );
  const isOpen = counting.some(({ record }) => record?.active !== undefined || record?.pending !== undefined);
  const isThrough = counting.every((one) => !behind.includes(one) && !one.hasFailed && one.isSeenWell);
  if (!isComplete && members.length > 0 && isThrough && !isOpen)
    witness.complain(
      "S29",
      `at the end ${what} ${said}, although all members run their images: ${JSON.stringify(status).slice(0, 600)}`,
    );
  for (const one of behind) checkBehind(one, installation);
  for (const one of members) checkWaits(one, members, installation);
}

/** An image that a ServiceImage decides, with what is known about it. */
interface Decided extends DecidedImage {
  readonly key: string;
  readonly record: WorkloadRecord | undefined;
  /** True: its updates are suspended. */
  readonly isAside: boolean;
  /** True: the last image of its tag that was tried failed. */
  readonly hasFailed: boolean;
  /** True: the record has an image of the tag that ran well, or the pods show it now, and no digest of it is refused. */
  readonly isSeenWell: boolean;
  /** True: the pods are well now, or there is nothing to run, and no update of its own waits. */
  readonly isQuietlyWell: boolean;
}

async function membersOf(version: DefinitionVersion, installation: Installation): Promise<readonly Decided[]> {
  const { stored, cluster } = installation;
  const { signal } = new AbortController();
  const members: Decided[] = [];
  for (const seen of sightOf(installation).workloads.values())
    for (const image of decidedImages(seen, version, installation)) {
      const record = stored.records().get(seen.key);
      const health = record && (await cluster.health(record.workload, "latest", signal));
      const isIdle = health?.kind === "unverifiable" || (health?.kind === "waiting" && health.why === "next-job");
      const isWell = health?.kind === "healthy" || isIdle;
      const ofTag = (one: { readonly imageName: string; readonly tag: string }): boolean =>
        one.tag === image.tag && isOf(version.draft, `${one.imageName}:`);
      const ran = (record?.ran ?? []).filter((one) => one.name === image.container && ofTag(one));
      const ranAt = Math.max(...ran.map(({ at }) => at));
      members.push({
        ...image,
        ...{ key: seen.key, record, isSeenWell: (ran.length > 0 || isWell) && !refusesImage(record, image) },
        // What has an update of its own proves its image when that ended.
        isQuietlyWell: isWell && record?.active === undefined && record?.pending === undefined,
        isAside: isSuspended(seen, installation),
        hasFailed: record?.blocked.some((one) => ofTag(one) && one.at > ranAt) === true,
      });
    }
  return members;
}

/**
 * Returns whether a workload does not take what a tag names now, or keeps another image that a person requested. The
 * first is no matter of the registry.
 */
function refusesImage(record: WorkloadRecord | undefined, { container, tag }: DecidedImage): boolean {
  const { kept = [], selectionFailures = [] } = record ?? {};
  const isAbout = (one: { readonly container: string }) => one.container === container;
  const isBeside = (one: KeptImage) => one.tag !== tag || one.newest.tag === tag;
  return (
    kept.some((one) => isAbout(one) && isBeside(one)) ||
    selectionFailures.some((one) => isAbout(one) && retryOf(one.reason) !== "registry-outage")
  );
}

/**
 * Checks that no workload waits for tiers whose workloads all run the images of these, and the digest that it wants if
 * that is of the same tag.
 */
function checkWaits(
  { key, priority, container, record }: Decided,
  members: readonly Decided[],
  { witness, now, jumps }: Installation,
): void {
  const { waits = [], changes = [] } = record?.pending ?? {};
  const earlier = members.filter((one) => one.priority > priority);
  const keys = new Set(earlier.map((one) => one.key));
  const closed = waits.filter(
    ({ reason, member, until = 0 }) =>
      // A failure on a workload that left its tier still halts.
      isOfTier(reason) &&
      reason !== "tier-unknown" &&
      !(reason === "tier-halted" && !keys.has(member?.workload ?? "")) &&
      // The clock was ahead when the last workload left, and a day has not passed. Otherwise, such a wait takes minutes.
      !(jumps > 0 && reason === "tier-soaking" && until > now),
  );
  const wanted = changes.find(({ name }) => name === container);
  const isDone = (one: Decided): boolean =>
    tagOf(one.image) === one.tag &&
    !one.isAside &&
    !one.hasFailed &&
    one.isQuietlyWell &&
    (wanted?.tag !== one.tag || runsDigest(one, wanted.digest));
  if (closed.length > 0 && earlier.every(isDone))
    witness.complain(
      "L1",
      `${key} waits for tiers (${closed.map(({ reason, detail = "" }) => `${reason}: ${detail}`).join(", ")}), although all earlier ones run their images`,
    );
}

function runsDigest({ record, container, image }: Decided, digest: string): boolean {
  const { digest: running, blocked = [] } = {
    ...record?.observed.containers.find(({ name }) => name === container),
    ...record,
  };
  return (image.split("@")[1] ?? running) === digest && !blocked.some((one) => one.digest === digest);
}

function lackText({ key, image, tag }: Decided): string {
  return tagOf(image) === tag ? `${tag} failed on ${key}` : `${key} runs ${short(image)} and not ${tag}`;
}

/** Checks that a workload without the image of its tier has a reason. */
function checkBehind({ record, tag, ...one }: Decided, { witness }: Installation): void {
  if (record === undefined || !isIdle(record) || record.blocked.some((blocked) => blocked.tag === tag)) return;
  witness.complain("L2", `at the end ${lackText({ ...one, record, tag })}, and nobody says why`);
}

/** Checks that the target of an ImagePolicy runs the newest image that it selects, if the policy says so. */
function checkPolicy(
  version: DefinitionVersion,
  draft: PolicyDraft,
  status: unknown,
  installation: Installation,
): void {
  const { witness, stored } = installation;
  const what = versionText({ ...version, ...draft });
  const [isReady, isNewest] = ["Ready", "UpToDate"].map((type) => conditionIn(status, type) === "True");
  if (draft.wrong !== undefined) {
    if (isReady === true || isNewest === true)
      witness.complain("S29", `at the end ${what} is ready, although it is wrong`);
    return;
  }
  const seen = [...sightOf(installation).workloads.values()].find(({ key }) => key === keyOfTarget(draft));
  const mine = [...(seen?.images ?? [])].filter(([, image]) => isOf(draft, image));
  const shown = mine.map(([, image]) => image);
  const own =
    seen &&
    ownSettingIn(
      seen,
      mine.map(([container]) => container),
    );
  if (isReady === true && (own !== undefined || shown.length === 0))
    witness.complain("S29", `at the end ${what} is ready, although it does not apply`);
  // One with a wrong target stays about its former one.
  const isOnly = presentVersions(installation).every(
    ({ version: { uid, draft: other } }) =>
      uid === version.uid ||
      other.kind !== "ImagePolicy" ||
      (keyOfTarget(other) !== keyOfTarget(draft) && other.wrong?.["updateTarget"] === undefined),
  );
  if (isReady !== true && isOnly && seen !== undefined && own === undefined && shown.length > 0)
    witness.complain("S29", `at the end ${what} is not ready, although it applies`);
  const why = reasonIn(status, "Ready");
  if (own !== undefined && shown.length > 0 && why !== "TargetHasAnnotations")
    witness.complain("S29", `at the end ${what} is said to be ${why ?? "fine"}, although a person wrote ${own}`);
  const record = stored.records().get(keyOfTarget(draft));
  if (isReady !== true || record === undefined || draft.strategy !== "SemVer") return;
  for (const image of shown) {
    const missed = missedTags(draft, image, record, installation);
    if (missed.length > 0 && isIdle(record) && isOnly)
      witness.complain(
        isNewest === true ? "S29" : "L2",
        `at the end ${what} has its target at ${short(image)}, although ${missed.join(", ")} exists, and nothing is under way`,
      );
  }
}
