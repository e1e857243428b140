import { describe, expect, it } from "vitest";
import { denialOf } from "#domain/workload/pod-denial";
import type { FaultKind } from "#domain/workload/pod-fault";

const secret = "PASSWORD=hunter2";

describe("pods that the API server does not create", () => {
  it.each<[string, FaultKind, string]>([
    [`pods "x" is forbidden: exceeded quota: team, requested: pods=1 ${secret}`, "quota", "quota team is exceeded"],
    [
      `pods "x" is forbidden: status unknown for quota: team, resources: pods`,
      "quota",
      "the use of quota team is not known yet",
    ],
    [
      `pods "x" is forbidden: failed quota: team: must specify limits.cpu for: app ${secret}`,
      "denied",
      "quota team asks for requests or limits that the pods don't name",
    ],
    [`admission webhook "a.b" denied the request: ${secret}`, "denied", "denied by admission webhook a.b"],
    [`admission webhook "a.b" denied the request: exceeded quota: team`, "denied", "denied by admission webhook a.b"],
    [
      `Error creating: Internal error occurred: failed calling webhook "a.b": Post "https://x": ${secret}`,
      "webhook",
      "admission webhook a.b gives no answer",
    ],
    [
      `pods "x" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'p' denied request: ${secret}`,
      "denied",
      "denied by ValidatingAdmissionPolicy p",
    ],
    [
      `Pod "x" is invalid: spec.containers[0].image: Invalid value: " nginx": ${secret}`,
      "final",
      "Invalid value in spec.containers[0].image of the pod",
    ],
    [
      `pods "x" is forbidden: violates PodSecurity "restricted:latest": ${secret}`,
      "denied",
      "violates PodSecurity restricted:latest",
    ],
    [`violates PodSecurity ${secret}`, "denied", "violates PodSecurity"],
    [secret, "lasting", "the cluster rejects the pods"],
    [`${"x".repeat(5_000)} exceeded quota: team`, "lasting", "the cluster rejects the pods"],
  ])("%#: %s", (message, kind, detail) => {
    expect(denialOf(message)).toEqual({ kind, detail: `FailedCreate: ${detail}` });
  });

  it("have no message", () => {
    expect(denialOf()).toEqual({ kind: "lasting", detail: "FailedCreate: the cluster rejects the pods" });
  });
});
