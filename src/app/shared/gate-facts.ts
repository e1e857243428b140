import type { Vote } from "#domain/approval/votes";
import { subjectOf } from "#domain/checks/answer";
import type { CheckFacts } from "#domain/checks/facts";
import { checksAt } from "#domain/checks/rules";
import { checksIn } from "#domain/gates/checks";
import type { GateFacts } from "#domain/gates/index";
import { minAgeOf } from "#domain/gates/min-age";
import { nodeRuleOf } from "#domain/gates/node-rules";
import { observedBy } from "#domain/gates/observe";
import { firstSighting, keptLonger } from "#domain/policy/tag-age";
import type { Sighting, TaggedImage } from "#domain/policy/tag-history";
import type { WorkloadSettings } from "#domain/settings/settings";
import { placeOf } from "#domain/shared/jitter";
import { budgetChange, freeSlots, nextForSlots, slotsFor, slotsHeldBy } from "#domain/update/effects/budget";
import { afterDecision, type Decision } from "#domain/update/state/changes";
import type { ActiveUpdate, WorkloadRecord } from "#domain/update/state/workload";
import type { ImageChange } from "#domain/workload/patch";
import { workloadKey } from "#domain/workload/workload";
import type { ClusterState } from "#ports/cluster-states";
import type { QuarantinedDigest } from "#ports/quarantine";
import { allOf } from "./bounded.ts";
import { readOnce } from "./once.ts";
import type { Ports } from "./ports.ts";
import { waitersFor } from "./slots.ts";
import { awayOf } from "./away.ts";
import { type TierReads, tierReads } from "./tiers.ts";

/** The facts for the gates, without a slot. */
type FactsWithoutSlot = Omit<GateFacts, "slot">;

/**
 * Keeps the sightings of the images of changes while an update waits, if the workload has a minimum
 * age. An image without a sighting counts as seen now, because a restored record may contain it.
 *
 * The caller keeps sightings before it reads facts.
 */
export async function keepSightings(
  settings: WorkloadSettings,
  changes: readonly ImageChange[],
  { sightings, clock }: Ports,
): Promise<void> {
  const minAge = minAgeOf(settings);
  if (minAge === 0 || changes.length === 0) return;
  const images = distinct(changes);
  const known = await sightings.among(images);
  const now = clock.now();
  const unseen = images.filter((image) => !known.some((sighting) => isSame(sighting, image)));
  const kept = known.map((sighting) => keptLonger(sighting, minAge, now)).filter((one) => !known.includes(one));
  const fresh = unseen.map((image) => firstSighting(image, minAge, now));
  if (kept.length + fresh.length > 0) await sightings.remember([...kept, ...fresh], now);
}

function isSame(one: TaggedImage, other: TaggedImage): boolean {
  return one.imageName === other.imageName && one.tag === other.tag && one.digest === other.digest;
}

/**
 * Reads the facts that can stop an update: quarantine, freezes, sightings, votes and nodes.
 *
 * These facts suffice for an active update: it has its slot, and the patch itself shows whether the
 * cluster answers. A held update needs {@link readReleaseFacts}.
 */
export async function readStopFacts(
  record: WorkloadRecord,
  settings: WorkloadSettings,
  changes: readonly ImageChange[],
  ports: Ports,
): Promise<FactsWithoutSlot> {
  const { cluster } = record.workload;
  // The checks were asked before the release, and never at the time of the patch.
  const checks = { rules: ports.rules.checks, answers: [] };
  const [quarantined, freezes, sightings, votes, tier, state] = await allOf([
    ports.quarantine.among(digestsOf(changes)),
    ports.freezes.list(),
    readSightings(settings, changes, ports),
    readVotes(record, ports),
    tierReads(ports).of(record),
    // Without a node rule for the cluster, no gate needs the state of the cluster.
    nodeRuleOf(ports.rules.nodes, cluster) === undefined ? undefined : ports.clusterStates.read(cluster),
  ]);
  const read = { quarantined, freezes, sightings, votes, tier, checks };
  return { ...read, ...configuredFacts(record, ports), ...nodesOf(cluster, state, ports) };
}

/**
 * Reads the facts for all gates of an update with these changes.
 *
 * @param tiers - the reads of tiers; by default all members of the earlier tiers.
 */
