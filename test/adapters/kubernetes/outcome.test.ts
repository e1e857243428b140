import { describe, expect, it } from "vitest";
import { type Answer, failedAnswer } from "#adapters/kubernetes/connection-answer";
import type { PatchOutcome } from "#ports/cluster";
import { patchOutcome, refusal } from "#adapters/kubernetes/outcome";
import { liveWorkload } from "./live-object.ts";

const workload = { cluster: "prod", namespace: "shop", kind: "Deployment", name: "api" } as const;
const secret = "PASSWORD=hunter2";
const answered = (status: number, body?: unknown): Answer => ({ kind: "answered", status, body });
const forbidden = (message: string) => ({ kind: "Status", reason: "Forbidden", message, code: 403 });

const away = (status: number): PatchOutcome => ({
  kind: "unreachable",
  detail: `Lookout could not patch (${status} from k8s.test)`,
});

interface Row {
  readonly because: string;
  readonly answer: Answer;
  readonly outcome: object;
}

const rows: readonly Row[] = [
  {
    because: "a bare 422 is a guard that failed",
    answer: answered(422, {
      reason: "Invalid",
      details: {},
      message: "the server rejected our request due to an error in our request",
    }),
    outcome: { kind: "read-again" },
  },
  {
    because: "a 422 with causes names the fields alone",
    answer: answered(422, {
      reason: "Invalid",
      message: `Deployment.apps "api" is invalid: ${secret}`,
      details: { causes: [{ field: "spec.template.spec.containers[0].image", message: secret }] },
    }),
    outcome: { kind: "invalid", detail: "spec.template.spec.containers[0].image" },
  },
  {
    because: "a policy denies with its default reason",
    answer: answered(422, {
      reason: "Invalid",
      message: `deployments.apps "api" is forbidden: ValidatingAdmissionPolicy 'images' with binding 'images' denied request: ${secret}`,
      details: { causes: [{ message: secret }] },
    }),
    outcome: { kind: "denied-by-admission", detail: "ValidatingAdmissionPolicy images" },
  },
  {
    because: "a webhook denies",
    answer: answered(403, forbidden(`admission webhook "check.example.com" denied the request: ${secret}`)),
    outcome: { kind: "denied-by-admission", detail: "admission webhook check.example.com" },
  },
  {
    because: "the right is missing",
    answer: answered(403, forbidden(`User "lookout" cannot patch resource ${secret}`)),
    outcome: {
      kind: "denied",
      detail: "Lookout may not patch (403 Forbidden from k8s.test): run lookout cluster manifests | kubectl apply -f -",
    },
  },
  {
    because: "the token is unknown",
    answer: answered(401, { reason: "Unauthorized" }),
    outcome: { kind: "denied", detail: "Lookout may not patch (401 Unauthorized from k8s.test)" },
  },
  {
    because: "the object is not there",
    answer: answered(404, { reason: "NotFound", details: { name: "api" } }),
    outcome: { kind: "gone" },
  },
  { because: "a proxy knows no such page", answer: answered(404, undefined), outcome: away(404) },
  { because: "there was a conflict", answer: answered(409, { reason: "Conflict" }), outcome: { kind: "read-again" } },
  { because: "there were too many requests", answer: answered(429, {}), outcome: away(429) },
  {
    because: "the server failed, perhaps after the write",
    answer: answered(503, undefined),
    outcome: { kind: "failed", detail: "Lookout could not patch (503 from k8s.test)" },
  },
  {
    because: "the server gave up waiting for itself",
    answer: answered(504, undefined),
    outcome: { kind: "unknown", detail: "the server's own time limit ended (504 from k8s.test)" },
  },
  {
    because: "an answer is no object",
    answer: answered(200, undefined),
    outcome: { kind: "unknown", detail: "an answer without the object from k8s.test" },
  },
  {
    because: "the body is refused as a whole",
    answer: answered(415, { reason: "UnsupportedMediaType", message: secret }),
    outcome: { kind: "invalid", detail: "(415 UnsupportedMediaType from k8s.test)" },
  },
  {
    because: "nobody listens",
    answer: failedAnswer(Object.assign(new Error(secret), { code: "ECONNREFUSED" }), "k8s.test"),
    outcome: {
      kind: "unreachable",
      detail: "no connection to k8s.test (ECONNREFUSED): check its address, and whether the API server is up",
    },
  },
  {
    because: "the certificate is not the right one, deep in the cause",
    answer: failedAnswer(
      new Error(secret, { cause: Object.assign(new Error(secret), { code: "CERT_HAS_EXPIRED" }) }),
      "k8s.test",
    ),
    outcome: {
      kind: "unreachable",
      detail: "no connection to k8s.test (CERT_HAS_EXPIRED): renew the server's certificate",
    },
  },
  {
    because: "nobody vouches for the certificate",
    answer: failedAnswer(Object.assign(new Error(secret), { code: "DEPTH_ZERO_SELF_SIGNED_CERT" }), "k8s.test"),
    outcome: {
      kind: "unreachable",
      detail:
        "no connection to k8s.test (DEPTH_ZERO_SELF_SIGNED_CERT): the kubeconfig needs the certificate-authority of this server",
    },
  },
  {
    because: "the server speaks plain HTTP",
    answer: failedAnswer(Object.assign(new Error(secret), { code: "ERR_SSL_WRONG_VERSION_NUMBER" }), "k8s.test"),
    outcome: {
      kind: "unknown",
      detail:
        "no answer from k8s.test (ERR_SSL_WRONG_VERSION_NUMBER): the server speaks plain HTTP, check its address and port",
    },
  },
  {
    because: "the connection is lost",
    answer: failedAnswer(Object.assign(new Error(secret), { code: "UND_ERR_SOCKET" }), "k8s.test"),
    outcome: { kind: "unknown", detail: "no answer from k8s.test (UND_ERR_SOCKET)" },
  },
  {
    because: "there was no answer in time",
    answer: failedAnswer(new DOMException(secret, "TimeoutError"), "k8s.test"),
    outcome: {
      kind: "unknown",
      detail: "no answer from k8s.test (TimeoutError): check the network and the load of the API server",
    },
  },
];

describe("the outcome of a patch", () => {
  it.each(rows)("when $because", ({ answer, outcome }) => {
    expect(patchOutcome(answer, (object) => liveWorkload(workload, object), "k8s.test")).toEqual(outcome);
  });
});

describe("a refused read", () => {
  it.each([
    {
      status: 403,
      kind: "denied",
      detail:
        "Lookout may not list pods (403 Forbidden from k8s.test): run lookout cluster manifests | kubectl apply -f -",
    },
    { status: 500, kind: "unreachable", detail: "Lookout could not list pods (500 Forbidden from k8s.test)" },
    { status: 200, kind: "unreachable", detail: "k8s.test does not answer as a Kubernetes API (200)" },
    { status: 302, kind: "unreachable", detail: "k8s.test does not answer as a Kubernetes API (302)" },
  ])("with $status is $kind", ({ status, kind, detail }) => {
    expect(refusal(answered(status, forbidden(secret)), "list pods", "k8s.test")).toEqual({ kind, detail });
  });
});
