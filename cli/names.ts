import { kindNamed, kindNames, type WorkloadKind, workloadKinds } from "#domain/workload/kinds";
import { parseWorkloadKey, workloadKey, type WorkloadName } from "#domain/workload/workload";
import { suggestions } from "./context.ts";
import { exitCodes, Failure } from "./failure.ts";
import type { Server } from "./server.ts";
import { readWorkloads, workloadNames } from "./workloads.ts";

/** One possible meaning of a workload name. A part that the user omitted is absent. */
interface Pattern {
  readonly cluster?: string;
  readonly namespace: string;
  readonly kind?: WorkloadKind;
  readonly name: string;
}

/**
 * Returns the possible meanings of `[cluster/]namespace/[kind/]name`. Three parts can have two
 * meanings. `prod/deploy/api` is a Deployment in the namespace `prod`, or a workload in the
 * namespace `deploy`.
 *
 * @throws Failure for any other form.
 */
function parsePatterns(text: string): readonly Pattern[] {
  const parts = text.split("/");
  const [first = "", second = "", third = "", fourth = ""] = parts;
  if (parts.includes("") || parts.length < 2 || parts.length > 4) throw notAName(text);
  if (parts.length === 2) return [{ namespace: first, name: second }];
  if (parts.length === 3) {
    const kind = kindNamed(second);
    const ofCluster: Pattern = { cluster: first, namespace: second, name: third };
    return kind === undefined ? [ofCluster] : [{ namespace: first, kind, name: third }, ofCluster];
  }
  const kind = kindNamed(third);
  if (kind === undefined)
    throw notAName(text, `"${third}" is not a kind: ${workloadKinds.flatMap(kindNames).join(", ")}`);
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
 * Returns the workload that a text names.
 *
 * @param known - whole names, `cluster/namespace/kind/name`
 * @throws Failure if the text matches no workload, or several workloads.
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
  throw new Failure(exitCodes.wrongInput, `"${text}" names ${found.length} workloads. Use one of these names:`, found);
}

/** Returns a predicate for `[cluster/]namespace/[kind/]name`, or for a namespace alone. */
export function workloadFilter(text: string): (workload: WorkloadName) => boolean {
  if (!text.includes("/") && text !== "") return ({ namespace }) => namespace === text;
  const patterns = parsePatterns(text);
  return (workload) => patterns.some((pattern) => fits(pattern, workload));
}

function noSuch(text: string, known: readonly string[]): Failure {
  const name = text.split("/").at(-1);
  const alike = known.filter((key) => key.split("/").at(-1) === name);
  return new Failure(exitCodes.notSo, `No workload "${text}" is tracked.`, [
    ...(alike.length === 0
      ? suggestions(text, known.flatMap(shorterNames))
      : [`Workloads with the same name: ${alike.join(", ")}`]),
    "To see all tracked workloads:  lookout status",
  ]);
}

/** Returns the names of a workload that a user may type. */
function shorterNames(key: string): readonly string[] {
  const [cluster = "", namespace = "", kind = "", name = ""] = key.split("/");
  return [`${namespace}/${name}`, `${cluster}/${namespace}/${name}`, `${namespace}/${kind}/${name}`, key];
}

/**
 * Returns the whole name of the workload that a text names. A text with four parts needs no
 * request.
 */
export async function findWorkload(server: Server, text: string): Promise<string> {
  const [only, ...more] = parsePatterns(text);
  if (only?.cluster !== undefined && only.kind !== undefined && more.length === 0)
    return workloadKey({ ...only, cluster: only.cluster, kind: only.kind });
  return resolveWorkload(text, workloadNames(await readWorkloads(server)));
}

/** Returns the parameters of a path that names a workload. */
export function workloadParams(key: string): Readonly<Record<"cluster" | "namespace" | "kind" | "name", string>> {
  const [cluster = "", namespace = "", kind = "", name = ""] = key.split("/");
  return { cluster, namespace, kind, name };
}
