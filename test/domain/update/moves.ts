import { selectTag } from "#domain/policy/policy";
import type { Health } from "#domain/workload/health";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { currentImage, type DesiredImage, compareWithRunning } from "#domain/update/decide/desired-image";
import type { LiveWorkload } from "#domain/workload/workload";
import { settingsOf } from "../builders.ts";

/** What may happen next, and needs no more words. */
export interface SimpleMove {
  readonly kind:
    | "push"
    | "retag"
    | "withdraw"
    | "evaluate"
    | "wake"
    | "put-back"
    | "undo"
    | "suspend"
    | "enable"
    | "unblock"
    | "set-back"
    | "recreate";
}

/** What may happen next. */
export type Move =
  | SimpleMove
  | { readonly kind: "roll-out"; readonly answerLost: boolean }
  | {
      readonly kind: "check";
      readonly health: "healthy" | "progressing" | "failed" | "paused";
      readonly restarts: number;
    }
  | { readonly kind: "edit"; readonly tag: string }
  | { readonly kind: "wait"; readonly minutes: number };

export const digestOf = (number: number): string => `sha256:${number.toString(16).padStart(64, "0")}`;

/** Answers what the policies of a record want of these tags. */
export function wishesOf(record: WorkloadRecord, tags: ReadonlyMap<string, string>): readonly DesiredImage[] {
  return record.observed.containers.flatMap((container): readonly DesiredImage[] => {
    const own = settingsOf(record).containers[container.name];
    if (own === undefined) return [];
    const selection = selectTag(own, currentImage(container), [...tags.keys()]);
    if (selection.kind === "none")
      return [{ kind: "failure", selectionFailure: { container: container.name, reason: selection.reason } }];
    const digest = tags.get(selection.tag);
    if (digest === undefined)
      return [{ kind: "failure", selectionFailure: { container: container.name, reason: "tag-not-found" } }];
    return [compareWithRunning(container, own, selection.tag, { digest, platforms: [] }, record.blocked)];
  });
}

/** Makes a look at the pods of an object. */
export function healthOf(
  kind: "healthy" | "progressing" | "failed" | "paused",
  restarts: number,
  live: LiveWorkload,
): Health {
  switch (kind) {
    case "healthy":
      return { kind, live, pods: 1, restarts };
    case "progressing":
      return { kind, live, ready: 0, wanted: 1, detail: "0 of 1" };
    case "failed":
      return { kind, live, detail: "CrashLoopBackOff" };
    case "paused":
      return { kind: "waiting", live, why: "paused" };
  }
}
