import type { WorkloadKind } from "#domain/workload/kinds";
import { type Chance, chanceFrom } from "#test/model/chance";
import type { Target } from "./api.ts";
import type { Decision } from "./decisions.ts";
import { type Point, points } from "./gate.ts";
import { type Edit, edits } from "./people.ts";
import type { Nature } from "./workload.ts";

/**
 * The plan of one interleaving: the writer and the acts of others. The same seed gives the same
 * plan.
 */
export interface Plan {
  readonly target: Target;
  readonly nature: Nature;
  /** True: an earlier update of Lookout landed and ran. */
  readonly earlier: boolean;
  /** The direction of the patch. `back` is a rollback of a failed update. */
  readonly direction: "forward" | "back";
  readonly acts: readonly PlannedAct[];
  /** A second installation that updates the same workload during the first installation's write. */
  readonly second?: SecondLookout;
  /**
   * A person's decision during the write. The update then needs approval, and gets it before the
   * write.
   */
  readonly decision?: Decision;
}

/** An edit and its moment. */
export interface PlannedAct {
  readonly edit: Edit;
  readonly at: Point;
  /** The delay after its moment, in milliseconds. In flight, either write may be first. */
  readonly delayMs: number;
}

/** The pushed tag that the second Lookout knows, and the moment of its write. */
export interface SecondLookout {
  readonly at: Point;
  readonly tag: "1.1.0" | "1.2.0";
}

/** Returns the plan of a seed for a Lookout. */
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

/**
 * Returns the plan of a seed for a Lookout whose update a person rejects or freezes during the
 * write.
 */
export function decisionPlan(seed: number): Plan {
  const chance = chanceFrom(seed);
  const kind = kindBy(chance);
  const earlier = kind === "Deployment" && chance.happens(0.25);
  const nature = { labelled: chance.happens(0.7), apply: "pin", replicas: earlier ? 0 : 1, approvals: true } as const;
  const decision = { what: chance.pick(["rejection", "freeze"] as const), at: chance.pick(points) };
  const acts = chance.happens(0.5) ? actsBy(chance, kind) : [];
  return { target: { kind, name: `decided-${seed}` }, nature, earlier, direction: "forward", decision, acts };
}

/** Returns the plan of a seed for another program. */
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

/** Returns one or two edits. */
function actsBy(chance: Chance, kind: WorkloadKind): readonly PlannedAct[] {
  const known = edits.filter(({ kinds }) => kinds === undefined || kinds.includes(kind));
  const one = (): PlannedAct => ({ edit: chance.pick(known), at: chance.pick(points), delayMs: chance.below(5) });
  return chance.happens(0.3) ? [one(), one()] : [one()];
}
