import { askApproval } from "./approval.ts";
import { askBudget } from "./budget.ts";
import type { WaitReason } from "../shared/wait-reason.ts";
import { askCluster } from "./cluster.ts";
import { askController } from "./controller.ts";
import { askDeclaredSource } from "./declared-source.ts";
import { askDowngrade } from "./downgrade.ts";
import { askFreezes } from "./freeze.ts";
import type { AskGate, GateQuestion, Passage } from "./gate.ts";
import { askHold } from "./hold.ts";
import { askMinAge } from "./min-age.ts";
import { askPause } from "./pause.ts";
import { askPlatforms } from "./platforms.ts";
import { askQuarantine } from "./quarantine.ts";
import { askRollout } from "./rollout.ts";
import { askSettings } from "./settings.ts";
import { askSuspension } from "./suspension.ts";
import { askWindows } from "./window.ts";

export type { GateFacts, GateQuestion, QuarantineFact } from "./gate.ts";

/**
 * The gates that an update passes, in the order in which users see them. Their names are shown to
 * users.
 *
 * A new gate is a row here, a file with its question, and a row in `reasons`.
 */
const table = {
  settings: askSettings,
  suspension: askSuspension,
  freeze: askFreezes,
  quarantine: askQuarantine,
  hold: askHold,
  "declared-source": askDeclaredSource,
  controller: askController,
  pause: askPause,
  downgrade: askDowngrade,
  "min-age": askMinAge,
  platforms: askPlatforms,
  approval: askApproval,
  window: askWindows,
  rollout: askRollout,
  cluster: askCluster,
  budget: askBudget,
} as const satisfies Readonly<Record<string, AskGate>>;

/** The name of a gate. */
export type Gate = keyof typeof table;
/** The names of all gates, in their order. */
export const gates = Object.keys(table) as readonly Gate[];

/** The answer of one gate for an update now. */
export type GateAnswer = { readonly gate: Gate } & Passage;

/** Asks every gate, in the order of {@link gates}, and returns all answers. */
export function askGates(question: GateQuestion): readonly GateAnswer[] {
  return gates.map((gate) => named(gate, table[gate](question)));
}

function named(gate: Gate, passage: Passage): GateAnswer {
  if (passage.kind === "closed") return { gate, ...passage };
  return {
    gate,
    kind: "open",
    // Lazy: only users read the detail of an open window, and its end is slow to find.
    get detail() {
      return passage.detail;
    },
  };
}

/** Returns the reasons of the closed gates; empty: the update may start. */
export function closedGates(answers: readonly GateAnswer[]): readonly WaitReason[] {
  return answers.flatMap((answer) => (answer.kind === "closed" ? [answer.wait] : []));
}
