import { V1SelfSubjectAccessReview } from "@kubernetes/client-node/dist/gen/models/V1SelfSubjectAccessReview.js";
import { type ClusterRule, definitionRules, requiredRulesOf } from "#contracts/kubernetes/access";
import type { CustomKindSpec } from "#domain/workload/custom/kind";
import { definitionKinds, definitionPlaces } from "#domain/definitions/definition";
import type { ClusterRefusal, ClusterRights } from "#ports/cluster";
import type { Connection } from "./connection.ts";
import { isMissing } from "./installed.ts";
import { refusal } from "./outcome.ts";

/** A right in a namespace, or in all namespaces. */
interface Right {
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly verb: string;
  readonly name?: string;
  readonly namespace?: string;
}

/**
 * The rights that Lookout never needs and that would help an attacker most, with their words. If
 * the first right is allowed, so are all others.
 */
const strongRights: readonly (readonly [words: string, right: Right])[] = [
  ["do everything (cluster-admin)", { group: "*", resource: "*", verb: "*" }],
  ["read Secrets", { group: "", resource: "secrets", verb: "get" }],
  ["create pods", { group: "", resource: "pods", verb: "create" }],
  ["run commands in pods", { group: "", resource: "pods", subresource: "exec", verb: "create" }],
  ["replace whole Deployments", { group: "apps", resource: "deployments", verb: "update" }],
  ["delete Deployments", { group: "apps", resource: "deployments", verb: "delete" }],
  ["give rights to others", { group: "rbac.authorization.k8s.io", resource: "clusterrolebindings", verb: "create" }],
  ["act as other users", { group: "", resource: "users", verb: "impersonate" }],
];

/**
 * Returns the rights that updates need and that the API server denies, and the rights of
 * {@link strongRights} that it allows. A kind that the cluster lacks needs no rights.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authorization/#checking-api-access
 */
export async function missingRights(
  api: Connection,
  custom: readonly CustomKindSpec[],
  signal: AbortSignal,
): Promise<ClusterRights | ClusterRefusal> {
  const absent = await Promise.all(custom.map((resource) => isMissing(api, { resource }, signal)));
  const rules = requiredRulesOf(custom.filter((_, index) => absent[index] === false));
  const [needed, strong] = await Promise.all([
    Promise.all(rules.flatMap(rightsOf).map((right) => review(api, [textOf(right), right], signal))),
    Promise.all(strongRights.map((right) => review(api, right, signal))),
  ]);
  const refused = [...needed, ...strong].find((answer) => answer.kind !== "right");
  if (refused !== undefined) return refused;
  const texts = (answers: typeof needed, allowed: boolean): readonly string[] =>
    answers.flatMap((answer) => (answer.kind === "right" && answer.allowed === allowed ? [answer.text] : []));
  const [everything, ...more] = texts(strong, true);
  const excessive =
    everything === undefined ? [] : everything === strongRights[0]?.[0] ? [everything] : [everything, ...more];
  const ignored = await ignoredKinds(api, signal);
  if (ignored.kind !== "kinds") return ignored;
  return {
    kind: "rights",
    missing: texts(needed, false),
    ...(excessive.length > 0 && { excessive }),
    ...(ignored.kinds.length > 0 && { ignored: ignored.kinds }),
    ...(ignored.present.length > 0 && { definitions: ignored.present }),
  };
}

/** Returns the kinds of definitions that the cluster has, and those on whose objects a right is missing. */
async function ignoredKinds(
  api: Connection,
  signal: AbortSignal,
): Promise<
  { readonly kind: "kinds"; readonly kinds: readonly string[]; readonly present: readonly string[] } | ClusterRefusal
> {
  const kinds: string[] = [];
  const present: string[] = [];
  for (const kind of definitionKinds) {
    const { group, version } = definitionPlaces[kind];
    const path = `/apis/${group}/${version}`;
    const found = await api.send(({ any }) => any({ method: "GET", path }), signal);
    if (found.kind !== "answered" || found.status !== 200) continue;
    present.push(kind);
    const rights = definitionRules(kind).flatMap(rightsOf);
    const answers = await Promise.all(rights.map((right) => review(api, ["", right], signal)));
    const refused = answers.find((answer) => answer.kind !== "right");
    if (refused !== undefined) return refused;
    if (answers.some((answer) => answer.kind === "right" && !answer.allowed)) kinds.push(kind);
  }
  return { kind: "kinds", kinds, present };
}

/** Returns whether the API server allows a right. */
export async function mayDo(
  api: Connection,
  right: Right,
  signal: AbortSignal,
): Promise<{ readonly kind: "right"; readonly allowed: boolean } | ClusterRefusal> {
  return review(api, ["", right], signal);
}

function rightsOf({ apiGroups: [group], resources, verbs, resourceNames }: ClusterRule): readonly Right[] {
  const named = resourceNames === undefined ? {} : { name: resourceNames[0] };
  return resources.flatMap((written) => {
    const [resource = "", subresource] = written.split("/");
    const part = subresource === undefined ? { resource } : { resource, subresource };
    return verbs.map((verb) => ({ group, ...part, verb, ...named }));
  });
}

async function review(
  api: Connection,
  [text, right]: readonly [text: string, right: Right],
  signal: AbortSignal,
): Promise<{ readonly kind: "right"; readonly text: string; readonly allowed: boolean } | ClusterRefusal> {
  const body = Object.assign(new V1SelfSubjectAccessReview(), {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SelfSubjectAccessReview",
    spec: { resourceAttributes: right },
  });
  const answer = await api.send(
    ({ authorization }) => authorization.createSelfSubjectAccessReviewWithHttpInfo({ body }),
    signal,
  );
  const { status } = ((answer.kind === "answered" ? answer.body : undefined) ?? {}) as {
    readonly status?: { readonly allowed?: unknown };
  };
  if (answer.kind !== "answered" || answer.status !== 201 || typeof status?.allowed !== "boolean")
    return refusal(answer, "check the rights", api.host);
  return { kind: "right", text, allowed: status.allowed };
}

function textOf({ verb, group, resource, name }: Right): string {
  // Kubernetes' own groups have no dot, except rbac and the like, which Lookout does not need.
  const whole = group.includes(".") ? `${resource}.${group}` : resource;
  return `${verb} ${whole}${name === undefined ? "" : `/${name}`}`;
}
