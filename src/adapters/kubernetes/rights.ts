import { V1SelfSubjectAccessReview } from "@kubernetes/client-node/dist/gen/models/V1SelfSubjectAccessReview.js";
import { type ClusterRule, requiredRules } from "#contracts/kubernetes/access";
import type { ClusterRefusal } from "#ports/cluster";
import type { Connection } from "./connection.ts";
import { refusal } from "./outcome.ts";

/** A right in all namespaces. */
interface Right {
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
  readonly name?: string;
}

/**
 * Returns the rights that updates need and that the API server denies.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authorization/#checking-api-access
 */
export async function missingRights(
  api: Connection,
  signal: AbortSignal,
): Promise<{ readonly kind: "rights"; readonly missing: readonly string[] } | ClusterRefusal> {
  const answers = await Promise.all(requiredRules.flatMap(rightsOf).map((right) => review(api, right, signal)));
  const refused = answers.find((answer) => answer.kind !== "right");
  if (refused !== undefined) return refused;
  return {
    kind: "rights",
    missing: answers.flatMap((answer) => (answer.kind === "right" && !answer.allowed ? [answer.text] : [])),
  };
}

function rightsOf({ apiGroups: [group], resources, verbs, resourceNames }: ClusterRule): readonly Right[] {
  const named = resourceNames === undefined ? {} : { name: resourceNames[0] };
  return resources.flatMap((resource) => verbs.map((verb) => ({ group, resource, verb, ...named })));
}

async function review(
  api: Connection,
  right: Right,
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
  const what = right.name === undefined ? right.resource : `${right.resource}/${right.name}`;
  return { kind: "right", text: `${right.verb} ${what}`, allowed: status.allowed };
}
