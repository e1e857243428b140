import type { Fact, FactName } from "../domain/update/events.ts";
import { parseImageReference } from "../domain/image/reference.ts";
import { outageCause } from "../domain/registry/outage-cause.ts";
import type { RegistryFact } from "../domain/registry/outage.ts";
import { reasons } from "../domain/shared/reasons.ts";
import type { EpochMs } from "../domain/shared/time.ts";
import type { WaitReason } from "../domain/shared/wait-reason.ts";
import type { ImageChange } from "../domain/workload/patch.ts";

/** A step of an update, as `lookout watch` prints it. */
export interface Step {
  readonly at: EpochMs;
  readonly mark: "plain" | "good" | "bad" | "waits";
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
  WorkloadChanged: ({ detail }, why) => {
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
  RolloutFailed: (_, why) => [{ word: "failed", text: why, mark: "bad" }],
  RollbackStarted: ({ changes }) => [
    { word: "rolling back", text: changes.map(({ from }) => from).join(", "), mark: "bad" },
  ],
  RolledBack: ({ changes, reasons: causes }, why) => {
    const next = causes.some(({ reason }) => reason === "pull-limited") ? "comes again later" : "is not tried again";
    return [{ word: "rolled back", text: `${why}; ${changes.map(imageText).join(", ")} ${next}`, mark: "bad" }];
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

const marks = { plain: " ", good: "✓", bad: "✗", waits: "⏸" } as const;

/** The colour of a step's line, by its mark. */
export const stepColours = { plain: "reset", good: "green", bad: "red", waits: "yellow" } as const;

/**
 * Returns a step as one line: `12:01:08.902  shop/api   ✓ running   3 of 3 pods   1.5 s after the
 * push`.
 *
 * @param clusters - whether the name of the workload starts with its cluster. With one cluster, all
 *   lines would repeat it.
 */
export function stepLine(
  { workload }: Pick<Fact, "workload">,
  { at, mark, word, text }: Step,
  clock: StepClock,
  clusters: "one-cluster" | "several-clusters",
): string {
  const short = `${workload.namespace}/${workload.name}`;
  const name = clusters === "one-cluster" ? short : `${workload.cluster}/${short}`;
  return `${clock.format(at)}  ${name.padEnd(18)} ${marks[mark]} ${word.padEnd(12)} ${withShortDigests(text)}`.trimEnd();
}

/** Returns the fact about a registry in words, with times in the zone of the clock. */
export function registryText({ name, registry, since, at, detail }: RegistryFact, clock: StepClock): string {
  if (name === "RegistryRecovered") return `registry ${registry} answers again after ${spanText(at - since)}`;
  const [time] = clock.format(since).split(".");
  return `registry ${registry} can't be reached since ${time ?? ""}: ${outageCause(registry, detail)}`;
}

/** Returns the fact about a registry as one line. */
export function registryLine(fact: RegistryFact, clock: StepClock): string {
  return `${clock.format(fact.at)}  ${marks[registryMark(fact)]} ${registryText(fact, clock)}`;
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
export function namesFor(clusters: number): "one-cluster" | "several-clusters" {
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
