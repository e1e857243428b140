import type { GateFacts } from "#domain/gates/index";
import type { TierFacts } from "#domain/tiers/facts";
import { isOfTier, type Reason } from "#domain/shared/reasons";
import { type EpochMs, minutes, plus } from "#domain/shared/time";
import {
  type EarlierTier,
  knownTier,
  provenImages,
  standingIn,
  type TierStanding,
  type UnprovedCluster,
} from "#domain/tiers/proof";
import type { RanImage } from "#domain/tiers/member";
import { mayFollow } from "#domain/tiers/proven-digest";
import { groupOfService, nameOfTier } from "#domain/definitions/service-annotations";
import type { Declared } from "#domain/definitions/definition";
import { isUnplaced } from "#domain/definitions/service-image";
import { type DeclaredPlace, declaredPlaceIn, rulesFor } from "#domain/tiers/declared-tiers";
import { fingerprintOf, mayHaveMembers } from "#domain/tiers/membership";
import type { Tier, TierRules } from "#domain/tiers/rules";
import type { WorkloadSettings } from "#domain/settings/settings";
import { currentImage } from "#domain/update/decide/desired-image";
import { membershipOfRecord } from "#domain/update/effects/tier";
import type { WaitReason } from "#domain/shared/wait-reason";
import type { WorkloadRecord } from "#domain/update/state/workload";
import type { ClusterState } from "#ports/cluster-states";
import type { WorkloadName } from "#domain/workload/workload";
import { allOf } from "./bounded.ts";
import { awayOf } from "./away.ts";
import { readOnce } from "./once.ts";
import type { Ports } from "./ports.ts";

/** The reads of tiers for one or more updates. Nothing is read twice. */
export interface TierReads {
  /** Returns what the tiers mean for a workload. */
  of(record: WorkloadRecord): Promise<TierFacts>;
}

/** Returns a function that returns why the clusters of a tier prove nothing now. */
export async function unprovedClusters(
  ports: TierPorts,
): Promise<(tier: Tier) => Pick<EarlierTier, "unread" | "away">> {
  const clusters = await readClusters(ports);
  return (tier) => ({ unread: unreadOf(tier, ports.rules.tiers, clusters), away: clusters.away });
}

/** What the reads of tiers need. */
export type TierPorts = Pick<Ports, "tierMembers" | "clusterStates" | "clusters" | "rules" | "definitions">;

/** Returns the reads of tiers for one or more updates. */
export function tierReads(ports: TierPorts): TierReads {
  const once = readOnce();
  return {
    async of(record) {
      const { annotations } = record.observed;
      const rules = rulesFor(annotations, ports.rules.tiers);
      const membership = membershipOfRecord(record, rules);
      if (membership.kind === "none") return { kind: "first" };
      if (membership.kind === "unknown-tier") return { kind: "unknown", detail: membership.detail };
      const { group, tier, index } = membership;
      if (index === 0) return { kind: "first" };
      const declared = declaredPlaceIn(annotations);
      const { cluster, namespace } = record.workload;
      // A definition of the same name in another cluster may have other tiers.
      const about = declared === undefined ? group : JSON.stringify([cluster, namespace, declared.order, group]);
      const earlier = await once(`${String(index)} ${about}`, async () => {
        const unproved = await once("clusters", () => unprovedClusters(ports));
        const services = declared && (await servicesOf(record.workload, declared, ports));
        return allOf(
          rules.tiers.slice(0, index).map((one) =>
            once(`${one.name} ${about}`, async (): Promise<EarlierTier> => {
              const members = await ports.tierMembers.list({ group, tier: one.name });
              const whole = { tier: one, members, ...unproved(one) };
              return services === undefined ? whole : withinServices(whole, services);
            }),
          ),
        );
      });
      return { kind: "after", tier, group, earlier };
    },
  };
}

/** The ServiceImages that declare the tiers of a group, and the states of their clusters, by cluster. */
interface GroupServices {
  /** The cluster of the workload that asks. */
  readonly own: string;
  readonly group: string;
  readonly services: ReadonlyMap<string, Declared | undefined>;
  readonly states: ReadonlyMap<string, ClusterState>;
}

async function servicesOf(
  workload: WorkloadName,
  { group }: DeclaredPlace,
  { definitions, clusters, clusterStates }: TierPorts,
): Promise<GroupServices> {
  const states = await clusterStates.list();
  const found = await allOf(
    clusters.names().map(async (cluster) => {
      const all = await definitions.inNamespace({ ...workload, cluster });
      return [cluster, all.find((one) => groupOfService(one) === group)] as const;
    }),
  );
  return {
    ...{ own: workload.cluster, group, services: new Map(found) },
    states: new Map(states.map((state) => [state.name, state])),
  };
}

/**
 * The time in which a new image is expected in the ServiceImages of all clusters. Then those with another image no
 * longer count.
 */
const spread = minutes(1);

/**
 * Returns an earlier tier with the members that count for a workload: those of its cluster, and of the clusters whose
 * ServiceImage names the same image for the tier. Until all workloads of such a ServiceImage are in their tiers, its
 * cluster proves nothing.
 */
function withinServices(earlier: EarlierTier, { own, group, services, states }: GroupServices): EarlierTier {
  const { tier, members } = earlier;
  const since = services.get(own)?.tiersAt;
  const counting = new Set([own]);
  const unread: UnprovedCluster[] = [];
  for (const [cluster, service] of services) {
    const isSame = service !== undefined && (cluster === own || namesImageOf(tier, service));
    if (isSame) counting.add(cluster);
    if (isSame && isUnplaced(service))
      unread.push({ cluster, detail: `has not compared all workloads with ${group} yet` });
    if (!isSame && (cluster === own || mayGetImage(service, states.get(cluster), since)))
      unread.push({ cluster, detail: `may get the image of ${group} as well` });
  }
  return { ...earlier, members: members.filter(({ workload }) => counting.has(workload.cluster)), unread };
}

