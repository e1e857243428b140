import { askApproval } from "./approval.ts";
import { askBudget } from "./budget.ts";
import { askChecks, checksSetting } from "./checks.ts";
import type { WaitReason } from "../shared/wait-reason.ts";
import { askCluster } from "./cluster.ts";
import { askController } from "./controller.ts";
import { askDeclaredSource } from "./declared-source.ts";
import { askDowngrade } from "./downgrade.ts";
import { askFreezes } from "./freeze.ts";
import type { GateQuestion, GateRow, Passage } from "./gate.ts";
import type { GateSetting, GateValues } from "./gate-setting.ts";
import { askHold } from "./hold.ts";
import { settingsOfMissingGates } from "./missing-gates.ts";
import type { SettingScope } from "../annotations/setting-reader.ts";
import { askMinAge, minAgeSetting } from "./min-age.ts";
import { askObserve } from "./observe.ts";
import { passOf } from "./pass.ts";
import { askPause } from "./pause.ts";
import { askPlatforms, platformsSetting } from "./platforms.ts";
import { askPullLimit } from "./pull-limit.ts";
import { askReapply, reapplySetting } from "./reapply.ts";
import { askQuarantine } from "./quarantine.ts";
import { askRollout } from "./rollout.ts";
import { askSettings } from "./settings.ts";
import { askSuspension } from "./suspension.ts";
import { askTier, haltSetting, tierGroupSetting, tierSetting } from "./tier.ts";
import { askWindows } from "./window.ts";

export type { GateFacts, GateQuestion, QuarantineFact } from "./gate.ts";

/**
 * The gates that an update passes, in the order in which users see them. Their names are shown to
 * users.
 *
 * A new gate needs a row here, a file with its question and its setting, and a row in `reasons`.
 */
const table = {
  settings: { ask: askSettings },
  suspension: { ask: askSuspension },
  freeze: { ask: askFreezes },
  quarantine: { ask: askQuarantine, holdsRollbacks: true },
  hold: { ask: askHold },
  reapply: { ask: askReapply, setting: reapplySetting, holdsRollbacks: true },
  "pull-limit": { ask: askPullLimit, holdsRollbacks: true },
  "declared-source": { ask: askDeclaredSource, holdsRollbacks: true },
  controller: { ask: askController, holdsRollbacks: true },
  pause: { ask: askPause },
  downgrade: { ask: askDowngrade },
  "min-age": { ask: askMinAge, setting: minAgeSetting },
  platforms: { ask: askPlatforms, setting: platformsSetting },
  approval: { ask: askApproval },
  window: { ask: askWindows },
  tier: { ask: askTier, setting: tierSetting },
  checks: { ask: askChecks, setting: checksSetting },
  rollout: { ask: askRollout, holdsRollbacks: true },
  cluster: { ask: askCluster, holdsRollbacks: true },
  budget: { ask: askBudget },
  observe: { ask: askObserve, isLast: true, holdsRollbacks: true },
} as const satisfies Readonly<Record<string, GateRow>>;

/** The name of a gate. */
export type Gate = keyof typeof table;
/** The names of all gates, in their order. */
export const gates = Object.keys(table) as readonly Gate[];

const rows: readonly GateRow[] = Object.values(table);

/** The settings that only one gate reads, in the order in which users see them. */
export const gateSettings: readonly GateSetting<unknown>[] = [
  ...rows.flatMap(({ setting }) => setting ?? []),
  tierGroupSetting,
  haltSetting,
  ...settingsOfMissingGates,
];

/** Parses the settings of gates. */
export function readGateSettings(scope: SettingScope): GateValues {
  const values = gateSettings.map((setting) => [setting.key, setting.read(scope)] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

/** The answer of one gate for an update now. */
export type GateAnswer = { readonly gate: Gate } & Passage;

/** Asks every gate, in the order of {@link gates}, and returns all answers. */
export function askGates(question: GateQuestion): readonly GateAnswer[] {
  const answers: GateAnswer[] = [];
  for (const gate of gates) {
    const row: GateRow = table[gate];
    const answer = passedBy(gate, row, question) ?? row.ask(question);
    const isEarly = row.isLast === true && answers.some(({ kind }) => kind === "closed");
    answers.push(named(gate, isEarly ? notYet(answer) : answer));
  }
  return answers;
}

/**
 * Returns the answer of a gate that a person lets the update pass. Undefined if the gate decides.
 *
 * A pass holds for the digests that the person saw. A requested rollback stops only where another
 * program would revert it, at a quarantine, and where nothing can be written.
 */
function passedBy(
  gate: Gate,
  { holdsRollbacks }: GateRow,
  { requested, passes, changes }: GateQuestion,
): Passage | undefined {
  if (requested?.as === "rollback" && holdsRollbacks !== true)
    return { kind: "open", detail: `a rollback, requested by ${requested.by}, passes` };
  const pass = passOf(gate, changes, passes);
  return pass === undefined ? undefined : { kind: "open", detail: `released by ${pass.by}: ${pass.why}` };
}

/** Returns the answer of the last gate while another gate is closed. */
function notYet(passage: Passage): Passage {
  return passage.kind === "open" ? passage : { kind: "open", detail: "closes when all other gates are open" };
}

function named(gate: Gate, passage: Passage): GateAnswer {
  if (passage.kind === "closed") return { gate, ...passage };
  return {
    gate,
    kind: "open",
    // A getter computes the detail, because only users read the detail of an open window, and the
    // end of a window is slow to find.
    get detail() {
      return passage.detail;
    },
  };
}

/** Returns the reasons of the closed gates, or none if the update may start. */
export function closedGates(answers: readonly GateAnswer[]): readonly WaitReason[] {
  return answers.flatMap((answer) => (answer.kind === "closed" ? [answer.wait] : []));
}
