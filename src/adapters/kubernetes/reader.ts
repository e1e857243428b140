import type { ClusterRefusal } from "#ports/cluster";
import { type Answer, isTooLong } from "./connection-answer.ts";
import { type Collection, events, type ListQuery, pods } from "./collections.ts";
import type { CallLimits, Connection } from "./connection.ts";
import type { CoreEvent, LabelSelector, ObjectList, ObjectMeta, Pod } from "./objects.ts";
import { refusal } from "./outcome.ts";
import { selectorText } from "./selector.ts";

/** All objects of a collection at one instant, with the version of that instant. */
export type WholeList<Item> =
  | { readonly kind: "all"; readonly items: readonly Item[]; readonly resourceVersion: string }
  | { readonly kind: "expired" }
  | ClusterRefusal;

/** The maximum number of objects in a page. 500 workloads have about 3 MB. */
const PAGE = 500;
/**
 * The maximum bytes of a page. A larger page is read again in halves, because pages of all kinds
 * are read concurrently.
 */
const PAGE_BYTES = 16 * 1_024 * 1_024;
/** The time limit of a page, which takes longer than other answers. */
const PAGE_MS = 30_000;

/**
 * Reads a whole collection at one instant, page by page. The result is `expired` when the server
 * dropped the data of that instant before the last page.
 *
 * Users may make their objects large. Pages with large objects get shorter, and only the result of
 * `keep` outlives a page.
 */
export async function readAll<Kept>(
  api: Connection,
  { list, plural }: Collection,
  where: Pick<ListQuery, "namespace" | "labelSelector" | "fieldSelector">,
  keep: (item: unknown) => readonly Kept[],
  signal: AbortSignal,
): Promise<WholeList<Kept>> {
  const items: Kept[] = [];
  let query: ListQuery & { readonly limit: number } = { limit: PAGE, ...where };
  while (!signal.aborted) {
    const asked = query;
    const answer = await api.send((apis) => list(apis, asked), signal, limitsOf(asked));
    if (answer.kind === "answered" && answer.status === 410) return { kind: "expired" };
    if (isTooLong(answer) && asked.limit > 1) {
      query = { ...asked, limit: Math.floor(asked.limit / 2) };
      continue;
    }
    const page = wholePage(answer);
    if (page === undefined) return refusal(answer, `list ${plural}`, api.host);
    for (const item of page.items) items.push(...keep(item));
    if (page.next === "") return { kind: "all", items, resourceVersion: page.resourceVersion };
    query = { ...asked, _continue: page.next };
  }
  return { kind: "unreachable", detail: `the caller stopped the list of ${plural} of ${api.host}` };
}

/** Returns the limits of a page. A page of one object may be as large as any answer. */
function limitsOf({ limit }: { readonly limit: number }): CallLimits {
  return limit > 1 ? { timeoutMs: PAGE_MS, maximumBytes: PAGE_BYTES } : { timeoutMs: PAGE_MS };
}

function wholePage(
  answer: Answer,
): { readonly items: readonly unknown[]; readonly resourceVersion: string; readonly next: string } | undefined {
  if (answer.kind !== "answered" || answer.status !== 200) return undefined;
  const { items, metadata } = (answer.body ?? {}) as ObjectList<unknown>;
  if (!(items === null || Array.isArray(items)) || metadata?.resourceVersion === undefined) return undefined;
  return { items: items ?? [], resourceVersion: metadata.resourceVersion, next: metadata.continue ?? "" };
}

/**
 * A list with few pages. If the list expired, the result is `unreachable`, and Lookout retries
 * later.
 */
type ShortList<Item> = Exclude<WholeList<Item>, { kind: "expired" }>;

/** Reads the objects of a collection in one namespace. */
export async function readIn<Item>(
  api: Connection,
  collection: Collection,
  { namespace = "" }: ObjectMeta,
  where: Pick<ListQuery, "labelSelector" | "fieldSelector">,
  signal: AbortSignal,
): Promise<ShortList<Item>> {
  const read = await readAll(api, collection, { namespace, ...where }, (item) => [item as Item], signal);
  return read.kind === "expired"
    ? { kind: "unreachable", detail: "the server dropped a list before its last page (410)" }
    : read;
}

/** Reads the pods that an object's selector matches. */
export async function readPods(
  api: Connection,
  metadata: ObjectMeta,
  selector: LabelSelector,
  signal: AbortSignal,
  more: Readonly<Record<string, string>> = {},
): Promise<ShortList<Pod>> {
  return readIn<Pod>(api, pods, metadata, { labelSelector: selectorText(selector, more) }, signal);
}

/** Reads the warnings about one object. The server keeps warnings for an hour. */
export async function readWarnings(
  api: Connection,
  metadata: ObjectMeta,
  signal: AbortSignal,
): Promise<ShortList<CoreEvent>> {
  const fieldSelector = `involvedObject.uid=${metadata.uid},type=Warning`;
  return readIn<CoreEvent>(api, events, metadata, { fieldSelector }, signal);
}
