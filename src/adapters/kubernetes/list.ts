import { parseJson } from "#domain/shared/json";
import type { ClusterRefusal, ListPosition, WorkloadList, WorkloadLists } from "#ports/cluster";
import type { WorkloadKind } from "#domain/workload/kinds";
import { type LiveWorkload, type WorkloadName, workloadKey } from "#domain/workload/workload";
import { listedParts } from "#domain/update/decide/observe";
import { type ListQuery, watchCall } from "./collections.ts";
import type { Connection } from "./connection.ts";
import { failedAnswer } from "./connection-answer.ts";
import { isMissing, isPageNotFound } from "./installed.ts";
import type { ReadKind, ReadKinds } from "./kinds/index.ts";
import { liveWorkload } from "./live-workload.ts";
import type { WorkloadObject } from "./objects.ts";
import { isWorkloadObject, refusal, withKindsRemedy, withoutRightsRemedy } from "./outcome.ts";
import { isLeaving } from "./pods.ts";
import { readAll, type WholeList } from "./reader.ts";
import { watchEvent } from "./watch-event.ts";

/** The cluster, the kinds and the namespaces of a list. */
export interface ListScope {
  readonly cluster: string;
  readonly kinds: ReadKinds;
  readonly allows: (namespace: string) => boolean;
}

type Refused = Exclude<WorkloadList, { kind: "workloads" }>;
type Versions = Readonly<Record<string, string>>;

/** The version of a custom resource that the cluster lacked at the last complete list. */
const absent = "absent";

/** The shortest time for which the server keeps a watch open. */
const WATCH_SECONDS = 1;

/**
 * Lists all workloads, or the changes since a position. Returns the complete list if the position
 * is unreadable or expired.
 */
export async function listWorkloads(
  api: Connection,
  scope: ListScope,
  since: ListPosition | undefined,
  signal: AbortSignal,
): Promise<WorkloadList> {
  const versions = since === undefined ? undefined : readPosition(scope.kinds, since);
  const changes = versions && (await listChanges(api, scope, versions, signal));
  return changes === undefined || changes.kind === "expired" ? listAll(api, scope, signal) : changes;
}

async function listAll(api: Connection, scope: ListScope, signal: AbortSignal): Promise<WorkloadList> {
  const reads = await Promise.all(
    [...scope.kinds.values()].map(async (row) => {
      const read = await readKind(api, scope, row, {}, signal);
      return read.kind === "all" ? { kind: row.kind, version: read.resourceVersion, live: read.items } : read;
    }),
  );
  const listed = reads.filter((read) => "version" in read);
  if (listed.length < reads.length) {
    const refused = reads.filter((read) => read.kind === "unreachable" || read.kind === "denied")[0];
    return refused ?? droppedList(api);
  }
  const position = JSON.stringify(Object.fromEntries(listed.map(({ kind, version }) => [kind, version])));
  return { kind: "workloads", complete: true, live: listed.flatMap(({ live }) => live), deleted: [], position };
}

/** Lists the workloads of one kind, in one namespace or in all allowed namespaces. */
export async function listKind(
  api: Connection,
  scope: ListScope,
  kind: WorkloadKind,
  namespace: string | undefined,
  signal: AbortSignal,
): ReturnType<WorkloadLists["listKind"]> {
  const row = scope.kinds.get(kind);
  if (row === undefined) return { kind: "listed", live: [] };
  const read = await readKind(api, scope, row, namespace === undefined ? {} : { namespace }, signal);
  if (read.kind === "all") return { kind: "listed", live: read.items };
  return read.kind === "expired" ? droppedList(api) : withoutRightsRemedy(read);
}

/**
 * Reads the workloads of one kind, and reads them once more if the first list expired. A cluster
 * without the custom resource has no workload of the kind.
 */
async function readKind(
  api: Connection,
  scope: ListScope,
  row: ReadKind,
  where: Pick<ListQuery, "namespace">,
  signal: AbortSignal,
): Promise<WholeList<LiveWorkload>> {
  const keep = (item: unknown): readonly LiveWorkload[] => {
    const object = item as WorkloadObject;
    const name = isWorkloadObject(object) ? workloadName(scope, row.kind, object) : undefined;
    return name === undefined || isLeaving(object) ? [] : [listedParts(liveWorkload(row, name, object))];
  };
  const first = await readAll(api, row, where, keep, signal);
  const read = first.kind === "expired" ? await readAll(api, row, where, keep, signal) : first;
  const isRefused = read.kind === "denied" || read.kind === "unreachable";
  if (!isRefused) return read;
  if (await isMissing(api, row, signal)) return { kind: "all", items: [], resourceVersion: absent };
  return row.resource === undefined ? read : withKindsRemedy(read);
}

