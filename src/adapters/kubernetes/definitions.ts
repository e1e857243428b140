import {
  type DefinitionKind,
  definitionKinds,
  type DefinitionObject,
  definitionPlaces,
} from "#domain/definitions/definition";
import type { DefinitionTrouble } from "#domain/definitions/definition-problem";
import { isObject } from "#domain/shared/json";
import { epochMs, parseInstant } from "#domain/shared/time";
import { fieldManager } from "#domain/workload/workload";
import type { ClusterRefusal, DefinitionList, StatusOutcome, StatusPatch } from "#ports/cluster";
import { listOf, objectPath } from "./any-resource.ts";
import type { Answer } from "./connection-answer.ts";
import type { Connection } from "./connection.ts";
import { isMissing } from "./installed.ts";
import { refusal, refusedOutcome, withoutRightsRemedy } from "./outcome.ts";
import { readAll } from "./reader.ts";

/** The most definitions of a kind that count, the first by namespace and name. */
const mostObjects = 5_000;

/**
 * Lists the definitions. A kind without its CustomResourceDefinition, without the right or without an answer stops neither
 * the sync of workloads nor the other kinds. A 404 of a proxy is no answer, because the workloads of a kind that is gone
 * lose its settings. A kind that was absent before stays so until its list is read, so that it costs one request.
 */
export async function listDefinitions(
  api: Connection,
  allows: (namespace: string) => boolean,
  before: readonly DefinitionKind[],
  signal: AbortSignal,
): Promise<DefinitionList> {
  const objects: DefinitionObject[] = [];
  const absent: DefinitionKind[] = [];
  const unlisted: DefinitionKind[] = [];
  const troubles: DefinitionTrouble[] = [];
  for (const kind of definitionKinds) {
    const list = await listKindOf(api, kind, signal);
    if (list.kind === "all") {
      const all = list.items.filter(({ namespace }) => allows(namespace));
      objects.push(...all.slice(0, mostObjects));
      if (all.length > mostObjects) troubles.push(tooMany(kind, all.length));
    } else if (list.kind === "denied") {
      unlisted.push(kind);
      troubles.push({ kind, reason: "list-denied", detail: withoutRightsRemedy(list).detail });
    } else if (before.includes(kind) || (await isMissing(api, { resource: definitionPlaces[kind] }, signal))) {
      absent.push(kind);
    } else {
      unlisted.push(kind);
      troubles.push({ kind, reason: "list-failed", detail: list.detail });
    }
  }
  return { objects, absent, unlisted, troubles };
}

function tooMany(kind: DefinitionKind, found: number): DefinitionTrouble {
  const [all, most] = [found, mostObjects].map((count) => count.toLocaleString("en"));
  const detail = `the cluster has ${all} objects of the kind ${kind}: only the first ${most} by namespace and name count`;
  return { kind, reason: "too-many", detail };
}

async function listKindOf(
  api: Connection,
  kind: DefinitionKind,
  signal: AbortSignal,
): Promise<{ readonly kind: "all"; readonly items: readonly DefinitionObject[] } | ClusterRefusal> {
  const { plural } = definitionPlaces[kind];
  const list = await readAll(
    api,
    { plural, list: listOf(definitionPlaces[kind]) },
    {},
    (item) => objectsIn(kind, item),
    signal,
  );
  return list.kind === "expired"
    ? { kind: "unreachable", detail: `${api.host} dropped the list of ${plural} before its end` }
    : list;
}

function objectsIn(kind: DefinitionKind, item: unknown): readonly DefinitionObject[] {
  if (!isObject(item) || !isObject(item["metadata"])) return [];
  const { metadata, spec, status } = item;
  const { namespace, name, uid, resourceVersion, generation, creationTimestamp, deletionTimestamp } =
    metadata as Record<string, unknown>;
  if (deletionTimestamp !== undefined) return [];
  if ([namespace, name, uid, resourceVersion].some((text) => typeof text !== "string")) return [];
  const createdAt = typeof creationTimestamp === "string" ? parseInstant(creationTimestamp) : undefined;
  return [
    {
      kind,
      namespace: String(namespace),
      name: String(name),
      uid: String(uid),
      resourceVersion: String(resourceVersion),
      generation: typeof generation === "number" ? generation : 0,
      createdAt: createdAt ?? epochMs(0),
      spec,
      status,
    },
  ];
}

/** Replaces the status of a definition with one request, whose tests fail if another object was written meanwhile. */
export async function patchStatus(
  api: Connection,
  { kind, namespace, name, uid, resourceVersion, status }: StatusPatch,
  signal: AbortSignal,
): Promise<StatusOutcome> {
  const body = [
    { op: "test", path: "/metadata/uid", value: uid },
    { op: "test", path: "/metadata/resourceVersion", value: resourceVersion },
    { op: "add", path: "/status", value: status },
  ];
  const answer: Answer = await api.send(
    (apis) =>
      apis.any({
        method: "PATCH",
        path: `${objectPath(definitionPlaces[kind], { namespace, name })}/status`,
        query: { fieldManager },
        contentType: "application/json-patch+json",
        body,
      }),
    signal,
  );
  const { plural } = definitionPlaces[kind];
  const what = `patch the status of ${plural}`;
  if (answer.kind !== "answered") return refusal(answer, what, api.host);
  const { status: code } = answer;
  if (code < 300) return { kind: "written" };
  // Without the status subresource, the path is not found.
  if (code === 404 || code === 409) return { kind: "changed" };
  if (code !== 403 && code !== 422) return refusal(answer, what, api.host);
  const refused = refusedOutcome(answer, what, api.host);
  switch (refused.kind) {
    case "read-again":
      return { kind: "changed" };
    case "invalid":
      return { kind: "invalid", detail: `the API server refuses fields of the status of ${plural}: ${refused.detail}` };
    case "denied-by-admission":
      return { kind: "denied", detail: `${refused.detail} denies patches of the status of ${plural}` };
    case "denied":
      return withoutRightsRemedy(refused);
  }
}
