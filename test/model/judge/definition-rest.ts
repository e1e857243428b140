import { withDefinitions } from "#app/shared/declared-clusters";
import { isObject } from "#domain/shared/json";
import { isOfTier } from "#domain/shared/reasons";
import { differsFromRecord } from "#domain/update/decide/observe";
import { type LiveWorkload, type WorkloadName } from "#domain/workload/workload";
import { type DefinitionVersion, isOf, type PolicyDraft } from "#test/model/history/definition-log";
import { short, tagOf } from "#test/model/image-text";
import type { Installation } from "#test/model/world/installation";
import {
  conditionIn,
  decidedImages,
  isIdle,
  keyOfTarget,
  missedTags,
  isSuspended,
  presentVersions,
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
    else if (version.draft.kind === "ServiceImage") checkService(version, status, installation);
    else checkPolicy(version, version.draft, status, installation);
  }
  for (const record of stored.records().values()) {
    const live = await declaredLive(record.workload, installation);
    if (live !== undefined && record.active === undefined && differsFromRecord(record, live))
      witness.complain("L2", `${record.workload.name} differs from what Lookout knows, and nothing changes that`);
  }
}

/** Checks that a ServiceImage is complete if and only if its workloads run the images of their tiers. */
function checkService(version: DefinitionVersion, status: unknown, installation: Installation): void {
  const { witness } = installation;
  const what = versionText({ ...version, ...version.draft });
  const isComplete = conditionIn(status, "Complete") === "True";
  const said = `is ${isComplete ? "" : "not "}said to be complete`;
  if (version.draft.wrong !== undefined) {
    if (isComplete) witness.complain("S29", `at the end ${what} ${said}, although it is wrong`);
    return;
  }
  const members = [...sightOf(installation).workloads.values()].flatMap((one) => {
    const isAside = isSuspended(one, installation);
    return decidedImages(one, version, installation).map((image) => ({ ...image, isAside, key: one.key }));
  });
  const behind = members.filter(({ image, tag, isAside }) => tagOf(image) !== tag && !isAside);
  if (isComplete && behind.length > 0)
    witness.complain("S29", `at the end ${what} ${said}, although ${behind.map(behindText).join(" and ")}`);
  const records = members.flatMap(({ key }) => installation.stored.records().get(key) ?? []);
  const isQuiet = records.every(({ active, pending }) => active === undefined && pending === undefined);
  if (!isComplete && members.length > 0 && behind.length === 0 && isQuiet)
    witness.complain(
      "S29",
      `at the end ${what} ${said}, although all members run their images: ${JSON.stringify(status).slice(0, 600)}`,
    );
  for (const one of behind) checkBehind(one, installation);
  for (const one of members) checkWaits(one, members, installation);
}

/** Checks that no workload waits for tiers whose workloads all run the images of these. */
function checkWaits({ key, priority }: Decided, members: readonly Decided[], { stored, witness }: Installation): void {
  const pending = stored.records().get(key)?.pending;
  const waits = pending?.waits.filter(({ reason }) => isOfTier(reason) && reason !== "tier-unknown") ?? [];
  const earlier = members.filter((one) => one.priority > priority);
  const isOpen = earlier.every(({ image, tag, isAside }) => tagOf(image) === tag && !isAside);
  if (waits.length > 0 && isOpen)
    witness.complain(
      "L1",
      `${key} waits for tiers (${waits.map(({ reason }) => reason).join(", ")}), although all earlier ones run their images`,
    );
}

interface Decided {
  readonly key: string;
  readonly image: string;
  readonly tag: string;
  readonly priority: number;
  /** True: its updates are suspended. */
  readonly isAside: boolean;
}

function behindText({ key, image, tag }: Decided): string {
  return `${key} runs ${short(image)} and not ${tag}`;
}

/** Checks that a workload without the image of its tier has a reason. */
function checkBehind(one: Decided, { stored, witness }: Installation): void {
  const record = stored.records().get(one.key);
  if (record === undefined || !isIdle(record) || record.blocked.some(({ tag }) => tag === one.tag)) return;
  witness.complain("L2", `at the end ${behindText(one)}, and nobody says why`);
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
  const own = seen?.annotations["lookout.dev/enabled"];
  const shown = [...(seen?.images.values() ?? [])].filter((image) => isOf(draft, image));
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
