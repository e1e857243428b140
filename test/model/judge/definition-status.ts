import type { WorkloadRecord } from "#domain/update/state/workload";
import type { DefinitionObject } from "#domain/definitions/definition";
import { isObject } from "#domain/shared/json";
import { workloadKey } from "#domain/workload/workload";
import type { StatusPatch } from "#ports/cluster";
import { type DefinitionVersion, isOf, type PolicyDraft, tierIn } from "#test/model/history/definition-log";
import { rankOf, short, tagOf } from "#test/model/image-text";
import type { Installation } from "#test/model/world/installation";
import { imageKey } from "./ages.ts";
import { ownerOf, type SeenWorkload, type Sight, versionText } from "./definitions.ts";

const hourMs = 3_600_000;

/** Returns the workloads of the cluster now. */
export function sightOf({ cluster, witness, now }: Installation): Sight {
  const workloads = cluster.objects.all().map(({ workload, uid, content }): [string, SeenWorkload] => {
    const key = workloadKey(workload);
    const { labels = {}, annotations = {}, spec } = content;
    const template = spec.template ?? spec.jobTemplate?.spec.template;
    const images = new Map(template?.spec.containers.map(({ name, image }) => [name, image]));
    return [key, { key, uid, labels, annotations, images }];
  });
  return { tick: witness.tick, at: now, workloads: new Map(workloads) };
}

/** Returns the status of a condition. Undefined without it. */
export function conditionIn(status: unknown, type: string): string | undefined {
  return partOfCondition(status, type, "status");
}

/** Returns the reason of a condition. Undefined without it. */
export function reasonIn(status: unknown, type: string): string | undefined {
  return partOfCondition(status, type, "reason");
}

function partOfCondition(status: unknown, type: string, part: string): string | undefined {
  const conditions =
    isObject(status) && Array.isArray(status["conditions"]) ? status["conditions"].filter(isObject) : [];
  const found = conditions.find((one) => one["type"] === type);
  return found === undefined ? undefined : String(found[part]);
}

const selecting = ["policy", "tag-pattern", "order", "include-tags", "exclude-tags", "allow-downgrade", "semver-range"];

/**
 * Returns the annotation by which a person decides about a workload or one of some of its containers, so that no
 * ImagePolicy applies. Undefined without one.
 */
export function ownSettingIn(
  { annotations }: Pick<SeenWorkload, "annotations">,
  containers: readonly string[],
): string | undefined {
  const settings = ["enabled", ...selecting];
  const keys = [...settings, ...containers.flatMap((name) => settings.map((one) => `container.${name}.${one}`))];
  return keys.map((key) => `lookout.dev/${key}`).find((key) => Object.hasOwn(annotations, key));
}

/** An image that a ServiceImage decides, and the tag of its tier. */
export interface DecidedImage {
  readonly container: string;
  readonly image: string;
  readonly tag: string;
  readonly priority: number;
}

/** Returns the images of a workload that a ServiceImage decides, with the tag of their tier. Empty for other workloads. */
export function decidedImages(
  { annotations, labels, images }: SeenWorkload,
  { draft, uid }: DefinitionVersion,
  installation: Installation,
): readonly DecidedImage[] {
  const asks = annotations["lookout.dev/enabled"] === "true" && annotations["lookout.dev/policy"] === "service-image";
  if (!asks || draft.kind !== "ServiceImage") return [];
  const tier = tierIn(draft, labels["upgrade-tier"]);
  // The oldest service of any of its repositories is the one of the workload.
  const owner = ownerOf([...images.values()], installation.witness.definitions.stored());
  if (tier === undefined || owner !== uid) return [];
  return [...images].flatMap(([container, image]) => (isOf(draft, image) ? [{ container, image, ...tier }] : []));
}

