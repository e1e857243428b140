import type { WorkloadKind } from "#domain/workload/kinds";
import { type Chance, chanceFrom } from "#test/model/chance";
import type { Target } from "./api.ts";
import type { Decision } from "./decisions.ts";
import { type Point, points } from "./gate.ts";
import { type Edit, edits } from "./people.ts";
import type { Nature } from "./workload.ts";

/** Who writes, when, and who acts in between: all of one interleaving. The same seed is the same plan. */
export interface Plan {
  readonly target: Target;
  readonly nature: Nature;
  /** Whether an earlier update of Lookout landed and ran. */
  readonly earlier: boolean;
  /** The way back is a Lookout's rollback of an update that did not run. */
  readonly direction: "forward" | "back";
  readonly acts: readonly PlannedAct[];
  /** A second installation that updates the same workload, at a moment of the first one's write. */
  readonly second?: SecondLookout;
  /** What a person tells Lookout meanwhile. Its updates need approval then, and get it before the write begins. */
  readonly decision?: Decision;
}

/** An edit at a moment. */
export interface PlannedAct {
  readonly edit: Edit;
  readonly at: Point;
  /** How long it is kept back when its moment comes, in milliseconds: in flight, either may be first. */
  readonly delayMs: number;
}

/** What the second Lookout has heard of, and when it writes. */
export interface SecondLookout {
  readonly at: Point;
  readonly tag: "1.1.0" | "1.2.0";
}

/** Makes the plan of a seed for a Lookout. */
export function lookoutPlan(seed: number): Plan {
  const chance = chanceFrom(seed);
  const kind = kindBy(chance);
  const earlier = kind === "Deployment" && chance.happens(0.25);
  const apply = !earlier && chance.happens(0.15) ? "restart" : "pin";
  const nature = { labelled: chance.happens(0.7), apply, replicas: earlier ? 0 : 1 } as const;
  const plan = { target: { kind, name: `lookout-${seed}` }, nature, earlier };
  if (!earlier && kind !== "CronJob" && chance.happens(0.3))
    return { ...plan, direction: "back", acts: actsBy(chance, kind) };
  if (earlier || apply === "restart" || chance.happens(0.8))
    return { ...plan, direction: "forward", acts: actsBy(chance, kind) };
  const second = { at: chance.pick(points), tag: chance.pick(["1.1.0", "1.2.0"] as const) };
  return { ...plan, direction: "forward", second, acts: chance.happens(0.6) ? [] : actsBy(chance, kind) };
}

/** Makes the plan of a seed for a Lookout whose update somebody rejects or freezes while it writes. */
export function decisionPlan(seed: number): Plan {
  const chance = chanceFrom(seed);
  const kind = kindBy(chance);
  const earlier = kind === "Deployment" && chance.happens(0.25);
  const nature = { labelled: chance.happens(0.7), apply: "pin", replicas: earlier ? 0 : 1, approvals: true } as const;
  const decision = { what: chance.pick(["rejection", "freeze"] as const), at: chance.pick(points) };
  const acts = chance.happens(0.5) ? actsBy(chance, kind) : [];
  return { target: { kind, name: `decided-${seed}` }, nature, earlier, direction: "forward", decision, acts };
}

/** Makes the plan of a seed for another program. */
export function peerPlan(seed: number, peer: number): Plan {
  const chance = chanceFrom(seed);
  const kind = kindBy(chance);
  const target = { kind, name: `peer-${peer}-${seed}` };
  const nature = { labelled: chance.happens(0.7), apply: "pin", replicas: 1 } as const;
  return { target, nature, earlier: false, direction: "forward", acts: actsBy(chance, kind) };
}

function kindBy(chance: Chance): WorkloadKind {
  return chance.weigh<WorkloadKind>([
    [6, "Deployment"],
    [2, "StatefulSet"],
    [1, "DaemonSet"],
    [1, "CronJob"],
  ]);
}

/** One edit, and sometimes a second. */
function actsBy(chance: Chance, kind: WorkloadKind): readonly PlannedAct[] {
  const known = edits.filter(({ kinds }) => kinds === undefined || kinds.includes(kind));
  const one = (): PlannedAct => ({ edit: chance.pick(known), at: chance.pick(points), delayMs: chance.below(5) });
  return chance.happens(0.3) ? [one(), one()] : [one()];
}
