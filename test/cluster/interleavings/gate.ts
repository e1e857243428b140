import type { AnnotationPatch } from "#domain/workload/patch";
import type { Cluster, PatchOutcome, WorkloadRead } from "#ports/cluster";
import type { Read } from "./lost-edits.ts";

/** The moments of a write at which others may act. */
export const points = [
  "before the read",
  "after the read",
  "before the patch",
  "in flight",
  "after the patch",
] as const;
/** One of {@link points}. The record is stored between the second and the third. */
export type Point = (typeof points)[number];

/** Runs acts of others at moments of a program's write. Each armed act runs once. */
export interface Gate {
  arm(point: Point, act: () => Promise<void>): void;
  /** Runs the acts of a moment. */
  pass(point: Point): Promise<void>;
  /** Runs the acts whose moments did not occur. */
  rest(): Promise<void>;
}

/** Returns a gate without acts. */
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

/** Records the writes of a Lookout. */
export interface WriteWitness {
  /** Returns the next tick of the interleaving. Ticks rise. */
  tick(): number;
  /** Records a patch with a response. It is based on the read before. */
  patched(patch: {
    readonly updateLabel: string;
    readonly outcome: PatchOutcome;
    readonly read: Read;
    readonly began: number;
    readonly ended: number;
  }): void;
  /** Records a patch of one annotation with a response. It is based on the read before. */
  annotated(patch: {
    readonly annotation: Pick<AnnotationPatch, "key" | "to">;
    readonly outcome: PatchOutcome;
    readonly read: Read;
    readonly began: number;
    readonly ended: number;
  }): void;
}

/** Returns a cluster with a gate around each read and each patch. */
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
