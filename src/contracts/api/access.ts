import type { Role } from "#domain/access/roles";
import type { Area } from "#domain/access/scope";
import { parseFreezeScope } from "#domain/gates/freezes";
import { isObject } from "#domain/shared/json";
import { parseWorkloadKey } from "#domain/workload/workload";
import type { Operations } from "./operations.ts";

/** The parts of a request that tell what it is about. */
export interface AskedParts {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
}

/** The part of the fleet that a token must cover for a request. */
export type Reach =
  /** The answer has only what the token covers, or nothing about a cluster or namespace. */
  | { readonly kind: "any" }
  /** The token must cover the whole area. */
  | { readonly kind: "whole"; readonly area: Area }
  /** The token must cover a namespace of the area. */
  | { readonly kind: "part"; readonly area: Area };

/** The rights that an operation needs. */
export interface NeededAccess {
  readonly role: Role;
  readonly reach: (asked: AskedParts) => Reach;
}

type ReachOf = NeededAccess["reach"];

const whole = (area: Area): Reach => ({ kind: "whole", area });

/** What requests are about. */
const about = {
  any: () => ({ kind: "any" }),
  fleet: () => whole({}),
  workload: ({ params }) => whole(areaOf(params, "cluster", "namespace")),
  cluster: ({ params }) => whole(areaOf(params, "cluster")),
  partOfCluster: ({ params }) => ({ kind: "part", area: areaOf(params, "cluster") }),
  newFreeze: ({ body }) => whole(areaOfFreeze(body)),
  freeze: ({ params }) => whole(areaOfFreeze(params)),
  release: ({ body }) => whole(areaOfRelease(body)),
  // A scoped token finds only the repositories of its workloads.
  repository: ({ body }) => (isObject(body) && body["imageName"] !== undefined ? { kind: "any" } : whole({})),
} as const satisfies Readonly<Record<string, ReachOf>>;

/** The rights that each operation of the local process needs. On AWS, the policies of IAM say who may call what. */
export const neededAccess: { readonly [Name in keyof Operations]: NeededAccess } = {
  listWorkloads: { role: "viewer", reach: about.any },
  readWorkload: { role: "viewer", reach: about.workload },
  explainWorkload: { role: "viewer", reach: about.workload },
  readDecisions: { role: "viewer", reach: about.workload },
  readUpdate: { role: "viewer", reach: about.workload },
  unblockWorkload: { role: "operator", reach: about.workload },
  listUpdates: { role: "viewer", reach: about.any },
  listClusters: { role: "viewer", reach: about.any },
  readCluster: { role: "viewer", reach: about.partOfCluster },
  addCluster: { role: "owner", reach: about.fleet },
  removeCluster: { role: "owner", reach: about.fleet },
  checkCluster: { role: "operator", reach: about.cluster },
  syncCluster: { role: "operator", reach: about.cluster },
  listRepositories: { role: "viewer", reach: about.any },
  sweepNow: { role: "operator", reach: about.repository },
  listRegistries: { role: "viewer", reach: about.fleet },
  checkRegistry: { role: "operator", reach: about.fleet },
  resumeRegistry: { role: "operator", reach: about.fleet },
  listChannels: { role: "viewer", reach: about.fleet },
  testChannel: { role: "operator", reach: about.fleet },
  explainChannel: { role: "viewer", reach: about.fleet },
  listTiers: { role: "viewer", reach: about.any },
  listQuarantine: { role: "viewer", reach: about.any },
  putInQuarantine: { role: "operator", reach: about.fleet },
  liftQuarantine: { role: "operator", reach: about.fleet },
  listFreezes: { role: "viewer", reach: about.any },
  freeze: { role: "operator", reach: about.newFreeze },
  liftFreeze: { role: "operator", reach: about.freeze },
  release: { role: "operator", reach: about.release },
  setVersion: { role: "operator", reach: about.workload },
  rollBack: { role: "operator", reach: about.workload },
  skipTag: { role: "operator", reach: about.workload },
  suspendWorkload: { role: "operator", reach: about.workload },
  resumeWorkload: { role: "operator", reach: about.workload },
  retryWorkload: { role: "operator", reach: about.workload },
  readMe: { role: "viewer", reach: about.any },
  listApprovals: { role: "viewer", reach: about.any },
  mayVote: { role: "viewer", reach: about.workload },
  approve: { role: "approver", reach: about.workload },
  reject: { role: "approver", reach: about.workload },
  askForApproval: { role: "approver", reach: about.workload },
  listHistory: { role: "viewer", reach: about.any },
  listImages: { role: "viewer", reach: about.any },
  readDigest: { role: "viewer", reach: about.any },
  examine: { role: "viewer", reach: about.fleet },
  examineCluster: { role: "viewer", reach: about.partOfCluster },
  sendSyntheticPush: { role: "operator", reach: about.fleet },
  repairRows: { role: "operator", reach: about.fleet },
  readProbe: { role: "viewer", reach: about.any },
  listStoredItems: { role: "viewer", reach: about.fleet },
  exportState: { role: "owner", reach: about.fleet },
  importState: { role: "owner", reach: about.fleet },
  listTokens: { role: "owner", reach: about.fleet },
  createToken: { role: "owner", reach: about.fleet },
  revokeToken: { role: "owner", reach: about.fleet },
  readConfiguration: { role: "owner", reach: about.fleet },
  followFacts: { role: "viewer", reach: about.any },
  backUpState: { role: "owner", reach: about.fleet },
  readDocument: { role: "viewer", reach: about.any },
  pushToDemo: { role: "operator", reach: about.fleet },
};

/** The rights that `/metrics` needs: its figures are of the whole fleet. */
export const metricsAccess: NeededAccess = { role: "viewer", reach: about.fleet };

/** Returns the area of the parameters of a path. Without one of them, it is wider. */
function areaOf(params: unknown, ...names: readonly (keyof Area)[]): Area {
  if (!isObject(params)) return {};
  return Object.fromEntries(
    names.flatMap((name) => (typeof params[name] === "string" ? [[name, params[name]] as const] : [])),
  );
}

/** Returns the area of a freeze. A scope that can't be parsed is the whole fleet. */
function areaOfFreeze(parts: unknown): Area {
  const scope = isObject(parts) && typeof parts["scope"] === "string" ? parseFreezeScope(parts["scope"]) : undefined;
  return scope?.ok === true ? scope.value : {};
}

/** Returns the area of a release. Its scope may name a workload. */
function areaOfRelease(body: unknown): Area {
  const workload = isObject(body) && typeof body["scope"] === "string" ? parseWorkloadKey(body["scope"]) : undefined;
  if (workload?.ok !== true) return areaOfFreeze(body);
  const { cluster, namespace } = workload.value;
  return { cluster, namespace };
}
