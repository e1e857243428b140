import { readBoolean, type ReadValue } from "../annotations/setting-values.ts";
import type { SelectionRule } from "../policy/policy.ts";
import { formatDuration } from "../shared/duration.ts";
import { ok, problem } from "../shared/result.ts";
import { type EpochMs, toIso } from "../shared/time.ts";
import type { WaitReason } from "../shared/wait-reason.ts";
import type { TierFacts } from "../tiers/facts.ts";
import type { TierMember } from "../tiers/member.ts";
import { tierNameForm, tierNamePattern } from "../tiers/name.ts";
import { type EarlierTier, standingIn, type TierStanding } from "../tiers/proof.ts";
import { blockCause } from "../workload/block-reason.ts";
import type { ImageChange } from "../workload/patch.ts";
import { workloadKey } from "../workload/workload.ts";
import { closed, type GatedSettings, type GateFacts, type GateQuestion, open, type Passage } from "./gate.ts";
import { gateSetting } from "./gate-setting.ts";
import { passOf } from "./pass.ts";

/** The parts of a question that the gate reads. */
export interface TierQuestion extends Pick<GateQuestion, "now" | "changes"> {
  readonly facts: Pick<GateFacts, "tier">;
  readonly settings: Pick<GatedSettings, "containers">;
}

/** A tier, and a group of tiers, has the form of a label's value. */
const readName: ReadValue<string> = (text) =>
  tierNamePattern.test(text.trim()) ? ok(text.trim()) : problem(`expected ${tierNameForm}`);

function nameSetting(key: string, label: string) {
  return gateSetting({
    ...{ key, label, isSupported: true, parse: readName },
    toJson: (name) => name,
    toText: (name) => name,
  });
}

/** The tier in which the workload is updated. */
export const tierSetting = nameSetting("tier", "tier");
/** The group of workloads that the workload belongs to. */
export const tierGroupSetting = nameSetting("tier-group", "tier group");

/** Whether an image that fails on the workload halts the later tiers. */
export const haltSetting = gateSetting({
  ...{ key: "halt-on-failure", label: "halt on failure", isSupported: true, parse: readBoolean },
  toJson: (halts) => halts,
  toText: String,
});

/**
 * Holds an update until all members of the earlier tiers of its group that count ran its images for the soak.
 *
 * The selection prefers images that they ran, so this gate holds an update while there is none. At the patch
 * it is the last guard.
 */
export const askTier = ({ facts: { tier: facts }, changes, settings, now }: TierQuestion): Passage => {
  switch (facts.kind) {
    case "first":
      return open;
    case "unknown":
      return closed({ reason: "tier-unknown", detail: facts.detail });
    case "still":
      return closed(facts.wait);
    case "after": {
      const rule = (name: string) => settings.containers[name];
      return passageAfter(facts.earlier, { changes, rule, where: tierPlaceText(facts) }, now);
    }
  }
};

/**
 * Returns whether an update waits for an earlier tier, and no person released it. Until then nobody is asked to
 * approve it, because the selection may prefer an image that the tier ran.
 */
export function waitsForTier(question: TierQuestion & Pick<GateQuestion, "passes">): boolean {
  return passOf("tier", question.changes, question.passes) === undefined && askTier(question).kind === "closed";
}

/** Returns the place of a workload among the tiers: `prod of group shop/api`. */
export function tierPlaceText({ tier, group }: Pick<Extract<TierFacts, { kind: "after" }>, "tier" | "group">): string {
  return `${tier} of group ${group}`;
}

interface Asked {
  readonly changes: readonly ImageChange[];
  readonly rule: (container: string) => SelectionRule | undefined;
  /** The tier and the group of the workload. */
  readonly where: string;
}

function passageAfter(earlier: readonly EarlierTier[], { changes, rule, where }: Asked, now: EpochMs): Passage {
  const names = earlier.map(({ tier }) => tier.name).join(", ");
  if (changes.length === 0) return { kind: "open", detail: `${where}, after ${names}` };
  const empty = new Set<string>();
  for (const one of earlier)
    for (const change of changes) {
      const standing = standingIn(one, change, rule(change.name) ?? keepsTag, now);
      const wait = waitOf(one, change, standing);
      if (wait !== undefined) return closed(wait);
      if (standing.kind === "empty") empty.add(one.tier.name);
    }
  if (empty.size === 0) return { kind: "open", detail: `${where}: ${names} ran it` };
  return { kind: "open", detail: `${where}: no member to wait for in ${[...empty].join(", ")}` };
}

/** The rule of a container without a policy: no version is higher than another. */
const keepsTag: SelectionRule = { policy: { kind: "digest" }, allowDowngrade: false };

/** Returns the wait for an earlier tier; undefined if the image may pass. */
function waitOf({ tier }: EarlierTier, { tag }: ImageChange, standing: TierStanding): WaitReason | undefined {
  switch (standing.kind) {
    case "empty":
    case "proven":
      return undefined;
    case "soaking": {
      const { by, from } = standing;
      if (by.leftAt !== undefined) {
        const left = `${workloadKey(by.workload)} left at ${toIso(by.leftAt)}, and no other member is there`;
        return { reason: "tier-soaking", detail: `${tier.name}: ${left}`, until: from };
      }
      const detail = `${tier.name}: soaks for ${formatDuration(tier.soak)}, since ${workloadKey(by.workload)} ran ${tag}`;
      return { reason: "tier-soaking", detail, until: from, member: memberOf(tier.name, by) };
    }
    case "pending": {
      const member = memberOf(tier.name, standing.by);
      const { misplaced } = standing.by;
      const why = misplaced === undefined ? `has not run ${tier.image?.tag ?? tag}` : `is held, because ${misplaced}`;
      return { reason: "tier-pending", detail: `${tier.name}: ${member.workload} ${why}`, member };
    }
    case "halted": {
      const { by, halted } = standing;
      const member = memberOf(tier.name, by);
      const what = `${tag} ${blockCause(halted)} on ${member.workload}, since ${toIso(halted.at)}`;
      return { reason: "tier-halted", detail: `${tier.name}: ${what}`, member };
    }
    case "unproved":
      return { reason: "tier-unproved", detail: `${tier.name}: no member that counts ran ${tag}` };
    case "unread": {
      const { cluster, by } = standing;
      const of = by === undefined ? "" : `${workloadKey(by.workload)}: `;
      const detail = `${tier.name}: ${of}cluster ${cluster.cluster} ${cluster.detail}`;
      return { reason: "tier-unread", detail, ...(by === undefined ? {} : { member: memberOf(tier.name, by) }) };
    }
  }
}

function memberOf(tier: string, { workload }: TierMember): NonNullable<WaitReason["member"]> {
  return { tier, workload: workloadKey(workload) };
}
