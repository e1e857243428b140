import { formerTag, stepsOf } from "../history/steps.ts";
import { outageCause } from "../registry/outage-cause.ts";
import { isRegistryFact } from "../registry/outage.ts";
import type { Reason } from "../shared/reasons.ts";
import { printableText, shortened } from "../shared/shown-text.ts";
import { toIso } from "../shared/time.ts";
import type { AnyFact, Fact, FactName } from "../update/events.ts";

/** How much a fact matters, the least first. `action`: a person is asked to act. */
export const severities = ["debug", "info", "notice", "warning", "error", "critical", "action"] as const;
/** One of {@link severities}. */
export type Severity = (typeof severities)[number];

/** Returns whether a severity is at least as high as another one. */
export function isAtLeast(severity: Severity, least: Severity): boolean {
  return severities.indexOf(severity) >= severities.indexOf(least);
}

/** How an update stands after a fact. `none`: the fact is about no update. */
export const outcomes = [
  "none",
  "waiting",
  "in-progress",
  "succeeded",
  "failed",
  "rolled-back",
  "rollback-failed",
  "reverted",
  "rejected",
  "superseded",
] as const;
/** One of {@link outcomes}. */
export type Outcome = (typeof outcomes)[number];

/** What a fact means to people. */
export interface FactWords {
  readonly severity: Severity;
  readonly outcome: Outcome;
  /** One sentence of at most {@link longestText} characters. */
  readonly text: string;
}

/** The longest text of a fact. */
export const longestText = 250;

interface FactRow {
  readonly severity: Severity;
  readonly outcome: Outcome;
}

/** The severity and the outcome of each fact about a workload. A problem raises the severity. */
const rows: Readonly<Record<FactName, FactRow>> = {
  WorkloadTracked: { severity: "info", outcome: "none" },
  WorkloadChanged: { severity: "debug", outcome: "none" },
  WorkloadUntracked: { severity: "info", outcome: "none" },
  UpdateHeld: { severity: "notice", outcome: "waiting" },
  ApprovalRequested: { severity: "action", outcome: "waiting" },
  ApprovalGiven: { severity: "info", outcome: "waiting" },
  ApprovalRejected: { severity: "warning", outcome: "rejected" },
  ApprovalExpired: { severity: "warning", outcome: "waiting" },
  ApprovalVoided: { severity: "warning", outcome: "waiting" },
  UpdateReleased: { severity: "debug", outcome: "in-progress" },
  RolloutPrepared: { severity: "debug", outcome: "in-progress" },
  RolloutStarted: { severity: "info", outcome: "in-progress" },
  RolloutWaiting: { severity: "info", outcome: "in-progress" },
  WorkloadRunning: { severity: "info", outcome: "in-progress" },
  RolloutSucceeded: { severity: "info", outcome: "succeeded" },
  RolloutFailed: { severity: "error", outcome: "failed" },
  RollbackStarted: { severity: "error", outcome: "failed" },
  RolledBack: { severity: "error", outcome: "rolled-back" },
  RollbackFailed: { severity: "critical", outcome: "rollback-failed" },
  RevertedByUser: { severity: "warning", outcome: "reverted" },
  UpdateSuperseded: { severity: "debug", outcome: "superseded" },
  TierCompleted: { severity: "info", outcome: "none" },
  TierHalted: { severity: "error", outcome: "none" },
  HoldEnded: { severity: "info", outcome: "none" },
  DigestsUnblocked: { severity: "info", outcome: "none" },
  WorkloadSuspended: { severity: "notice", outcome: "none" },
  WorkloadResumed: { severity: "info", outcome: "none" },
  VersionKept: { severity: "notice", outcome: "none" },
  TagSkipped: { severity: "info", outcome: "none" },
  BaseImageMoved: { severity: "info", outcome: "none" },
  EvidenceImported: { severity: "info", outcome: "none" },
};

/** The reasons that end only when a person acts on the workload, its manifest or its rights. */
const needsPerson: ReadonlySet<Reason> = new Set<Reason>([
  "problem-in-settings",
  "quarantined",
  "reverted-by-user",
  "declared-source-owns-the-image",
  "owned-by-a-controller",
  "lower-version",
  "approval-expired",
  "approval-rejected",
  "approval-asked-again",
  "approval-needs-a-digest",
  "platform-missing",
  "platform-unknown",
  "cluster-denied",
  "denied-by-admission",
  "patch-invalid",
  "other-repository",
  "internal-error",
  "rollback-target-missing",
  "rollback-unproved",
  "tag-not-found",
  "repository-not-found",
  "other-registry",
  "registry-not-allowed",
  "registry-not-trusted",
  "registry-denied",
]);

