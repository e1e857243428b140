import { compareTexts } from "#domain/shared/text-order";
import { epochMs, seconds } from "#domain/shared/time";
import { presentOf, type RanImage, type TierMember, type TierPlace } from "#domain/tiers/member";
import { hasRun, knownTier, laterIsHigher, latestFound, standingIn, type WantedImage } from "#domain/tiers/proof";
import { rulesFor } from "#domain/tiers/declared-tiers";
import type { Tier, TierRules } from "#domain/tiers/rules";
import type { Fact } from "#domain/update/events";
import type { Transition, WorkloadRecord } from "#domain/update/state/workload";
import type { ImageChange } from "#domain/workload/patch";
import { workloadKey } from "#domain/workload/workload";
import type { Ports } from "../shared/ports.ts";

/** What the moves of tiers need. */
type FollowPorts = Pick<Ports, "tierMembers" | "queues" | "rules">;
/** The same for one record, with the rules of its tiers. */
type TierPorts = Pick<Ports, "tierMembers" | "queues"> & { readonly tiers: TierRules };

/**
 * Follows records whose place or images in a tier changed: queues the evaluation of the next members when a
 * tier is through with an image, or halts it. Returns the facts about it.
 *
 * A repetition repeats the ids of the facts, and evaluates again.
 */
export async function followTiers(records: readonly WorkloadRecord[], ports: FollowPorts): Promise<readonly Fact[]> {
  const facts: Fact[] = [];
  for (const record of records) {
    if (record.effects.tier === undefined) continue;
    const tiers = rulesFor(record.observed.annotations, ports.rules.tiers);
    facts.push(...(await follow(record, { ...ports, tiers })));
  }
  return facts;
}

async function follow(record: WorkloadRecord, ports: TierPorts): Promise<readonly Fact[]> {
  const { puts, leaves } = record.effects.tier ?? {};
  if (leaves !== undefined) {
    const left = await tierOf(leaves, ports);
    const ran = leaves.ran.map(({ digest }) => digest);
    if (left !== undefined && goesOnWithout(left, ran)) await evaluateAfter(left, record, ports);
  }
  const tier = puts === undefined ? undefined : await tierOf(puts, ports);
  return puts === undefined || tier === undefined ? [] : followMember(puts, tier, record, ports);
}

/** Follows a member that stays in its tier, or came to it. */
async function followMember(
  member: TierMember,
  tier: FollowedTier,
  record: WorkloadRecord,
  ports: TierPorts,
): Promise<readonly Fact[]> {
  const of = `${tier.tier} of ${tier.group}`;
  const success = record.transitions.find(({ what }) => what === "succeeded");
  if (success !== undefined) {
    const { changes } = success;
    if (!changes.every((change) => isProven(tier, change))) return [];
    await evaluateAfter(tier, record, ports);
    const text = `${of}: ${count(tier.members, changes)} run ${tagsOf(changes)}`;
    return [factOfTier("TierCompleted", record, success, text)];
  }
  const halt = haltIn(record, tier);
  if (halt !== undefined) {
    await evaluateAfter(tier, record, ports, "all");
    const text = `${of}: ${workloadKey(record.workload)} stops ${tagsOf(halt.changes)}`;
    return [factOfTier("TierHalted", record, halt, text)];
  }
  const joins = record.transitions.some(({ what }) => what === "tracked");
  const digests = member.ran.map(({ digest }) => digest);
  if (!joins && isThrough(tier, newestOf(tier.members), digests)) await evaluateAfter(tier, record, ports);
  return [];
}

/** A tier of a group with its members. */
interface FollowedTier extends TierPlace {
  readonly rule: Tier;
  readonly members: readonly TierMember[];
}

