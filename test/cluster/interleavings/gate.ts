import type { AnnotationPatch } from "#domain/workload/patch";
import type { Cluster, PatchOutcome, WorkloadRead } from "#ports/cluster";
import type { Read } from "./lost-edits.ts";

/** The moments of a write at which somebody else may act. */
export const points = [
  "before the read",
  "after the read",
  "before the patch",
  "in flight",
  "after the patch",
] as const;
/** One of {@link points}; what is stored between read and patch lies between the second and the third. */
export type Point = (typeof points)[number];

/** Lets others act at moments of a program's write. Nothing happens before it is armed, and each act happens once. */
export interface Gate {
  arm(point: Point, act: () => Promise<void>): void;
  /** Lets those act whose moment it is. */
  pass(point: Point): Promise<void>;
  /** Lets those act whose moment never came. */
  rest(): Promise<void>;
}

/** An open gate. */
export function newGate(): Gate {
  const waiting = new Map<Point, (() => Promise<void>)[]>();
  const pass = async (point: Point): Promise<void> => {
    const acts = waiting.get(point) ?? [];
    waiting.delete(point);
    for (const act of acts) await act();
  };
  return {
    arm: (point, act) => void waiting.set(point, [...(waiting.get(point) ?? []), act]),
    pass,
    async rest() {
      for (const point of points) await pass(point);
    },
  };
}

/** Sees the writes of a Lookout. */
export interface WriteWitness {
  /** The next instant of the interleaving: later is higher. */
  tick(): number;
  /** A patch was answered; it rests on the read before it. */
  patched(patch: {
    readonly updateLabel: string;
    readonly outcome: PatchOutcome;
    readonly read: Read;
    readonly began: number;
    readonly ended: number;
  }): void;
  /** A patch of one annotation was answered; it rests on the read before it. */
  annotated(patch: {
    readonly annotation: Pick<AnnotationPatch, "key" | "to">;
    readonly outcome: PatchOutcome;
    readonly read: Read;
    readonly began: number;
    readonly ended: number;
  }): void;
}

/** The cluster with a gate around each read and each patch. */
export function gated(cluster: Cluster, gate: Gate, witness: WriteWitness): Cluster {
  let read: Read = { began: 0, ended: 0, uid: "", generation: 0 };
  return {
    ...cluster,
    async read(workload, signal): Promise<WorkloadRead> {
      await gate.pass("before the read");
      const began = witness.tick();
      const answer = await cluster.read(workload, signal);
      if (answer.kind === "found")
        read = { began, ended: witness.tick(), uid: answer.live.uid, generation: answer.live.generation };
      await gate.pass("after the read");
      return answer;
    },
    async patch(patch, signal) {
      await gate.pass("before the patch");
      const meanwhile = gate.pass("in flight");
      const began = witness.tick();
      const outcome = await cluster.patch(patch, signal);
      witness.patched({ updateLabel: patch.updateLabel.to, outcome, read, began, ended: witness.tick() });
      await meanwhile;
      await gate.pass("after the patch");
      return outcome;
    },
    async patchAnnotation(annotation, signal) {
      const began = witness.tick();
      const outcome = await cluster.patchAnnotation(annotation, signal);
      witness.annotated({ annotation, outcome, read, began, ended: witness.tick() });
      return outcome;
    },
  };
}
