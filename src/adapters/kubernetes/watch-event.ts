import { parseJson } from "#domain/shared/json";
import type { WorkloadObject } from "./objects.ts";

/** One line of a watch. */
export type WatchEvent =
  | { readonly kind: "changed" | "deleted"; readonly object: WorkloadObject; readonly resourceVersion: string }
  | { readonly kind: "bookmark"; readonly resourceVersion: string }
  /** The API server no longer has the watch's position (code 410), so the caller lists again. */
  | { readonly kind: "expired" }
  | { readonly kind: "broken" };

/**
 * Parses one line of a watch. The API server also sends errors as events, in an answer with status
 * 200.
 */
export function watchEvent(line: string): WatchEvent {
  const { type, object } = (parseJson(line) ?? {}) as { readonly type?: string; readonly object?: unknown };
  if (type === "ERROR")
    return (object as { code?: number } | undefined)?.code === 410 ? { kind: "expired" } : { kind: "broken" };
  const changed = object as WorkloadObject | undefined;
  const resourceVersion = (changed as Partial<WorkloadObject> | undefined)?.metadata?.resourceVersion;
  if (changed === undefined || resourceVersion === undefined) return { kind: "broken" };
  if (type === "BOOKMARK") return { kind: "bookmark", resourceVersion };
  return { kind: type === "DELETED" ? "deleted" : "changed", object: changed, resourceVersion };
}
