import { type DecisionRow, type Story, storyOf, updateStory, type UpdateStory } from "#domain/notify/story";
import { plus, seconds } from "#domain/shared/time";
import type { Transition } from "#domain/update/state/workload";
import { type WorkloadName, workloadKey } from "#domain/workload/workload";
import { aChange, api, noon } from "#test/domain/builders";

/** What one row of a ledger says, a number of seconds after the push. */
export type Told = Partial<Transition> & Pick<Transition, "what"> & { readonly after: number };

const change = aChange();
const found = { detectedAt: noon, source: "webhook distribution", selected: true } as const;

export const running: readonly Told[] = [
  { what: "released", after: 1, ...found },
  { what: "patched", after: 2 },
  { what: "running", after: 4, detail: "3 of 3 pods run 1.1.0" },
];

export const succeeded: readonly Told[] = [
  ...running,
  { what: "succeeded", after: 14, detail: "3 of 3 pods run 1.1.0" },
];

const failed = { reason: "rollout-failed", detail: "ImagePullBackOff in pod api-7" } as const;

export const rolledBack: readonly Told[] = [
  ...running.slice(0, 2),
  { what: "failing", after: 5, reasons: [failed] },
  { what: "rolling-back", after: 6, reasons: [failed] },
  { what: "rolled-back", after: 9, reasons: [failed] },
];

export const heldByWindow: readonly Told[] = [
  {
    ...{ what: "held", after: 1, ...found },
    reasons: [{ reason: "window-closed", detail: "0 18 * * 5", until: plus(noon, seconds(3_600)) }],
  },
];

export const waitingForApproval: readonly Told[] = [
  { what: "held", after: 1, ...found, reasons: [{ reason: "needs-approval", detail: "0 of 2" }] },
];

/** Returns how an update stands after rows of its workload's ledger. */
export function storyAfter(rows: readonly Told[], workload: WorkloadName = api): UpdateStory {
  const written = rows.map(({ after, ...transition }, index): DecisionRow => ({
    ...{ workload: workloadKey(workload), uid: "u-1", seq: 17, version: index + 1, at: plus(noon, seconds(after)) },
    transition: { seq: 17, reasons: [], changes: [change], ...transition },
  }));
  const story = updateStory(written, { uid: "u-1", seq: 17 });
  if (story === undefined) throw new Error("the rows tell nothing");
  return story;
}

/** Returns the story of one update. */
export const alone = (rows: readonly Told[], workload?: WorkloadName): Story => storyOf([storyAfter(rows, workload)]);
