import type { ClusterRefusal, PatchOutcome } from "#ports/cluster";
import type { LiveWorkload } from "#domain/workload/workload";
import type { Answer } from "./connection-answer.ts";
import type { StatusBody, WorkloadObject } from "./objects.ts";

/**
 * Returns the outcome of a patch. The outcome contains nothing of the server's message except the
 * name of a policy or webhook, and field paths.
 */
export function patchOutcome(
  answer: Answer,
  asLive: (object: WorkloadObject) => LiveWorkload,
  host: string,
): PatchOutcome {
  if (answer.kind === "not-sent") return { kind: answer.why, detail: answer.detail };
  if (answer.kind === "no-answer") return { kind: "unknown", detail: answer.detail };
  if (answer.status < 300) return writtenOutcome(answer.body, asLive, host);
  if (isGone(answer)) return { kind: "gone" };
  if (answer.status === 409) return { kind: "read-again" };
  // The server timed out, so the write may still happen.
  if (answer.status === 504)
    return { kind: "unknown", detail: `the server's own time limit ended ${described(answer, host)}` };
  if (isAway(answer.status)) {
    const kind = answer.status >= 500 ? "failed" : "unreachable";
    return { kind, detail: `Lookout could not patch ${described(answer, host)}` };
  }
  return refusedOutcome(answer, "patch", host);
}

/**
 * Returns whether a status is an overload or a failure. A 404 that is not about the object comes
 * from a proxy.
 */
function isAway(status: number): boolean {
  return status === 404 || status === 429 || status >= 500;
}

/** Returns the outcome of a patch that the API server refused, and that changed nothing. */
export function refusedOutcome(
  answer: Extract<Answer, { kind: "answered" }>,
  what: string,
  host: string,
): Extract<PatchOutcome, { kind: "denied-by-admission" | "read-again" | "denied" | "invalid" }> {
  const { status } = answer;
  const body = statusBody(answer.body);
  const admission = admissionName(body.message);
  if (admission !== undefined) return { kind: "denied-by-admission", detail: admission };
  // The server gives no causes for a failed test or a missing path.
  if (status === 422 && !body.details?.causes) return { kind: "read-again" };
  if (status === 401 || status === 403) return notAllowed(what, answer, host);
  return { kind: "invalid", detail: invalidFields(body) ?? described(answer, host) };
}

function writtenOutcome(body: unknown, asLive: (object: WorkloadObject) => LiveWorkload, host: string): PatchOutcome {
  if (!isWorkloadObject(body)) return { kind: "unknown", detail: `an answer without the object from ${host}` };
  return { kind: "written", live: asLive(body) };
}

/**
 * Returns the refusal for an answer without a result. Every unexpected answer is a refusal, so that
 * a partial answer is never used.
 */
export function refusal(answer: Answer, what: string, host: string): ClusterRefusal {
  if (answer.kind === "not-sent") return { kind: answer.why, detail: answer.detail };
  if (answer.kind === "no-answer") return { kind: "unreachable", detail: answer.detail };
  if (answer.status === 401 || answer.status === 403) return notAllowed(what, answer, host);
  // The answer is a login page, a redirect, or a page of a proxy.
  if (answer.status < 400)
    return { kind: "unreachable", detail: `${host} does not answer as a Kubernetes API (${String(answer.status)})` };
  return { kind: "unreachable", detail: `Lookout could not ${what} ${described(answer, host)}` };
}

/** What gives Lookout its rights, at the end of a refusal. */
const rightsRemedy = ": run lookout cluster manifests | kubectl apply -f -";

/** What gives Lookout its rights on a kind of lookout.yaml. */
const kindsRemedy =
  ": run lookout cluster manifests --config lookout.yaml | kubectl apply -f - (or, if lookout cluster add created the account: lookout cluster add NAME --context CONTEXT --config lookout.yaml)";

/** Returns a refusal of a custom kind, whose rights depend on lookout.yaml. */
export function withKindsRemedy(refused: ClusterRefusal): ClusterRefusal {
  return { ...refused, detail: refused.detail.replace(rightsRemedy, kindsRemedy) };
}

/** Returns a refusal for a user with an own kubeconfig, who needs no rights of Lookout. */
export function withoutRightsRemedy(refused: ClusterRefusal): ClusterRefusal {
  return { ...refused, detail: refused.detail.replace(kindsRemedy, "").replace(rightsRemedy, "") };
}

function notAllowed(what: string, answer: Extract<Answer, { kind: "answered" }>, host: string) {
  const byAdmission = admissionName(statusBody(answer.body).message) !== undefined;
  const remedy = answer.status === 403 && !byAdmission ? rightsRemedy : "";
  return { kind: "denied", detail: `Lookout may not ${what} ${described(answer, host)}${remedy}` } as const;
}

/**
 * Returns whether the API server reports that the object does not exist. A 404 of a proxy or of a
 * missing API gives false.
 */
export function isGone(answer: Answer): boolean {
  if (answer.kind !== "answered" || answer.status !== 404) return false;
  const { reason, details } = statusBody(answer.body);
  return reason === "NotFound" && details?.name !== undefined;
}

/** Returns whether a body looks like a workload. */
export function isWorkloadObject(body: unknown): body is WorkloadObject {
  if (typeof body !== "object" || body === null || !("metadata" in body) || !("spec" in body)) return false;
  const { metadata, spec } = body;
  return (
    typeof metadata === "object" && metadata !== null && "uid" in metadata && typeof spec === "object" && spec !== null
  );
}

function statusBody(body: unknown): StatusBody {
  return typeof body === "object" && body !== null ? body : {};
}

function described(answer: Extract<Answer, { kind: "answered" }>, host: string): string {
  const { reason } = statusBody(answer.body);
  // A longer text is not a reason of the API.
  const word = reason !== undefined && /^[A-Za-z]{1,40}$/.test(reason) ? ` ${reason}` : "";
  return `(${String(answer.status)}${word} from ${host})`;
}

/**
 * Returns the policy or webhook in a message. The message begins with its name, and the rest may
 * quote the object.
 */
function admissionName(message = ""): string | undefined {
  const found =
    /(ValidatingAdmissionPolicy) '([A-Za-z0-9.-]{1,253})'/.exec(message.slice(0, 600)) ??
    /(admission webhook) "([A-Za-z0-9.-]{1,253})" denied/.exec(message.slice(0, 600));
  return found === null ? undefined : `${found[1] ?? ""} ${found[2] ?? ""}`;
}

function invalidFields(body: StatusBody): string | undefined {
  const fields = (body.details?.causes ?? []).flatMap(({ field }) => (field === undefined ? [] : [field]));
  return fields.length === 0 ? undefined : [...new Set(fields)].slice(0, 10).join(", ");
}
