import type { WorkloadSettings } from "./settings/settings.ts";
import { type EpochMs, durationMs, plus, type DurationMs, toIso } from "./time.ts";
import type { ClosedGate, WorkloadRecord } from "./update.ts";
import { describeWindow, type WindowState, windowState } from "./window.ts";
import { placeOf } from "./spread.ts";
import { revertingOwner } from "./declared-source.ts";
import { type AllFreezes, freezeScopeText, freezesOn } from "./freeze.ts";
import type { AwayReason } from "./reasons.ts";

/** The gates that an update passes, in the order in which people read them. */
export const gates = [
  "settings",
  "suspend",
  "freeze",
  "quarantine",
  "hold",
  "declared-source",
  "controller",
  "window",
  "rollout-in-progress",
  "cluster",
  "budget",
] as const;
/** One of {@link gates}. */
export type Gate = (typeof gates)[number];

/** What a gate says of an update now. `closed` holds why, and until when where it opens by itself. */
export type GateAnswer =
  | { readonly gate: Gate; readonly kind: "open"; readonly detail?: string }
  | { readonly gate: Gate; readonly kind: "closed"; readonly wait: ClosedGate };

/** A digest of the update that is in quarantine, and why. */
export interface QuarantineFact {
  readonly digest: string;
  readonly why: string;
}

/** What stands outside a workload's record and may close a gate, as it was read last. */
export interface GateFacts extends AllFreezes {
  /** Those of the update's digests that are in quarantine. */
  readonly quarantined: readonly QuarantineFact[];
  /** Why looks at the cluster fail, once they have for a while; absent: it counts as there. */
  readonly away?: {
    readonly reason: AwayReason;
    readonly detail: string;
  };
  /** When the cluster answered a look last; absent: never. */
  readonly answeredAt?: EpochMs;
  /** A free slot of the cluster's budget that the update may take; absent: none is free. */
  readonly slot?: number;
  /** Over how long openings are spread, by the workload's uid. */
  readonly windowSpread: DurationMs;
}

/** What the gates are asked about: an update of a workload, at an instant. */
export interface GateQuestion {
  readonly now: EpochMs;
  readonly record: WorkloadRecord;
  readonly settings: WorkloadSettings;
  /** The number of the update: an active update does not wait for itself. */
  readonly seq: number;
  readonly facts: GateFacts;
}

/** Asks every gate, in the order of {@link gates}: all answers, not the first "no". What can't be proved is closed. */
export function askGates(question: GateQuestion): readonly GateAnswer[] {
  return [
    settingsGate(question),
    suspendGate(question),
    freezeGate(question),
    quarantineGate(question),
    holdGate(question),
    declaredSourceGate(question),
    controllerGate(question),
    windowGate(question),
    rolloutGate(question),
    clusterGate(question),
    budgetGate(question),
  ];
}

/** Picks what is closed out of {@link askGates}; empty: the update may go. */
export function closedGates(answers: readonly GateAnswer[]): readonly ClosedGate[] {
  return answers.flatMap((answer) => (answer.kind === "closed" ? [answer.wait] : []));
}

function open(gate: Gate, detail?: string): GateAnswer {
  return { gate, kind: "open", ...(detail === undefined ? {} : { detail }) };
}

function closed(gate: Gate, wait: ClosedGate): GateAnswer {
  return { gate, kind: "closed", wait };
}

function settingsGate({ settings }: GateQuestion): GateAnswer {
  const first = settings.problems.find((problem) => problem.closes);
  if (first === undefined) return open("settings");
  return closed("settings", {
    reason: "problem-in-settings",
    detail: `${first.key} "${first.value}": ${first.message}`,
  });
}

function suspendGate({ settings }: GateQuestion): GateAnswer {
  return settings.suspended ? closed("suspend", { reason: "suspended" }) : open("suspend");
}

/** The longest freeze is told: what it holds goes on when no other does. */
function freezeGate({ record, now, facts }: GateQuestion): GateAnswer {
  const frozen = freezesOn(facts, record.workload, now).toSorted(
    (one, other) => (other.until ?? Infinity) - (one.until ?? Infinity),
  );
  const [longest] = frozen;
  if (longest === undefined) return open("freeze");
  const detail = frozen.map(({ scope, why, by }) => `${freezeScopeText(scope)}: ${why}, by ${by}`).join("; ");
  return closed("freeze", {
    reason: "planned" in longest ? "planned-freeze" : "frozen",
    detail,
    ...(longest.until === undefined ? {} : { until: longest.until }),
  });
}

function quarantineGate({ facts }: GateQuestion): GateAnswer {
  const [first] = facts.quarantined;
  if (first === undefined) return open("quarantine");
  return closed("quarantine", { reason: "quarantined", detail: `${first.digest}: ${first.why}` });
}

function holdGate({ record: { hold } }: GateQuestion): GateAnswer {
  if (hold === undefined) return open("hold");
  return closed("hold", { reason: hold.reason, detail: `update ${String(hold.seq)}, ${hold.detail}` });
}

function declaredSourceGate({ record, settings }: GateQuestion): GateAnswer {
  const owner = revertingOwner(record.observed, settings);
  if (owner === undefined) return open("declared-source");
  if (settings.allowDeclaredSource)
    return open("declared-source", `${owner}, allowed by lookout.dev/allow-declared-source`);
  return closed("declared-source", { reason: "declared-source-owns-the-image", detail: owner });
}

function controllerGate({ record }: GateQuestion): GateAnswer {
  const { controller } = record.observed;
  return controller === undefined
    ? open("controller")
    : closed("controller", { reason: "owned-by-a-controller", detail: controller });
}

function windowGate({ settings: { windows }, record, now, facts: { windowSpread } }: GateQuestion): GateAnswer {
  if (windows.length === 0) return open("window");
  const names = windows.map(describeWindow).join(", ");
  const state = windowState(windows, now);
  // Whether an update may go is asked often, and until when by people alone.
  if (state.open)
    return {
      gate: "window",
      kind: "open",
      get detail() {
        return openDetail(names, state);
      },
    };
  const { at: opensAt } = state.nextChange();
  const until =
    opensAt === undefined ? {} : { until: plus(opensAt, durationMs(Math.floor(placeOf(record.uid) * windowSpread))) };
  // A blackout that is active says why by itself; otherwise all that may open are named.
  const blackouts = state.because.map(describeWindow).join(", ");
  if (blackouts !== "") return closed("window", { reason: "blackout-active", detail: blackouts, ...until });
  return closed("window", { reason: "window-closed", detail: names, ...until });
}

function openDetail(names: string, { nextChange }: WindowState): string {
  const { at } = nextChange();
  return at === undefined ? names : `${names}, until ${toIso(at)}`;
}

function rolloutGate({ record, seq }: GateQuestion): GateAnswer {
  const { active } = record;
  if (active === undefined || active.seq === seq) return open("rollout-in-progress");
  return closed("rollout-in-progress", {
    reason: "rollout-in-progress",
    detail: `update ${String(active.seq)} is ${active.status}`,
  });
}

/** An update that is on its way is not held by what the last look at the cluster found: its own patch will tell. */
function clusterGate({ record, seq, facts: { away } }: GateQuestion): GateAnswer {
  return away === undefined || record.active?.seq === seq ? open("cluster") : closed("cluster", away);
}

function budgetGate({ record, seq, facts: { slot } }: GateQuestion): GateAnswer {
  const onItsWay = record.active?.seq === seq;
  return slot === undefined && !onItsWay ? closed("budget", { reason: "cluster-budget" }) : open("budget");
}
