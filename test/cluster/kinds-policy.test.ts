import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { jsonPatch } from "#adapters/kubernetes/json-patch";
import type { CustomKindSpec } from "#domain/workload/custom/kind";
import { readyKinds } from "#domain/workload/custom/ready-rows";
import { giveAccess } from "./access.ts";
import { type ControlPlane, startControlPlane } from "./bed/control-plane.ts";
import { definitionOf, untilServed } from "./custom-kinds.ts";

const cache: CustomKindSpec = {
  ...readyKinds["clone-sets"],
  group: "cache.example.com",
  kind: "Cache",
  plural: "caches",
  images: {
    kind: "fields",
    paths: { server: ["spec", "image"], exporter: ["spec", "in", "my-image"], proxy: ["spec", "in", "proxy"] },
    initial: { exporter: "shop/exporter", proxy: "registry.test:5000/shop/proxy" },
  },
};
const pool: CustomKindSpec = {
  ...readyKinds["clone-sets"],
  group: "pool.example.com",
  kind: "Pool",
  plural: "pools",
  images: { kind: "template", path: ["spec", "package", "pod-template"] },
};
const service = readyKinds["knative-services"];
const kinds = [cache, pool, service];

const template = { metadata: { labels: { app: "x" } }, spec: { containers: [{ name: "app", image: "shop/app:1" }] } };
const specs = new Map<CustomKindSpec, object>([
  [cache, { image: "shop/cache:1", size: 3, in: { "my-image": "shop/exporter:1", port: 9 } }],
  [pool, { size: 3, package: { strategy: "one", "pod-template": template } }],
  [service, { template, traffic: [{ percent: 100 }] }],
]);

let plane: ControlPlane;

beforeAll(async () => {
  plane = await startControlPlane({ controllers: false });
  await plane.apply(kinds.map(definitionOf));
  for (const kind of kinds) await untilServed(plane, kind);
  await giveAccess(plane, { kinds });
  const metadata = { name: "x", annotations: { "serving.knative.dev/lastModifier": "admin" } };
  await plane.apply(
    kinds.map((kind) => ({
      apiVersion: `${kind.group}/${kind.version}`,
      kind: kind.kind,
      metadata,
      spec: specs.get(kind),
    })),
  );
});

afterAll(async () => {
  await plane.stop();
});

type Operation = readonly [op: "add" | "replace" | "remove", path: string, value?: unknown];

/** Returns `written`, or the rule of the policy that denies a patch by Lookout. */
async function patchedByLookout(
  { plural, group }: CustomKindSpec,
  ...operations: readonly Operation[]
): Promise<string> {
  const patch = JSON.stringify(operations.map(([op, path, value]) => ({ op, path, value })));
  const asLookout = ["--kubeconfig", plane.kubeconfigFor("lookout")];
  const words = ["patch", "--dry-run=server", `${plural}.${group}`, "x", "--type=json", "-p", patch];
  const answer = plane.kubectl(...asLookout, ...words).then(() => "written");
  return answer.catch((error: unknown) => /denied request: (.*)/.exec(String(error))?.[1] ?? String(error));
}

const onlyTemplate = "Lookout may change only the pod template of a workload";
const onlyImages =
  "Lookout may change only the tag and digest of a container's image, and must not add, remove, rename or move containers";
const onlyCache = "Lookout may change only the tag and digest of the images of a Cache";
const digest = `sha256:${"a".repeat(64)}`;

