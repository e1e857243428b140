import { describe, expect, it } from "vitest";
import { ElectLineSchema, ImageLineSchema, readLine } from "#contracts/batch/lines";
import { WorkloadLineSchema } from "#contracts/kubernetes/workload-object";

const image = (line: string) => readLine(ImageLineSchema, line);

describe("a fault of a line", () => {
  it.each([
    ['{"reference":7}', "reference: expected a text, not 7"],
    ['{"reference":{"a":{"b":{"c":{}}}}}', 'reference: expected a text, not {"a":{"b":{"c":…}}}'],
    ['{"refrence":"nginx"}', "refrence: is not known here; did you mean reference?"],
    ['{"reference":"a","pull":true}', "pull: is not known here"],
    ["null", "the line: expected an object, not null"],
    ['{"reference":"a"', "not JSON: character 17: expected a comma or }, not the end"],
  ])("is reported with its place and value: %s", (line, told) => {
    expect(image(line)).toEqual({ ok: false, problem: told });
  });

  it("shows only the beginning of a long value, and whole characters", () => {
    const long = `{"reference":["${"x".repeat(57)}${"🎉".repeat(100_000)}"]}`;

    expect(image(long)).toEqual({ ok: false, problem: `reference: expected a text, not ["${"x".repeat(57)}…` });
  });

  it.each([
    ["a name", `{"${"🎉".repeat(100_000)}":1}`],
    ["a list", `{"reference":[${'"🎉",'.repeat(100_000)}1]}`],
    ["a depth", `{"reference":${"[".repeat(100_000)}${"]".repeat(100_000)}}`],
    ["what is no JSON", "🎉".repeat(100_000)],
  ])("is reported in few words for a long %s", (_, line) => {
    const told = image(line);

    expect(told.ok || told.problem.length).toBeLessThan(300);
    expect(told.ok || told.problem.isWellFormed()).toBe(true);
  });

  it("is reported within the chosen form", () => {
    const line = '{"policy":{"kind":"latest"},"tags":["a",{"name":"b","movedat":"2026-01-01T00:00:00Z"}]}';

    expect(readLine(ElectLineSchema, line)).toEqual({
      ok: false,
      problem: "tags[1].movedat: is not known here; did you mean movedAt?",
    });
  });

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
  ])("is reported for a Kubernetes object: %j", (part, told) => {
    const spec = { template: { spec: { containers: [] } } };
    const object = { apiVersion: "apps/v1", kind: "Deployment", metadata: {}, spec, ...part };

    expect(readLine(WorkloadLineSchema, JSON.stringify(object))).toEqual({ ok: false, problem: told });
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

  expect(readLine(WorkloadLineSchema, JSON.stringify(object))).toMatchObject({ ok: true });
});
