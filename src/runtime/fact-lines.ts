import type { Fact, FactName } from "../domain/update/events.ts";
import { parseImageReference } from "../domain/image/reference.ts";
import { outageCause } from "../domain/registry/outage-cause.ts";
import type { RegistryFact } from "../domain/registry/outage.ts";
import { reasons } from "../domain/shared/reasons.ts";
import type { EpochMs } from "../domain/shared/time.ts";
import type { WaitReason } from "../domain/shared/wait-reason.ts";
import type { ImageChange } from "../domain/workload/patch.ts";
import { isLimit } from "../domain/workload/pull-limit.ts";
import { cut, cutMiddle } from "./text-width.ts";

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
      text: `${tagOf(change)} → ${change.tag}   ${change.policy}`,
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
  WorkloadUntracked: () => [{ word: "untracked", text: "deleted, or lookout.dev/enabled is no longer true" }],
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
        text: `to ${changes.map((change) => change.back?.tag ?? tagOf(change)).join(", ")}; ${next}`,
        mark: "undone",
      },
    ];
  },
  RollbackFailed: (_, why) => [{ word: "not recovered", text: why, mark: "bad" }],
  RevertedByUser: (_, why) => [{ word: "reverted", text: why, mark: "bad" }],
  UpdateSuperseded: ({ seq }, why) => [{ word: "superseded", text: `update ${seq}: ${why}` }],
  HoldEnded: ({ detail }) => [{ word: "unblocked", text: detail ?? "" }],
  EvidenceImported: ({ detail }) => [{ word: "imported", text: detail ?? "" }],
  DigestsUnblocked: ({ detail }) => [{ word: "unblocked", text: detail ?? "" }],
  WorkloadSuspended: ({ detail }) => [{ word: "suspended", text: detail ?? "", mark: "waits" }],
  WorkloadResumed: ({ detail }) => [{ word: "resumed", text: detail ?? "" }],
  VersionKept: ({ detail }) => [{ word: "requested", text: detail ?? "" }],
  TagSkipped: ({ detail }) => [{ word: "skips", text: detail ?? "" }],
};

const marks = { plain: " ", good: "✓", bad: "✗", waits: "⏸", undone: "↩" } as const;

/** The colour of a step's line, by its mark. */
export const stepColours = { plain: "reset", good: "green", bad: "red", waits: "yellow", undone: "yellow" } as const;

/** The form of the lines of a stream. */
export interface LineForm {
  /**
   * Whether the name of the workload starts with its cluster. With one cluster, all lines would
   * repeat it.
   */
  readonly names: "one-cluster" | "several-clusters";
  /** The number of columns that a line may take. Undefined if lines are not shortened. */
  readonly width?: number | undefined;
}

const nameWidth = 18;
/** A narrower terminal shows times without milliseconds, and no columns after the name. */
const narrow = 80;

/**
 * Returns a step as one line: `12:01:08.902  shop/api   ✓ running   3 of 3 pods   1.5 s after the
 * push`.
 */
export function stepLine(
  { workload }: Pick<Fact, "workload">,
  { at, mark, word, text }: Step,
  clock: StepClock,
  { names, width }: LineForm,
): string {
  const short = `${workload.namespace}/${workload.name}`;
  const name = names === "one-cluster" ? short : `${workload.cluster}/${short}`;
  const isNarrow = width !== undefined && width < narrow;
  const time = isNarrow ? clock.format(at).slice(0, "12:01:08".length) : clock.format(at);
  const shown = width === undefined ? name : cutMiddle(name, Math.max(nameWidth, Math.floor(width / 4)));
  const start = `${time}  ${shown.padEnd(nameWidth)} ${marks[mark]} ${isNarrow ? `${word} ` : word.padEnd(12)} `;
  const room = width === undefined ? undefined : width - Array.from(start).length;
  return `${start}${cut(withShortDigests(text), room)}`.trimEnd();
}

/** Returns the fact about a registry in words, with times in the zone of the clock. */
export function registryText({ name, registry, since, at, detail }: RegistryFact, clock: StepClock): string {
  if (name === "RegistryRecovered") return `registry ${registry} answers again after ${spanText(at - since)}`;
  const [time] = clock.format(since).split(".");
  return `registry ${registry} can't be reached since ${time ?? ""}: ${outageCause(registry, detail)}`;
}

/** Returns the fact about a registry as one line. */
export function registryLine(fact: RegistryFact, clock: StepClock, width?: number): string {
  return cut(`${clock.format(fact.at)}  ${marks[registryMark(fact)]} ${registryText(fact, clock)}`, width);
}

/** Returns the mark of a fact about a registry. */
export function registryMark({ name }: RegistryFact): "good" | "bad" {
  return name === "RegistryRecovered" ? "good" : "bad";
}

function spanText(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return `${Math.max(0, Math.floor(ms / 1_000))} s`;
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Returns the form of names for this number of clusters. */
export function namesFor(clusters: number): LineForm["names"] {
  return clusters > 1 ? "several-clusters" : "one-cluster";
}

type StepClock = Pick<Intl.DateTimeFormat, "format">;

/** Returns a clock with milliseconds, in an IANA time zone. */
export function stepClock(timeZone: string): StepClock {
  return new Intl.DateTimeFormat("en-GB", {
    timeZone,
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    fractionalSecondDigits: 3,
  });
}

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

function tagOf({ from }: ImageChange): string {
  const parsed = parseImageReference(from);
  return parsed.ok ? (parsed.value.tag ?? parsed.value.digest ?? "latest") : from;
}

function imageText({ tag, digest }: ImageChange): string {
  return `${tag} @ ${short(digest)}`;
}

const digestLength = 12;

function short(digest: string): string {
  return digest.slice(digest.indexOf(":") + 1).slice(0, digestLength);
}

/** Returns a text with short digests. A whole digest would fill a line. */
function withShortDigests(text: string): string {
  return text.replaceAll(/sha256:[0-9a-f]{64}/g, (digest) => `${digest.slice(0, "sha256:".length + digestLength)}…`);
}