export async function readReleaseFacts(
  record: WorkloadRecord,
  settings: WorkloadSettings,
  changes: readonly ImageChange[],
  ports: Ports,
  tiers: TierReads = tierReads(ports),
): Promise<GateFacts> {
  const { facts, slots } = await releaseFactsReader(ports, tiers).read(record, settings, changes);
  return { ...facts, ...slots.offer(record) };
}

/** Reads the facts of several updates. Nothing is read twice. */
export interface ReleaseFactsReader {
  /** Reads the facts of a workload's cluster, and the quarantine of the likely digest. */
  readAhead(record: WorkloadRecord): Promise<unknown>;
  read(record: WorkloadRecord, settings: WorkloadSettings, changes: readonly ImageChange[]): Promise<ReleaseFacts>;
}

/** The facts for one update, and the slots of its cluster. */
export interface ReleaseFacts {
  readonly facts: FactsWithoutSlot;
  readonly slots: SlotOffers;
}

/** The slot that a workload may take. No slot if none is left for the workload. */
type SlotOffer = Pick<GateFacts, "slot" | "namespaceHolds">;

/** The free slots of a cluster. */
export interface SlotOffers {
  /** Returns the slot that a workload may take now. */
  offer(record: WorkloadRecord): SlotOffer;
  /**
   * Decides about a workload with the slot that it may take. A slot that the decision takes is not
   * offered again.
   */
  decide(record: WorkloadRecord, decideWith: (offer: SlotOffer) => Decision | undefined): Decision | undefined;
}

/**
 * Returns a reader of the facts of several updates. `likely` is a digest that is probably needed.
 */
export function releaseFactsReader(ports: Ports, tiers: TierReads, likely?: string): ReleaseFactsReader {
  const once = readOnce();
  const ofCluster = (cluster: string) =>
    allOf([
      once("freezes", () => ports.freezes.list()),
      once(`cluster ${cluster}`, () => ports.clusterStates.read(cluster)),
      once(`slots ${cluster}`, () => readSlots(cluster, ports)),
    ]);
  const quarantined = (digests: readonly string[]): Promise<readonly QuarantinedDigest[]> =>
    once(`quarantine ${digests.join()}`, () => ports.quarantine.among(digests));
  return {
    readAhead: ({ workload: { cluster } }) =>
      allOf([ofCluster(cluster), likely === undefined ? [] : quarantined([likely])]),
    async read(record, settings, changes) {
      const { cluster } = record.workload;
      const [entries, [freezes, state, slots], sightings, votes, tier, checks] = await allOf([
        quarantined(digestsOf(changes)),
        ofCluster(cluster),
        readSightings(settings, changes, ports),
        readVotes(record, ports),
        tiers.of(record),
        readReleaseChecks(record, settings, changes, ports),
      ]);
      const isKnown = ports.clusters.names().includes(cluster);
      const ofItsCluster = isKnown ? clusterFacts(state) : { away: notConfigured };
      const read = { quarantined: entries, freezes, sightings, votes, tier, checks };
      const facts = { ...read, ...configuredFacts(record, ports), ...ofItsCluster, ...nodesOf(cluster, state, ports) };
      return { facts, slots };
    },
  };
}

/** Reads the answers before the release of the pending update, and of an update with these changes. */
async function readReleaseChecks(
  { workload, pending }: WorkloadRecord,
  settings: WorkloadSettings,
  changes: readonly ImageChange[],
  { checkAnswers, rules: { checks: rules } }: Ports,
): Promise<CheckFacts> {
  const asked = checksAt("release", checksIn(rules, workload, settings));
  if (asked.length === 0 || changes.length === 0) return { rules, answers: [] };
  const subjects = new Set([changes, ...(pending === undefined ? [] : [pending.changes])].map((of) => subjectOf(of)));
  const keys = asked.flatMap(({ name: check }) => [...subjects].map((subject) => ({ check, subject })));
  return { rules, answers: await checkAnswers.among(keys) };
}

/** Reads the answers of the checks that judge the pods of an update. */
export async function readBakeChecks(
  { workload, uid }: WorkloadRecord,
  settings: WorkloadSettings,
  { seq, changes }: Pick<ActiveUpdate, "seq" | "changes">,
  { checkAnswers, rules: { checks: rules } }: Ports,
): Promise<CheckFacts> {
  const asked = checksAt("bake", checksIn(rules, workload, settings));
  if (asked.length === 0) return { rules, answers: [] };
  const subject = subjectOf(changes, { workload, uid, seq });
  return { rules, answers: await checkAnswers.among(asked.map(({ name: check }) => ({ check, subject }))) };
}

