import { isObject } from "#domain/shared/json";
import { type ClusterNode, labelsAt } from "#domain/workload/node-groups";
import type { AskedOfNodes, Taint } from "#domain/workload/placement";
import type { NodeList } from "#ports/cluster";
import type { Collection } from "./collections.ts";
import type { Connection } from "./connection.ts";
import { readAll } from "./reader.ts";
import type { Json, ObjectMeta } from "./objects.ts";
import type { V1NodeSpec, V1NodeStatus } from "@kubernetes/client-node";

/** A node. */
interface NodeObject {
  readonly metadata: Pick<ObjectMeta, "name" | "labels">;
  readonly spec?: Json<V1NodeSpec>;
  readonly status?: Json<V1NodeStatus>;
}

const nodes: Collection = {
  plural: "nodes",
  list: ({ core }, query) => core.listNodeWithHttpInfo(query),
};

/**
 * Lists the nodes of a cluster with the requested labels. The list omits nodes without a known
 * platform.
 */
export async function listNodes(api: Connection, asked: AskedOfNodes, signal: AbortSignal): Promise<NodeList> {
  const list = await readAll(api, nodes, {}, (item) => clusterNode(item, asked), signal);
  if (list.kind === "expired")
    return { kind: "unreachable", detail: `${api.host} dropped the list of nodes before its end` };
  return list.kind === "all" ? { kind: "nodes", nodes: list.items } : list;
}

function clusterNode(item: unknown, asked: AskedOfNodes): readonly ClusterNode[] {
  if (!isObject(item) || !isObject(item["metadata"])) return [];
  const { metadata, spec, status } = item as unknown as NodeObject;
  const { name, labels = {} } = metadata;
  const { operatingSystem: os = labels["kubernetes.io/os"], architecture = labels["kubernetes.io/arch"] } =
    status?.nodeInfo ?? {};
  if (os === undefined || architecture === undefined) return [];
  return [{ name, os, architecture, labels: labelsAt(labels, asked.labels), taints: taintsOf(spec) }];
}

function taintsOf(spec: NodeObject["spec"]): readonly Taint[] {
  return (spec?.taints ?? []).map(({ key = "", value, effect = "" }) =>
    value === undefined ? { key, effect } : { key, value, effect },
  );
}