async function tierOf(place: TierPlace, { tierMembers, tiers }: TierPorts): Promise<FollowedTier | undefined> {
  const rule = tiers.tiers.find(({ name }) => name === place.tier);
  const isLast = tiers.tiers.at(-1) === rule;
  if (rule === undefined || isLast) return undefined;
  return { group: place.group, tier: place.tier, rule, members: presentOf(await tierMembers.list(place)) };
}

function isProven({ rule, members }: FollowedTier, image: WantedImage): boolean {
  const { kind } = standingIn(knownTier(rule, members), image, laterIsHigher, epochMs(0));
  return kind === "proven" || kind === "soaking";
}

/** Returns whether a later tier may go on because a member left, which ran these digests. */
function goesOnWithout(left: FollowedTier, ran: readonly string[]): boolean {
  return left.members.length === 0 || isThrough(left, newestOf(left.members), ran);
}

/** Returns whether a tier is through with its newest image, for which it may have waited for a workload. */
function isThrough(tier: FollowedTier, newest: RanImage | undefined, ran: readonly string[]): boolean {
  return newest !== undefined && !ran.includes(newest.digest) && isProven(tier, newest);
}

function newestOf(members: readonly TierMember[]): RanImage | undefined {
  return latestFound(members.flatMap(({ ran }) => ran))[0];
}

/**
 * Returns the transition that halted the tier: the first block of its images in it. Of members that blocked an
 * image at once, the first is found, whatever the order in which their changes come.
 */
function haltIn(record: WorkloadRecord, { rule, members }: FollowedTier): Transition | undefined {
  if (!rule.haltOnFailure) return undefined;
  const { halted = [], mayFail } = record.effects.tier?.puts ?? {};
  if (mayFail === true) return undefined;
  return record.transitions.find(({ changes }) =>
    changes.some(
      ({ digest }) =>
        halted.some((image) => image.digest === digest) &&
        firstToHalt(digest, members) === workloadKey(record.workload),
    ),
  );
}

/** Returns the member that blocked an image first. Of two, the first by its key. */
function firstToHalt(digest: string, members: readonly TierMember[]): string | undefined {
  const blocks = members.flatMap(({ workload, halted }) =>
    halted.filter((image) => image.digest === digest).map(({ at }) => ({ key: workloadKey(workload), at })),
  );
  return blocks.toSorted((one, other) => one.at - other.at || compareTexts(one.key, other.key))[0]?.key;
}

/** Queues the evaluation of the members of the next tier that has any, or of all later tiers. */
async function evaluateAfter(
  { group, tier }: TierPlace,
  { uid, version }: WorkloadRecord,
  { tierMembers, queues, tiers }: TierPorts,
  which: "next" | "all" = "next",
): Promise<void> {
  const names = tiers.tiers.map(({ name }) => name);
  for (const name of names.slice(names.indexOf(tier) + 1)) {
    const members = presentOf(await tierMembers.list({ group, tier: name }));
    const about = { name: "EvaluateWorkload", id: `tier:${uid}:${String(version)}`, source: `tier ${tier}` } as const;
    await queues.send(members.map(({ workload }) => ({ command: { ...about, workload }, delay: seconds(0) })));
    const isDeclared = tiers.tiers.some(({ image }) => image !== undefined);
    if (which === "next" && members.length > 0 && !isDeclared) return;
  }
}

function factOfTier(
  name: "TierCompleted" | "TierHalted",
  { workload, uid, version, changedAt }: WorkloadRecord,
  { seq, changes, reasons }: Transition,
  detail: string,
): Fact {
  const id = [uid, seq, version, name].join("/");
  return { name, id, workload, uid, seq, version, at: changedAt, changes, reasons, detail };
}

function tagsOf(changes: readonly ImageChange[]): string {
  return [...new Set(changes.map(({ tag }) => tag))].join(", ");
}

function count(members: readonly TierMember[], changes: readonly ImageChange[]): string {
  const ran = members.filter((member) => changes.every((change) => hasRun(member, change))).length;
  return `${String(ran)} of ${String(members.length)} members`;
}
