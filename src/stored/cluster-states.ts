import * as z from "zod/mini";
import { definitionKinds } from "#domain/definitions/definition";
import { type DefinitionProblem, troubleReasons } from "#domain/definitions/definition-problem";
import type { GoneGroup, ListedNodes } from "#domain/workload/node-facts";
import type { AskedOfNodes, NodeGroup, Taint } from "#domain/workload/placement";
import type { ClusterState, ClusterStates } from "#ports/cluster-states";
import { itemOf, type Kind, type Storage, valuesOf } from "./kind.ts";
import { anyText, instant, instants, list, maybe, type Members, name, textMap, texts, yes } from "./shape.ts";
import { put } from "./writes.ts";

const taint = z.object({ key: anyText, value: maybe(anyText), effect: anyText } satisfies Members<Taint>);

const group = z.object({
  os: anyText,
  architecture: anyText,
  labels: maybe(textMap),
  taints: maybe(list(taint)),
  name: maybe(anyText),
} satisfies Members<NodeGroup>);

const nodes = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("listed"),
    at: instant,
    asked: z.object({ labels: texts, names: texts } satisfies Members<AskedOfNodes>),
    labelsSince: instants,
    names: texts,
    groups: list(group),
    gone: list(z.object({ group, seenAt: instant } satisfies Members<GoneGroup>)),
    crowded: maybe(yes),
  } satisfies Members<ListedNodes>),
  z.object({ kind: z.literal("denied"), at: instant, detail: anyText }),
]);

const definitionProblem = z.object({
  kind: z.enum(definitionKinds),
  reason: z.enum(troubleReasons),
  detail: anyText,
  since: instant,
} satisfies Members<DefinitionProblem>);

/** The kind of the states of clusters. */
export const clusterStateKind: Kind<ClusterState> = {
  name: "state of a cluster",
  form: 1,
  shape: z.object({
    name,
    identity: maybe(anyText),
    position: maybe(anyText),
    lastCompleteListAt: maybe(instant),
    lastSyncAt: maybe(instant),
    answeredAt: maybe(instant),
    toWake: maybe(yes),
    observes: maybe(anyText),
    tiers: maybe(anyText),
    definitions: maybe(list(z.enum(definitionKinds))),
    placingSince: maybe(instant),
    definitionProblems: maybe(list(definitionProblem)),
    nodes: maybe(nodes),
    problem: maybe(
      z.object({
        reason: z.enum(["cluster-unreachable", "cluster-denied", "cluster-registered-twice"]),
        detail: anyText,
        since: instant,
        at: instant,
      }),
    ),
  } satisfies Members<ClusterState>),
  isAt: ({ name }, { sk }) => name === sk,
};

/** All states share a partition, so that one query also lists clusters that are no longer configured. */
const pk = "CLUSTER-STATES";

/** Returns the store of cluster states. */
export function storedClusterStates(storage: Storage): ClusterStates {
  const { items } = storage;
  return {
    async read(name) {
      const item = await items.get({ pk, sk: name }, `reading the state of cluster ${name}`);
      // The next sync replaces a state that can't be read.
      return item && valuesOf(clusterStateKind, [item], storage)[0];
    },
    list: async () => valuesOf(clusterStateKind, await items.query({ pk }, "listing the states of clusters"), storage),
    write: (state) =>
      put(items, itemOf(clusterStateKind, { pk, sk: state.name }, state), `storing the state of cluster ${state.name}`),
  };
}