/** Checks that a status that was written now says of its generation what is so, or was so since the sync before. */
export function checkReported(
  { kind, name, status, uid }: StatusPatch,
  { tick }: { readonly tick: number },
  installation: Installation,
): void {
  const { witness, cluster, stored } = installation;
  // Nobody told the witness of other definitions.
  if (!installation.definitions) return;
  const generation = isObject(status) ? Number(status["observedGeneration"]) : 0;
  const version = witness.definitions.log.find({ uid, generation });
  const what = versionText({ kind, name, uid, generation });
  if (version === undefined) {
    witness.complain("S29", `the status of ${what} is of no generation that ever was`);
    return;
  }
  if (version.draft.kind === "ImagePolicy") checkNewest(version.draft, what, status, installation);
  if (kind !== "ServiceImage" || conditionIn(status, "Complete") !== "True") return;
  if (version.draft.wrong !== undefined)
    witness.complain("S29", `${what} is said to be complete, although it is wrong`);
  const before = witness.definitions.sights.findLast((one) => one.tick < tick);
  const since = witness.definitions.sights.find((one) => one.tick >= tick);
  const now = sightOf(installation);
  if (before === undefined) return;
  for (const [key, seen] of before.workloads) {
    const is = now.workloads.get(key);
    const isTouched = cluster.history.some(
      ({ at, manager, workload }) => manager !== "lookout" && at >= before.at && workload.name === nameIn(key),
    );
    if (is?.uid !== seen.uid || isTouched || isSuspended(seen, installation)) continue;
    // A new workload may be evaluated late. Each hour, a complete list shows those that nobody evaluated.
    const record = stored.records().get(key);
    const isOld = witness.definitions.sights.some(
      ({ at, workloads }) => at < installation.now - 2 * hourMs && workloads.get(key)?.uid === seen.uid,
    );
    if (!isOld && (record?.tracked !== true || record.uid !== seen.uid)) continue;
    const wanted = decidedImages(is, version, installation);
    const shown = [before, since, now].flatMap((sight) => [...(sight?.workloads.get(key)?.images.values() ?? [])]);
    for (const { image, tag } of wanted) {
      const ran = shown.filter((one) => isOf(version.draft, one)).map(tagOf);
      if (ran.includes(tag)) continue;
      const knows = record?.observed.containers.some((one) => one.image === image) === true;
      witness.complain(
        "S29",
        `${what} is said to be complete, although ${key} runs ${short(image)}, and should run ${tag}; the record ${knows ? "knows" : "does not know"} this`,
      );
    }
  }
}

/** The faults for which an evaluation of a known image may be late, or never come. */
const delaying = ["lost", "delayed", "dies", "fails", "freezes", "refused", "untold"] as const;

/**
 * Checks that the target of a policy that is said to be up to date runs no lower version than one that Lookout has known
 * since the sync before, if nothing delays its evaluations.
 */
function checkNewest(draft: PolicyDraft, what: string, status: unknown, installation: Installation): void {
  const { witness, images, stored, weather } = installation;
  if (conditionIn(status, "UpToDate") !== "True" || draft.strategy !== "SemVer") return;
  const before = witness.definitions.sights.at(-2);
  const key = keyOfTarget(draft);
  const record = stored.records().get(key);
  if (before === undefined || record === undefined || delaying.some((fault) => weather[fault] > 0)) return;
  for (const image of sightOf(installation).workloads.get(key)?.images.values() ?? []) {
    if (!isOf(draft, image)) continue;
    for (const tag of missedTags(draft, image, record, installation)) {
      const [imageName = ""] = image.split("@")[0]?.split(/:(?=[^/]*$)/) ?? [];
      const digest = images.digestOf(`${imageName}:${tag}`) ?? "";
      const seenAt = witness.seenAt.get(imageKey({ imageName, tag, digest })) ?? Infinity;
      if (seenAt < before.at && isIdle(record))
        witness.complain(
          "S29",
          `${what} is said to be up to date, although ${key} runs ${short(image)} and not ${tag}`,
        );
    }
  }
}

/** Returns the key of the workload that a policy names. */
export function keyOfTarget({ target }: PolicyDraft): string {
  return workloadKey({ ...target, cluster: "prod", namespace: "shop" });
}

/** Returns the higher versions that a policy allows, and that nothing blocks. */
export function missedTags(
  { repository, pattern }: PolicyDraft,
  image: string,
  { blocked }: WorkloadRecord,
  { images, witness }: Installation,
): readonly string[] {
  const fits = new RegExp(`^(?:${pattern ?? ".*"})$`);
  const [imageName = ""] = image.split("@")[0]?.split(/:(?=[^/]*$)/) ?? [];
  return images.tags(repository).filter((tag) => {
    const digest = images.digestOf(`${imageName}:${tag}`) ?? "";
    const isBlocked = blocked.some((one) => one.digest === digest || one.tag === tag);
    return fits.test(tag) && rankOf(tag) > rankOf(tagOf(image)) && !isBlocked && !witness.quarantinedAt.has(digest);
  });
}

/** Returns whether a record names no reason for what it does not do. */
export function isIdle({ active, pending, selectionFailures, hold, kept, suspension, skips }: WorkloadRecord): boolean {
  const reasons = [active, pending, hold, kept, suspension, skips];
  return reasons.every((one) => one === undefined) && selectionFailures.length === 0;
}

/** Returns whether updates of a workload are suspended. */
export function isSuspended({ annotations, key }: SeenWorkload, { stored }: Installation): boolean {
  return annotations["lookout.dev/suspend"] === "true" || stored.records().get(key)?.suspension !== undefined;
}

function nameIn(key: string): string {
  return key.split("/").at(-1) ?? key;
}

/** Returns a definition of the cluster with the version that a person wrote. */
export function presentVersions({ cluster, witness }: Installation): readonly {
  readonly object: DefinitionObject;
  readonly version: DefinitionVersion;
}[] {
  return cluster.definitionObjects.all().flatMap((object) => {
    const version = witness.definitions.log.find(object);
    return version === undefined ? [] : [{ object, version }];
  });
}