function droppedList({ host }: Connection): ClusterRefusal {
  return { kind: "unreachable", detail: `${host} dropped a list before its last page` };
}

interface KindChanges {
  readonly kind: WorkloadKind;
  readonly version: string;
  /** The last change of each workload, by the workload's key. */
  readonly last: ReadonlyMap<string, LastChange>;
}

/** The present state of a workload. A deleted workload has no `live`. */
interface LastChange {
  readonly name: WorkloadName;
  readonly live: LiveWorkload | undefined;
}

async function listChanges(
  api: Connection,
  scope: ListScope,
  versions: Versions,
  signal: AbortSignal,
): Promise<WorkloadList | { readonly kind: "expired" }> {
  const reads = await Promise.all(
    [...scope.kinds.values()].map((row) => changesOf(api, scope, row, versions[row.kind] ?? absent, signal)),
  );
  const refused = reads.find((read) => !("version" in read) && read.kind !== "expired");
  if (refused !== undefined) return refused as Refused;
  const changes = reads.filter((read) => "version" in read);
  if (changes.length < reads.length) return { kind: "expired" };
  const last = changes.flatMap((change) => [...change.last.values()]);
  return {
    kind: "workloads",
    complete: false,
    live: last.flatMap(({ live }) => live ?? []),
    deleted: last.flatMap(({ name, live }) => (live === undefined ? [name] : [])),
    position: JSON.stringify(Object.fromEntries(changes.map(({ kind, version }) => [kind, version]))),
  };
}

async function changesOf(
  api: Connection,
  scope: ListScope,
  row: ReadKind,
  since: string,
  signal: AbortSignal,
): Promise<KindChanges | { readonly kind: "expired" } | Refused> {
  if (since === absent) return changesOfAbsent(api, row, signal);
  const stream = await api.lines(watchCall(row, since, WATCH_SECONDS), WATCH_SECONDS, signal);
  if (stream.kind === "answered" && stream.status === 410) return { kind: "expired" };
  if (row.resource !== undefined && isPageNotFound(stream)) return { kind: "expired" };
  const what = `watch ${row.plural}`;
  if (stream.kind !== "lines") return refusal(stream, what, api.host);
  try {
    return await gathered(scope, row, since, stream.lines);
  } catch (error) {
    return refusal(failedAnswer(error, api.host), what, api.host);
  }
}

/** Looks for a custom resource that the cluster lacked. When it is there, all is listed again. */
async function changesOfAbsent(
  api: Connection,
  row: ReadKind,
  signal: AbortSignal,
): Promise<KindChanges | { readonly kind: "expired" }> {
  const answer = await api.send((apis) => row.list(apis, { limit: 1 }), signal);
  if (answer.kind === "answered" && answer.status === 200) return { kind: "expired" };
  return { kind: row.kind, version: absent, last: new Map() };
}

async function gathered(
  scope: ListScope,
  row: ReadKind,
  since: string,
  lines: AsyncIterable<string>,
): Promise<KindChanges | { readonly kind: "expired" } | Refused> {
  const last = new Map<string, LastChange>();
  let version = since;
  for await (const line of lines) {
    const event = watchEvent(line);
    if (event.kind === "expired") return event;
    if (event.kind === "broken")
      return {
        kind: "unreachable",
        detail: `the API server sent an unreadable event about ${row.plural}`,
      };
    version = event.resourceVersion;
    const name = event.kind === "bookmark" ? undefined : workloadName(scope, row.kind, event.object);
    if (event.kind === "bookmark" || name === undefined) continue;
    const gone = event.kind === "deleted" || isLeaving(event.object);
    last.set(workloadKey(name), { name, live: gone ? undefined : listedParts(liveWorkload(row, name, event.object)) });
  }
  return { kind: row.kind, version, last };
}

/**
 * Returns the name of an object in an allowed namespace. Returns undefined for other namespaces.
 */
export function workloadName(scope: ListScope, kind: WorkloadKind, object: WorkloadObject): WorkloadName | undefined {
  const { namespace, name } = object.metadata;
  return namespace === undefined || !scope.allows(namespace)
    ? undefined
    : { cluster: scope.cluster, namespace, kind, name };
}

function readPosition(kinds: ReadKinds, position: ListPosition): Versions | undefined {
  const versions = (parseJson(position) ?? {}) as Readonly<Record<string, unknown>>;
  const isKnown = [...kinds.values()].every(({ kind, resource }) => {
    const version = versions[kind];
    return /^\d+$/.test(String(version)) || (resource !== undefined && version === absent);
  });
  // A position of other kinds misses workloads, or keeps the workloads of a removed kind.
  return isKnown && Object.keys(versions).length === kinds.size ? (versions as Versions) : undefined;
}