function configuredFacts(
  { workload }: WorkloadRecord,
  {
    rules: {
      plannedFreezes,
      approvals: approvalRules,
      limits: { windowSpread },
      observe,
    },
  }: Ports,
): Pick<GateFacts, "plannedFreezes" | "approvalRules" | "windowSpread" | "observes"> {
  const observes = observedBy(observe, workload);
  return { plannedFreezes, approvalRules, windowSpread, ...(observes === undefined ? {} : { observes }) };
}

/** Returns the nodes of a cluster with a rule; empty for all other clusters. */
function nodesOf(
  cluster: string,
  state: ClusterState | undefined,
  { rules: { nodes: nodeRules } }: Ports,
): Pick<GateFacts, "nodes"> {
  const rule = nodeRuleOf(nodeRules, cluster);
  if (rule === undefined) return {};
  return { nodes: { rule, ...(state?.nodes === undefined ? {} : { known: state.nodes }) } };
}

function digestsOf(changes: readonly ImageChange[]): readonly string[] {
  return [...new Set(changes.map(({ digest }) => digest))];
}

/** Reads the votes on the open updates that need approval. No vote exists for other updates. */
async function readVotes({ workload, active, pending }: WorkloadRecord, { store }: Ports): Promise<readonly Vote[]> {
  const asked = [active, pending].flatMap((update) => (update?.approval === undefined ? [] : [update.seq]));
  return (await allOf(asked.map((seq) => store.votes(workloadKey(workload), seq)))).flat();
}

/**
 * Reads the sightings of images. If the workload has no minimum age, returns none and reads
 * nothing.
 */
async function readSightings(
  settings: WorkloadSettings,
  changes: readonly ImageChange[],
  { sightings }: Ports,
): Promise<readonly Sighting[]> {
  return minAgeOf(settings) > 0 && changes.length > 0 ? sightings.among(distinct(changes)) : [];
}

/** Returns the images of changes, each once: containers may share an image. */
function distinct(changes: readonly ImageChange[]): readonly TaggedImage[] {
  const images = changes.map(({ imageName, tag, digest }) => ({ imageName, tag, digest }));
  return [...new Map(images.map((image) => [Object.values(image).join(" "), image])).values()];
}

async function readSlots(cluster: string, { store, rules: { limits } }: Ports): Promise<SlotOffers> {
  const most = limits.maxConcurrentRollouts;
  const stored = await store.slots(cluster);
  const waiting = await waitersFor(cluster, stored, most, store);
  let taken = stored;
  let next = nextForSlots(waiting, taken, most);
  const offer = ({ workload, uid }: WorkloadRecord): SlotOffer => {
    const mine = slotsFor(workload.namespace, taken, most);
    const free = freeSlots(taken, most).length;
    if (mine.length === 0 && free > 0) return { namespaceHolds: slotsHeldBy(workload.namespace, taken) };
    // Waiting workloads come first. Other workloads are offered only the remaining slots.
    const left = next.includes(workloadKey(workload)) ? free : free - next.length;
    // The uid of the workload chooses the slot, so that two concurrent functions rarely offer the
    // same slot.
    const slot = left > 0 ? mine[Math.floor(placeOf(uid) * mine.length)] : undefined;
    return slot === undefined ? {} : { slot };
  };
  return {
    offer,
    decide(record, decideWith) {
      const decision = decideWith(offer(record));
      const takes = budgetChange(record, afterDecision(record, decision))?.takes;
      if (takes === undefined) return decision;
      taken = [...taken, { slot: takes, workload: workloadKey(record.workload) }];
      next = nextForSlots(waiting, taken, most);
      return decision;
    },
  };
}

/** The reason why a cluster that is not configured gets no update. */
export const notConfigured = {
  reason: "cluster-unreachable",
  detail: "no cluster of this name is configured",
} as const satisfies GateFacts["away"];

function clusterFacts(state: ClusterState | undefined): Pick<GateFacts, "away" | "answeredAt"> {
  const { lastSyncAt, answeredAt = lastSyncAt } = state ?? {};
  const away = awayOf(state);
  return { ...(answeredAt === undefined ? {} : { answeredAt }), ...(away === undefined ? {} : { away }) };
}
