import { parseWorkloadKey, workloadKey, type WorkloadKind, type WorkloadName } from "#domain/workload/workload";
import { exitCodes, Failure } from "./failure.ts";
import type { Server } from "./server.ts";
import { readWorkloads } from "./workloads.ts";

/** What may be written for a kind. */
const kinds: Readonly<Record<string, WorkloadKind>> = {
  deployment: "Deployment",
  deploy: "Deployment",
  statefulset: "StatefulSet",
  sts: "StatefulSet",
  daemonset: "DaemonSet",
  ds: "DaemonSet",
  cronjob: "CronJob",
  cj: "CronJob",
};

/** One reading of what a person wrote; what is left out is absent. */
interface Pattern {
  readonly cluster?: string;
  readonly namespace: string;
  readonly kind?: WorkloadKind;
  readonly name: string;
}

/**
 * Reads `[cluster/]namespace/[kind/]name`. Three parts may be read in two ways: `prod/deploy/api` is a Deployment of the namespace
 * `prod`, and also something in a namespace `deploy`.
 *
 * @throws Failure for any other shape.
 */
function parsePatterns(text: string): readonly Pattern[] {
  const parts = text.split("/");
  const [first = "", second = "", third = "", fourth = ""] = parts;
  const kindOf = (part: string): WorkloadKind | undefined => kinds[part.toLowerCase()];
  if (parts.includes("") || parts.length < 2 || parts.length > 4) throw notAName(text);
  if (parts.length === 2) return [{ namespace: first, name: second }];
  if (parts.length === 3) {
    const kind = kindOf(second);
    const ofCluster: Pattern = { cluster: first, namespace: second, name: third };
    return kind === undefined ? [ofCluster] : [{ namespace: first, kind, name: third }, ofCluster];
  }
  const kind = kindOf(third);
  if (kind === undefined) throw notAName(text, `"${third}" is not a kind: ${Object.keys(kinds).join(", ")}`);
  return [{ cluster: first, namespace: second, kind, name: fourth }];
}

function notAName(text: string, why?: string): Failure {
  return new Failure(exitCodes.wrongInput, `"${text}" is not a workload: expected [cluster/]namespace/[kind/]name.`, [
    ...(why === undefined ? [] : [why]),
    "For example: shop/api, prod/shop/api, prod/shop/deployment/api",
  ]);
}

function fits(pattern: Pattern, workload: WorkloadName): boolean {
  return (
    pattern.namespace === workload.namespace &&
    pattern.name === workload.name &&
    (pattern.cluster === undefined || pattern.cluster === workload.cluster) &&
    (pattern.kind === undefined || pattern.kind === workload.kind)
  );
}

/**
 * Answers which of some workloads a person means.
 *
 * @param known - whole names, `cluster/namespace/kind/name`
 * @throws Failure when none is meant, or several: then they are listed.
 */
export function resolveWorkload(text: string, known: readonly string[]): string {
  const patterns = parsePatterns(text);
  const found = known.filter((key) => {
    const workload = parseWorkloadKey(key);
    return workload.ok && patterns.some((pattern) => fits(pattern, workload.value));
  });
  const [only, ...more] = found;
  if (only === undefined) throw noSuch(text, known);
  if (more.length === 0) return only;
  throw new Failure(exitCodes.wrongInput, `"${text}" names ${found.length} workloads; say which:`, found);
}

/** Reads what some workloads are chosen by: `[cluster/]namespace/[kind/]name`, or a namespace alone. */
export function workloadFilter(text: string): (workload: WorkloadName) => boolean {
  if (!text.includes("/") && text !== "") return ({ namespace }) => namespace === text;
  const patterns = parsePatterns(text);
  return (workload) => patterns.some((pattern) => fits(pattern, workload));
}

function noSuch(text: string, known: readonly string[]): Failure {
  const name = text.split("/").at(-1);
  const alike = known.filter((key) => key.split("/").at(-1) === name);
  return new Failure(exitCodes.notSo, `No workload "${text}" is tracked.`, [
    ...(alike.length === 0 ? [] : [`Of the same name: ${alike.join(", ")}`]),
    "To see all that do:  lookout status",
  ]);
}

/** Answers the whole name of the workload that a person means; a name with all four parts is taken as it is. */
export async function findWorkload(server: Server, text: string): Promise<string> {
  const [only, ...more] = parsePatterns(text);
  if (only?.cluster !== undefined && only.kind !== undefined && more.length === 0)
    return workloadKey({ ...only, cluster: only.cluster, kind: only.kind });
  const { workloads } = await readWorkloads(server);
  return resolveWorkload(
    text,
    workloads.map(({ workload }) => workload),
  );
}

/** Writes the path of a workload in the API. */
export function workloadPath(key: string): string {
  return `/v1/workloads/${pathParts(key)}`;
}

/**
 * Writes a text with slashes as parts of a path. A slash stays one: where Lookout is deployed, paths arrive decoded. A star is encoded: it is
 * signed as if it were, and who checks the signature does not take it as it is.
 */
export function pathParts(text: string): string {
  return text
    .split("/")
    .map((part) => encodeURIComponent(part).replaceAll("*", "%2A"))
    .join("/");
}
