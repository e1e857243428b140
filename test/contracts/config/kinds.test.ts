import { describe, expect, it } from "vitest";
import { parseConfiguration } from "#contracts/config/configuration";
import { readyKinds } from "#domain/workload/custom/ready-rows";

const cache = {
  group: "cache.example.com",
  version: "v1",
  kind: "Cache",
  plural: "caches",
  template: "spec.pods",
  pods: { selector: "spec.selector" },
  ready: [{ condition: "Ready" }],
};

/** The problems of an entry, or of entries. */
function problemsOf(...kinds: readonly unknown[]): readonly string[] {
  const parsed = parseConfiguration({ kinds });
  return parsed.ok ? [] : parsed.problem.map(({ path, message }) => `${path} ${message}`);
}

const without = (key: keyof typeof cache) => Object.fromEntries(Object.entries(cache).filter(([one]) => one !== key));

describe("kinds of lookout.yaml", () => {
  it("may be ready rows, by their names", () => {
    const parsed = parseConfiguration({ kinds: ["argo-rollouts", "knative-services", "clone-sets"] });

    expect(parsed.ok && parsed.value.kinds).toEqual(Object.values(readyKinds));
  });

  it("may be rows of any operator", () => {
    const parsed = parseConfiguration({
      kinds: [
        cache,
        {
          ...without("template"),
          kind: "Database",
          plural: "databases",
          images: { server: "spec.image", exporter: "spec.metrics.image" },
          pods: { labels: { "example.com/database": "metadata.name" } },
          revision: { label: "example.com/revision", path: "status.revision" },
          replicas: "spec.size",
          observedGeneration: false,
          ready: [
            { path: "status.phase", is: ["Running", "Idle"] },
            { path: "status.ready", equals: "spec.size" },
          ],
          failed: [{ condition: "Ready", status: "False", reason: "ImageError" }],
          paused: [{ path: "spec.paused", is: true }],
          message: "status.message",
        },
      ],
    });

    const usual = { failed: [], paused: [], scalesToZero: false, refused: [], annotationsOfOperator: [] };
    expect(parsed.ok && parsed.value.kinds).toEqual([
      {
        ...usual,
        group: "cache.example.com",
        version: "v1",
        kind: "Cache",
        plural: "caches",
        images: { kind: "template", path: ["spec", "pods"] },
        pods: { kind: "selector", path: ["spec", "selector"] },
        observedGeneration: ["status", "observedGeneration"],
        ready: [{ kind: "condition", type: "Ready", status: "True" }],
      },
      {
        ...usual,
        group: "cache.example.com",
        version: "v1",
        kind: "Database",
        plural: "databases",
        images: { kind: "fields", paths: { server: ["spec", "image"], exporter: ["spec", "metrics", "image"] } },
        pods: { kind: "labels", labels: { "example.com/database": ["metadata", "name"] } },
        revision: { label: "example.com/revision", path: ["status", "revision"] },
        replicas: ["spec", "size"],
        ready: [
          { kind: "value", path: ["status", "phase"], values: ["Running", "Idle"] },
          { kind: "same", path: ["status", "ready"], other: ["spec", "size"] },
        ],
        failed: [{ kind: "condition", type: "Ready", status: "False", reason: "ImageError" }],
        paused: [{ kind: "value", path: ["spec", "paused"], values: [true] }],
        message: ["status", "message"],
      },
    ]);
  });

  it("may name the repositories of first images", () => {
    const server = { images: { server: "spec.image" }, initialImages: { server: "registry.example.com:5000/cache" } };
    const parsed = parseConfiguration({ kinds: [{ ...without("template"), ...server }] });

    expect(parsed.ok && parsed.value.kinds[0]?.images).toEqual({
      kind: "fields",
      paths: { server: ["spec", "image"] },
      initial: { server: "registry.example.com:5000/cache" },
    });
  });

  it.each([
    ["a tag", "registry.example.com/cache:1.0"],
    ["a digest", `registry.example.com/cache@sha256:${"a".repeat(64)}`],
    ["an address", "https://registry.example.com/cache"],
    ["no text", ""],
    ["a host that is none", "my_host.example/cache"],
    ["a number", 7],
  ])("refuses a repository with %s for first images", (_, repository) => {
    const row = { ...without("template"), images: { server: "spec.image" }, initialImages: { server: repository } };

    expect(problemsOf(row)).toEqual([
      "kinds[0].initialImages.server expected a repository without tag and digest, such as registry.example.com/cache",
    ]);
  });

  it.each([
    [
      "an unknown row",
      ["argo-rollout"],
      "kinds[0] expected argo-rollouts, knative-services, clone-sets, or a mapping with group, version, kind and plural; did you mean argo-rollouts?",
    ],
    [
      "two rows of one kind",
      ["argo-rollouts", "argo-rollouts"],
      "kinds[1] Rollout of argoproj.io is already entry [0] of this list",
    ],
    [
      "a row of the kind of a ready row",
      ["argo-rollouts", { ...cache, group: "argoproj.io", kind: "Rollout", plural: "rollouts" }],
      "kinds[1] Rollout of argoproj.io is already entry [0] of this list",
    ],
    [
      "a kind that is built in",
      [{ ...cache, group: "apps", kind: "Deployment", plural: "deployments" }],
      "kinds[0].group is a group of Kubernetes: Lookout knows Deployment, StatefulSet, DaemonSet without an entry",
    ],
    [
      "a group without a dot",
      [{ ...cache, group: "example" }],
      "kinds[0].group has no dot, and each custom resource has one",
    ],
    [
      "a path that is none",
      [{ ...cache, template: "spec..pods" }],
      "kinds[0].template expected the path of a field, such as spec.image; it begins with spec.",
    ],
    [
      "a path with an index",
      [{ ...cache, template: "spec.pods[0]" }],
      "kinds[0].template expected the path of a field, such as spec.image; it begins with spec.",
    ],
    [
      "a template outside of the spec",
      [{ ...cache, template: "status.template" }],
      "kinds[0].template expected the path of a field, such as spec.image; it begins with spec.",
    ],
    ["no images", [without("template")], "kinds[0] needs either template or images"],
    [
      "a first image of a container without a path",
      [{ ...without("template"), images: { server: "spec.image" }, initialImages: { serve: "r.example/cache" } }],
      "kinds[0].initialImages.serve is no container of images; did you mean server?",
    ],
    [
      "first images of a template",
      [{ ...cache, initialImages: { server: "r.example/cache" } }],
      "kinds[0].initialImages.server needs images, because Lookout adds no container to a pod template",
    ],
    [
      "images and a template",
      [{ ...cache, images: { app: "spec.image" } }],
      "kinds[0] needs either template or images",
    ],
    [
      "two ways to the pods",
      [{ ...cache, pods: { selector: "spec.selector", owner: true } }],
      "kinds[0].pods expected one of selector, labels and owner: true",
    ],
    ["no way to the pods", [{ ...cache, pods: {} }], "kinds[0].pods expected one of selector, labels and owner: true"],
    ["nothing that is ready", [{ ...cache, ready: [] }], "kinds[0].ready expected at least one entry"],
    [
      "a statement of two forms",
      [{ ...cache, ready: [{ condition: "Ready", path: "status.phase" }] }],
      "kinds[0].ready[0] expected a condition, or a path with is or equals",
    ],
    [
      "a path without a value",
      [{ ...cache, ready: [{ path: "status.phase" }] }],
      "kinds[0].ready[0] expected a condition, or a path with is or equals",
    ],
    [
      "a status without quotes",
      [{ ...cache, ready: [{ condition: "Ready", status: true }] }],
      'kinds[0].ready[0].status expected "True", "False" or "Unknown", in quotes',
    ],
    [
      "a scale to zero that nothing proves",
      [{ ...cache, scalesToZero: true, observedGeneration: false }],
      "kinds[0].scalesToZero needs observedGeneration, because without pods nothing else shows that the status is new",
    ],
    [
      "a misspelt key",
      [{ ...cache, templat: "spec.template" }],
      "kinds[0].templat is not a known key here; did you mean template?",
    ],
    [
      "a number",
      [7],
      "kinds[0] expected a kind: argo-rollouts, knative-services, clone-sets, or a mapping with group, version, kind and plural",
    ],
  ])("may not be %s", (_, kinds, message) => {
    expect(problemsOf(...kinds)).toEqual([message]);
  });
});