describe("the policy of kinds of other operators", () => {
  it.each<readonly [string, CustomKindSpec, readonly Operation[], string]>([
    [
      "an image of a template",
      pool,
      [["replace", "/spec/package/pod-template/spec/containers/0/image", `shop/app:2@${digest}`]],
      "written",
    ],
    [
      "another repository",
      pool,
      [["replace", "/spec/package/pod-template/spec/containers/0/image", "evil/app:2"]],
      onlyImages,
    ],
    ["a field beside the template", pool, [["replace", "/spec/package/strategy", "all"]], onlyTemplate],
    ["a field of the spec", pool, [["replace", "/spec/size", 5]], onlyTemplate],
    [
      "a label",
      pool,
      [["add", "/metadata/labels", { team: "red" }]],
      "Lookout may change only the label lookout.dev/update",
    ],
    ["Lookout's own label", pool, [["add", "/metadata/labels", { "lookout.dev/update": "abcdef-1" }]], "written"],
    ["a single image", cache, [["replace", "/spec/image", `shop/cache:2@${digest}`]], "written"],
    ["a nested single image", cache, [["replace", "/spec/in/my-image", "shop/exporter:2"]], "written"],
    ["another repository of a single image", cache, [["replace", "/spec/in/my-image", "evil/exporter:2"]], onlyCache],
    ["a first image", cache, [["add", "/spec/in/proxy", `registry.test:5000/shop/proxy:1@${digest}`]], "written"],
    ["a first image of another repository", cache, [["add", "/spec/in/proxy", "shop/exporter:1"]], onlyCache],
    [
      "a first image of a longer repository",
      cache,
      [["add", "/spec/in/proxy", "registry.test:5000/shop/proxy-evil:1"]],
      onlyCache,
    ],
    ["a removed image with a repository for first ones", cache, [["remove", "/spec/in/my-image"]], onlyCache],
    [
      "an image by the repository of the first one of another container",
      cache,
      [["replace", "/spec/in/my-image", "registry.test:5000/shop/proxy:1"]],
      onlyCache,
    ],
    ["a field beside a single image", cache, [["replace", "/spec/in/port", 10]], onlyCache],
    ["a field of a kind with single images", cache, [["replace", "/spec/size", 5]], onlyCache],
    [
      "the annotation that Knative writes at each change",
      service,
      [
        ["replace", "/spec/template/spec/containers/0/image", "shop/app:2"],
        ["replace", "/metadata/annotations/serving.knative.dev~1lastModifier", "lookout"],
      ],
      "written",
    ],
    ["the traffic of a Service", service, [["replace", "/spec/traffic/0/percent", 50]], onlyTemplate],
  ])("judges a change of %s", async (_, kind, operations, verdict) => {
    expect(await patchedByLookout(kind, ...operations)).toBe(verdict);
  });

  it("lets a first image be written, and not after another change of the object", async () => {
    const asLookout = ["--kubeconfig", plane.kubeconfigFor("lookout")];
    const read = async () =>
      JSON.parse(await plane.kubectl("get", "caches.cache.example.com", "x", "-o", "json")) as {
        readonly metadata: { readonly uid: string; readonly generation: number };
        readonly spec: { readonly in: { readonly proxy?: string } };
      };
    const to = "registry.test:5000/shop/proxy:1";
    const first = { list: "containers", index: 2, name: "proxy", from: "registry.test:5000/shop/proxy" } as const;
    const write = ({ metadata: { uid, generation } }: Awaited<ReturnType<typeof read>>) => {
      const patch = jsonPatch(cache.images, {
        workload: { cluster: "test", namespace: "default", kind: "cache.cache.example.com", name: "x" },
        uid,
        generation,
        existingMaps: { labels: false, annotations: true, templateAnnotations: false, templateLabels: false },
        images: [{ ...first, isFirst: true, to }],
        updateLabel: { from: undefined, to: "abcdef-1" },
        annotations: {},
      });
      const words = ["patch", "caches.cache.example.com", "x", "--type=json", "-p", JSON.stringify(patch)];
      return plane.kubectl(...asLookout, ...words);
    };
    const before = await read();
    const byOthers = JSON.stringify({ spec: { in: { proxy: "shop/other:1" } } });
    await plane.kubectl("patch", "caches.cache.example.com", "x", "--type=merge", "-p", byOthers);

    await expect(write(before)).rejects.toThrow("The request is invalid");
    expect((await read()).spec.in.proxy).toBe("shop/other:1");
    const removed = JSON.stringify({ spec: { in: { proxy: null } } });
    await plane.kubectl("patch", "caches.cache.example.com", "x", "--type=merge", "-p", removed);
    await write(await read());
    expect((await read()).spec.in.proxy).toBe(to);
  });

  it("gives Lookout no right to change a status", async () => {
    const asLookout = ["--kubeconfig", plane.kubeconfigFor("lookout")];
    const words = ["patch", "caches.cache.example.com", "x", "--subresource=status", "--type=merge", "-p", "{}"];

    await expect(plane.kubectl(...asLookout, ...words)).rejects.toThrow(/Forbidden|forbidden/);
  });
});
