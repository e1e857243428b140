import type { ClusterRefusal } from "#ports/cluster";
import type { WorkloadName } from "#domain/workload/workload";
import type { Answer } from "./connection-answer.ts";
import type { Connection } from "./connection.ts";
import type { ObjectList, WorkloadObject } from "./objects.ts";
import { isGone, isWorkloadObject, refusal } from "./outcome.ts";
import { isLeaving } from "./pods.ts";
import { collections, type ListedKind, type ListQuery, readCall } from "./resources.ts";

/** One workload's object, as JSON. */
export type ObjectRead =
  { readonly kind: "found"; readonly object: WorkloadObject } | { readonly kind: "gone" } | ClusterRefusal;

/** All objects of a collection, and the version of the collection that they make up. */
export type Collection<Item> =
  | { readonly kind: "all"; readonly items: readonly Item[]; readonly resourceVersion: string }
  | { readonly kind: "expired" }
  | ClusterRefusal;

/** Objects per page: 500 workloads are 3 MB, and memory is held for one page. */
const PAGE = 500;
/** Pages of 500 objects take longer over a slow line. */
const PAGE_MS = 30_000;

/** Reads one workload's object. An object that is being deleted is gone. */
export async function readObject(api: Connection, workload: WorkloadName, signal: AbortSignal): Promise<ObjectRead> {
  const answer = await api.send(readCall(workload), signal);
  if (isGone(answer)) return { kind: "gone" };
  if (answer.kind === "answered" && answer.status === 200 && isWorkloadObject(answer.body)) {
    return isLeaving(answer.body) ? { kind: "gone" } : { kind: "found", object: answer.body };
  }
  return refusal(answer, `get ${collections[workload.kind].plural}`, api.host);
}

/**
 * Reads a whole collection, page by page; all pages show the same instant.
 *
 * `expired` when the server forgot that instant before the last page. A page without items or version is a refusal.
 */
export async function readAll<Item>(
  api: Connection,
  kind: ListedKind,
  where: Pick<ListQuery, "namespace" | "labelSelector" | "fieldSelector">,
  signal: AbortSignal,
): Promise<Collection<Item>> {
  const { list, plural } = collections[kind];
  const items: Item[] = [];
  let query: ListQuery = { limit: PAGE, ...where };
  while (!signal.aborted) {
    const asked = query;
    const answer = await api.send((apis) => list(apis, asked), signal, { timeoutMs: PAGE_MS });
    if (answer.kind === "answered" && answer.status === 410) return { kind: "expired" };
    const page = wholePage(answer);
    if (page === undefined) return refusal(answer, `list ${plural}`, api.host);
    items.push(...(page.items as readonly Item[]));
    if (page.next === "") return { kind: "all", items, resourceVersion: page.resourceVersion };
    query = { ...query, _continue: page.next };
  }
  return { kind: "unreachable", detail: `stopped while listing ${plural} of ${api.host}` };
}

function wholePage(
  answer: Answer,
): { readonly items: readonly unknown[]; readonly resourceVersion: string; readonly next: string } | undefined {
  if (answer.kind !== "answered" || answer.status !== 200) return undefined;
  const { items, metadata } = (answer.body ?? {}) as ObjectList<unknown>;
  if (!(items === null || Array.isArray(items)) || metadata?.resourceVersion === undefined) return undefined;
  return { items: items ?? [], resourceVersion: metadata.resourceVersion, next: metadata.continue ?? "" };
}