/** Returns whether a cluster may still get the image that another one got, or Lookout does not know yet. */
function mayGetImage(
  service: Declared | undefined,
  state: ClusterState | undefined,
  since: EpochMs | undefined,
): boolean {
  // A cluster that gives no answer and had no such ServiceImage would hold all others.
  if (service === undefined && state?.problem !== undefined) return false;
  if (state?.definitions === undefined) return true;
  if (!state.definitions.includes("ServiceImage")) return false;
  return since === undefined || (state.lastSyncAt ?? 0) < plus(since, spread);
}

function namesImageOf({ name, image }: Tier, { imageName, tiers = [] }: Declared): boolean {
  return imageName === image?.imageName && tiers.some((tier) => nameOfTier(tier) === name && tier.tag === image?.tag);
}

/** The waits that only time and the run of one member can end, and how the images stand meanwhile. */
const waitsForRun: ReadonlySet<Reason> = new Set(["tier-pending", "tier-soaking"]);
const waitingKinds: ReadonlySet<TierStanding["kind"]> = new Set(["pending", "soaking"]);

/** Returns whether one member decides a wait. After the soak of an image, another one of the update may wait for more. */
function waitsForMember({ reason, member, until }: WaitReason, now: EpochMs): boolean {
  return waitsForRun.has(reason) && member !== undefined && (until === undefined || until > now);
}

/**
 * Returns reads for a held update alone. While the update waits for one member, only this member is read, until
 * it has run the images for the soak.
 */
export function tierReadsOfHeld(settings: WorkloadSettings, ports: TierPorts & Pick<Ports, "clock">): TierReads {
  const whole = tierReads(ports);
  return {
    async of(record) {
      const { pending, member: own } = record;
      const now = ports.clock.now();
      const wait = pending?.waits.find((one) => waitsForMember(one, now));
      const { tiers } = rulesFor(record.observed.annotations, ports.rules.tiers);
      const tier = tiers.find(({ name }) => name === wait?.member?.tier);
      // Which members count for a declared tier depends on more than the one.
      const isDeclared = declaredPlaceIn(record.observed.annotations) !== undefined;
      if (wait?.member === undefined || own === undefined || tier === undefined || isDeclared) return whole.of(record);
      const member = await ports.tierMembers.read({ group: own.group, tier: tier.name }, wait.member.workload);
      const alone = knownTier(tier, member === undefined ? [] : [member]);
      // A member that ran another image meanwhile may have proved it.
      const isOther = ({ digest }: RanImage) => pending?.changes.every((change) => change.digest !== digest) !== false;
      const ranOther = member?.ran.some((image) => image.at >= (pending?.selectedAt ?? image.at) && isOther(image));
      const stillWaits =
        ranOther !== true &&
        pending?.changes.some((change) => {
          const rule = settings.containers[change.name];
          return rule !== undefined && waitingKinds.has(standingIn(alone, change, rule, now).kind);
        });
      return stillWaits === true ? { kind: "still", wait } : whole.of(record);
    },
  };
}

/** Returns whether earlier tiers ran a newer image than a held update would replace, while the update waits for them. */
export function offersOther(
  { pending, ran = [], observed }: WorkloadRecord,
  { settings, facts: { tier } }: { readonly settings: WorkloadSettings; readonly facts: Pick<GateFacts, "tier"> },
  now: EpochMs,
): boolean {
  if (tier.kind !== "after" || pending?.waits.some(({ reason }) => isOfTier(reason)) !== true) return false;
  return pending.changes.some((change) => {
    const rule = settings.containers[change.name];
    const container = observed.containers.find(({ list, name }) => list === change.list && name === change.name);
    if (rule === undefined || container === undefined) return false;
    const known = { current: currentImage(container), ran };
    const images = provenImages(tier.earlier, change, rule) ?? [];
    return images.some(
      (image) => image.from <= now && image.digest !== change.digest && mayFollow(rule, image, known, images),
    );
  });
}

/** The clusters that can't prove anything now. */
interface UnprovedClusters {
  /** The clusters whose records were not compared since the tiers changed. */
  readonly unread: readonly UnprovedCluster[];
  readonly away: readonly UnprovedCluster[];
}

async function readClusters({ clusters, clusterStates, rules }: TierPorts): Promise<UnprovedClusters> {
  const names = clusters.names();
  const states = new Map((await clusterStates.list()).map((state) => [state.name, state]));
  const present = fingerprintOf(rules.tiers);
  const unread = names
    .filter((name) => states.get(name)?.tiers !== present)
    .map((cluster) => ({ cluster, detail: "has not been synced since the tiers changed" }));
  const away = names.flatMap((cluster) => {
    const refusal = awayOf(states.get(cluster));
    return refusal === undefined ? [] : [{ cluster, detail: `gives no answer: ${refusal.detail}` }];
  });
  const gone = [...states.keys()].filter((name) => !names.includes(name));
  return { unread, away: [...away, ...gone.map((cluster) => ({ cluster, detail: "is no longer configured" }))] };
}

/**
 * Returns the unread clusters that may have members of a tier. Annotations and labels give any cluster members, and
 * a cluster that answers is read within a minute. A cluster that gives no answer counts only by the rules.
 */
function unreadOf({ name }: Tier, rules: TierRules, { unread, away }: UnprovedClusters): readonly UnprovedCluster[] {
  // A definition declares the tier.
  if (rules.tiers.every((tier) => tier.name !== name)) return [];
  return unread.filter(
    ({ cluster }) => mayHaveMembers(cluster, name, rules) || away.every((one) => one.cluster !== cluster),
  );
}