/** Returns the severity, the outcome and the text of a fact. The text may hold text from outside. */
export function wordsOf(fact: AnyFact): FactWords {
  return { severity: severityOf(fact), outcome: outcomeOf(fact), text: textOf(fact) };
}

/** Returns how much a fact matters. */
export function severityOf(fact: AnyFact): Severity {
  if (isRegistryFact(fact)) return fact.name === "RegistryRecovered" ? "info" : "warning";
  if (fact.name === "PushDisputed") return "warning";
  const { severity } = rowOf(fact);
  const isProblem = fact.reasons.some(({ reason }) => needsPerson.has(reason));
  return isProblem && !isAtLeast(severity, "warning") ? "warning" : severity;
}

/** Returns the highest severity that a fact of a name may have. */
export function highestSeverityOf(name: AnyFact["name"]): Severity {
  const least = name === "RegistryRecovered" ? "info" : "warning";
  const severity = name in rows ? rows[name as FactName].severity : least;
  return isAtLeast(severity, least) ? severity : least;
}

/** Returns how the update of a fact stands. */
export function outcomeOf(fact: AnyFact): Outcome {
  return isRegistryFact(fact) || fact.name === "PushDisputed" ? "none" : rowOf(fact).outcome;
}

/** A newer Lookout may publish facts with names that this one does not know. */
function rowOf({ name }: Fact): FactRow {
  return (rows as Readonly<Partial<Record<string, FactRow>>>)[name] ?? { severity: "info", outcome: "none" };
}

/** Returns a fact as one sentence: `prod/shop/api: succeeded, 3 of 3 pods run 1.3.0`. */
export function textOf(fact: AnyFact): string {
  const sentence = sentenceOf(fact).replaceAll(/(sha256:[0-9a-f]{12})[0-9a-f]{52}/g, "$1…");
  return shortened(printableText(sentence).replaceAll(/ {2,}/g, " ").trim(), longestText - 1);
}

function sentenceOf(fact: AnyFact): string {
  if (isRegistryFact(fact)) {
    const { name, registry, since, detail } = fact;
    if (name === "RegistryRecovered") return `The registry ${registry} answers again.`;
    return `The registry ${registry} can't be reached since ${toIso(since)}: ${outageCause(registry, detail)}`;
  }
  if (fact.name === "PushDisputed") {
    const { registry, repository, tag, source, registryDigest } = fact;
    const answer = registryDigest === undefined ? "has no such tag" : "has another digest";
    return `${registry}/${repository}:${tag}: ${source} reported a push, and the registry ${answer}.`;
  }
  const { cluster, namespace, name } = fact.workload;
  const own = ownWords[fact.name]?.(fact);
  if (own !== undefined) return `${cluster}/${namespace}/${name}: ${own}`;
  // The last step is the one that the fact is named after.
  const { word, text } = stepsOf(fact).at(-1) ?? { word: silentWords[fact.name] ?? fact.name, text: tagsOf(fact) };
  return `${cluster}/${namespace}/${name}: ${[word, text].filter((part) => part !== "").join(" ")}`;
}

/** The words of facts after which a person has to know more than the step says. */
const ownWords: Readonly<Partial<Record<FactName, (fact: Fact) => string>>> = {
  ApprovalRequested: (fact) =>
    `asks for the approval of ${tagsOf(fact)}: lookout approve ${fact.workload.namespace}/${fact.workload.name}`,
  ApprovalGiven: ({ detail = "approved" }) => detail,
  UpdateHeld: (fact) =>
    `${movesOf(fact)} is ${stepsOf(fact).at(-1)?.word ?? "held"}: ${stepsOf(fact).at(-1)?.text ?? ""}`,
  RolloutStarted: (fact) => `${movesOf(fact)} is rolled out`,
  WorkloadRunning: (fact) => `runs ${tagsOf(fact)}, ${stepsOf(fact).at(-1)?.text ?? ""}`,
  BaseImageMoved: (fact) => `base image moved: ${stepsOf(fact).at(-1)?.text ?? ""}`,
  RolloutSucceeded: (fact) => `${movesOf(fact)} succeeded${fact.detail === undefined ? "" : `, ${fact.detail}`}`,
};

/** Returns the changes of a fact's update: `1.2.0 → 1.3.0`. */
function movesOf({ changes }: Fact): string {
  return changes.map((change) => `${formerTag(change)} → ${change.tag}`).join(", ");
}

/** The words of facts without a step. */
const silentWords: Readonly<Partial<Record<FactName, string>>> = {
  UpdateReleased: "released",
  RolloutPrepared: "prepared",
  RollbackStarted: "is rolled back from",
  WorkloadChanged: "changed",
  RolloutWaiting: "waits",
};

function tagsOf({ changes }: Fact): string {
  return changes.map(({ tag }) => tag).join(", ");
}
