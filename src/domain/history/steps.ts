import { parseImageReference } from "../image/reference.ts";
import { reasons } from "../shared/reasons.ts";
import type { EpochMs } from "../shared/time.ts";
import type { WaitReason } from "../shared/wait-reason.ts";
import type { Fact, FactName } from "../update/events.ts";
import type { ImageChange } from "../workload/patch.ts";
import { isLimit } from "../workload/pull-limit.ts";

/** A step of an update, as `lookout watch` prints it. */
export interface Step {
  readonly at: EpochMs;
  readonly mark: "plain" | "good" | "bad" | "waits" | "undone";
  readonly word: string;
  readonly text: string;
}

/** Returns the steps that a fact reports, in order. Facts that users need not see have no steps. */
export function stepsOf(fact: Fact): readonly Step[] {
  const why = fact.reasons.map(whyOf).join(" · ");
  const { at } = fact;
  // A newer server may send facts with names that this version does not know.
  const known: Readonly<Partial<Record<string, StepsOfFact>>> = stepsByFact;
  const steps = known[fact.name]?.(fact, why) ?? [{ word: "fact", text: fact.name }];
  return [...selectionOf(fact), ...steps].map((step) => ({ at, mark: "plain", ...step }));
}

type FactStep = Pick<Step, "word" | "text"> & Partial<Step>;
type StepsOfFact = (fact: Fact, why: string) => readonly FactStep[];

/** Returns the steps of the push and the selection, which have no facts of their own. */
function selectionOf(fact: Fact): readonly FactStep[] {
  if (fact.selected !== true) return [];
  return [
    ...fact.changes.map(({ imageName, tag, digest }) => ({
      word: wasNotified(fact) ? "pushed" : "found",
      text: `${imageName}:${tag} @ ${short(digest)}  (${fact.source ?? ""})`,
      at: fact.detectedAt ?? fact.at,
    })),
    ...fact.changes.map((change) => ({
      word: "selected",
      text: `${formerTag(change)} → ${change.tag}   ${change.policy}`,
    })),
  ];
}

const stepsByFact: Readonly<Record<FactName, StepsOfFact>> = {
  WorkloadTracked: (_, why) => [
    why === "" ? { word: "tracked", text: "tracking started" } : { word: "problem", text: why, mark: "bad" },
  ],
  WorkloadChanged: ({ detail, reasons: causes }, why) => {
    // The line of the rollback has told it.
    if (causes.length > 0 && causes.every(({ reason }) => reason === "digest-blocked")) return [];
    if (why !== "") return [{ word: "problem", text: why, mark: "bad" }];
    return detail === undefined ? [] : [{ word: "changed", text: detail }];
  },
  WorkloadUntracked: () => [{ word: "untracked", text: "deleted, or no longer enabled" }],
  UpdateHeld: (_, why) => [{ word: "held", text: why, mark: "waits" }],
  ApprovalRequested: ({ changes }) => [
    { word: "asks", text: `approval of ${changes.map(imageText).join(", ")}`, mark: "waits" },
  ],
  ApprovalGiven: ({ detail }) => [{ word: "approved", text: detail ?? "", mark: "good" }],
  ApprovalRejected: (_, why) => [{ word: "rejected", text: why, mark: "bad" }],
  ApprovalExpired: () => [{ word: "expired", text: "the time for approval is over", mark: "bad" }],
  ApprovalVoided: ({ detail }) => [
    { word: "votes void", text: `${detail ?? ""} voted on other images or settings`, mark: "waits" },
  ],
  UpdateReleased: () => [],
  RolloutPrepared: () => [],
  RolloutStarted: (fact) => [{ word: "patched", text: `${containersOf(fact.changes)}   ${afterPush(fact)}` }],
  RolloutWaiting: ({ detail }) => (detail === undefined ? [] : [{ word: "waiting", text: detail, mark: "waits" }]),
  WorkloadRunning: (fact) => [{ word: "running", text: `${fact.detail ?? ""}   ${afterPush(fact)}`, mark: "good" }],
  RolloutSucceeded: ({ detail }) => [{ word: "succeeded", text: detail ?? "", mark: "good" }],
  RolloutFailed: (fact) => [{ word: "failed", text: failureText(fact), mark: "bad" }],
  // Its end follows soon, and a failure is two lines.
  RollbackStarted: () => [],
  RolledBack: ({ changes, reasons: causes, workload }) => {
    const failed = changes.map(({ tag }) => tag).join(", ");
    const next = causes.some(({ reason }) => isLimit(reason))
      ? `${failed} comes again later`
      : `${failed} is blocked here until lookout unblock ${workload.namespace}/${workload.name}`;
    return [
      {
        word: "rolled back",
        text: `to ${changes.map((change) => change.back?.tag ?? formerTag(change)).join(", ")}; ${next}`,
        mark: "undone",
      },
    ];
  },
  RollbackFailed: (_, why) => [{ word: "not recovered", text: why, mark: "bad" }],
  RevertedByUser: (_, why) => [{ word: "reverted", text: why, mark: "bad" }],
  UpdateSuperseded: ({ seq }, why) => [{ word: "superseded", text: `update ${seq}: ${why}` }],
  TierCompleted: ({ detail }) => [{ word: "tier", text: detail ?? "", mark: "good" }],
  TierHalted: ({ detail }) => [{ word: "halted", text: detail ?? "", mark: "bad" }],
  HoldEnded: ({ detail }) => [{ word: "unblocked", text: detail ?? "" }],
  EvidenceImported: ({ detail }) => [{ word: "imported", text: detail ?? "" }],
  DigestsUnblocked: ({ detail }) => [{ word: "unblocked", text: detail ?? "" }],
  WorkloadSuspended: ({ detail }) => [{ word: "suspended", text: detail ?? "", mark: "waits" }],
  WorkloadResumed: ({ detail }) => [{ word: "resumed", text: detail ?? "" }],
  VersionKept: ({ detail }) => [{ word: "requested", text: detail ?? "" }],
  BaseImageMoved: ({ baseImages = [] }) => [
    {
      word: "base moved",
      text: baseImages.map(({ image, from, digest }) => `${image} ${short(from)} → ${short(digest)}`).join(", "),
    },
  ],
  TagSkipped: ({ detail }) => [{ word: "skips", text: detail ?? "" }],
};

