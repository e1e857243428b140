import { describe, expect, it } from "vitest";
import { KubernetesObjectSchema } from "#contracts/kubernetes/workload-object";
import { readValue } from "#contracts/read-value";

describe("a fault of a Kubernetes object", () => {
  it.each([
    [{ metadata: { anotations: {} } }, "metadata.anotations: is not known here; did you mean annotations?"],
    [{ metadata: { nmae: "api" } }, "metadata.nmae: is not known here; did you mean name?"],
    [{ spec: { Template: {} } }, "spec.Template: is not known here; did you mean template?"],
    [
      { spec: { template: { spec: { container: [] } } } },
      "spec.template.spec.container: is not known here; did you mean containers?",
    ],
    [
      { spec: { template: { spec: { containers: [], initContainer: [] } } } },
      "spec.template.spec.initContainer: is not known here; did you mean initContainers?",
    ],
    [
      { spec: { template: { spec: { containers: [{ name: "api", imgae: "nginx" }] } } } },
      "spec.template.spec.containers[0].imgae: is not known here; did you mean image?",
    ],
    [{ spec: { template: [] } }, "spec.template: expected an object, not []"],
    [{ metadata: { name: 7 } }, "metadata.name: expected a text, not 7"],
    [{ metadata: { annotations: ["a"] } }, 'metadata.annotations: expected an object, not ["a"]'],
  ])("is reported with its place: %j", (part, told) => {
    const spec = { template: { spec: { containers: [] } } };
    const object = { apiVersion: "apps/v1", kind: "Deployment", metadata: {}, spec, ...part };

    expect(readValue(KubernetesObjectSchema, object)).toEqual({ ok: false, problem: told });
  });
});

/**
 * Members that Kubernetes knows and that are not read here; those whose names are short or alike.
 */
const members = {
  metadata: [
    "labels",
    "generateName",
    "uid",
    "ownerReferences",
    "finalizers",
    "managedFields",
    "selfLink",
    "generation",
  ],
  spec: [
    "replicas",
    "selector",
    "strategy",
    "updateStrategy",
    "serviceName",
    "volumeClaimTemplates",
    "paused",
    "ordinals",
  ],
  pod: [
    "ephemeralContainers",
    "volumes",
    "hostname",
    "nodeName",
    "hostIPC",
    "hostPID",
    "overhead",
    "os",
    "tolerations",
  ],
  container: ["command", "args", "env", "envFrom", "ports", "imagePullPolicy", "tty", "stdin", "lifecycle"],
};

it("other members of Kubernetes do not count as misspelt", () => {
  const some = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, null]));
  const containers = [{ ...some(members.container), name: "api", image: "nginx" }];
  const template = { metadata: {}, spec: { ...some(members.pod), containers } };
  const object = {
    ...{ apiVersion: "apps/v1", kind: "StatefulSet", metadata: some(members.metadata), status: {} },
    spec: { ...some(members.spec), template },
  };

  expect(readValue(KubernetesObjectSchema, object)).toMatchObject({ ok: true });
});