/** Returns the versions that failed, and why: `1.4.0: ImagePullBackOff in pod api-7   0.4 s after the push`. */
function failureText(fact: Fact): string {
  const tags = fact.changes.map(({ tag }) => tag).join(", ");
  const why = fact.reasons.map((one) => (one.reason === "rollout-failed" ? (one.detail ?? whyOf(one)) : whyOf(one)));
  return `${[...(tags === "" ? [] : [tags]), why.join(" · ")].join(": ")}   ${afterPush(fact)}`.trimEnd();
}

function whyOf({ reason, detail, until }: WaitReason): string {
  const opens = until === undefined ? "" : ` until ${new Date(until).toISOString()}`;
  return `${reasons[reason].sentence.replace(/\.$/, "")}${detail === undefined ? "" : `: ${detail}`}${opens}`;
}

function containersOf(changes: readonly ImageChange[]): string {
  return `${changes.length === 1 ? "container" : "containers"} ${changes.map(({ name }) => name).join(", ")}`;
}

/**
 * Returns whether a webhook reported the push. A sync or sweep does not know the time of a push.
 */
function wasNotified({ source }: Fact): boolean {
  return source?.startsWith("webhook") === true;
}

function afterPush(fact: Fact): string {
  const { at, detectedAt } = fact;
  if (detectedAt === undefined) return "";
  const passed = at - detectedAt;
  const since = wasNotified(fact) ? "the push" : "it was found";
  return `${passed < 1_000 ? `${passed} ms` : `${(passed / 1_000).toFixed(1)} s`} after ${since}`;
}

/** Returns the tag that a change replaces, or the digest of an image without a tag. */
export function formerTag({ from, isFirst }: Pick<ImageChange, "from" | "isFirst">): string {
  if (isFirst === true) return "none";
  const parsed = parseImageReference(from);
  return parsed.ok ? (parsed.value.tag ?? parsed.value.digest ?? "latest") : from;
}

function imageText({ tag, digest }: ImageChange): string {
  return `${tag} @ ${short(digest)}`;
}

const digestLength = 12;

/** Returns the first characters of a digest, without its algorithm. */
export function short(digest: string): string {
  return digest.slice(digest.indexOf(":") + 1).slice(0, digestLength);
}
