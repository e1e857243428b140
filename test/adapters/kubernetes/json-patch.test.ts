import { describe, expect, it } from "vitest";
import { annotationPatch, jsonPatch } from "#adapters/kubernetes/json-patch";
import type { WorkloadPatch } from "#domain/workload/patch";
import { placesOf } from "#domain/workload/image-places";

const patch: WorkloadPatch = {
  workload: { cluster: "prod", namespace: "shop", kind: "Deployment", name: "api" },
  uid: "u-1",
  generation: 7,
  existingMaps: { labels: true, annotations: true, templateAnnotations: true, templateLabels: true },
  images: [{ list: "containers", index: 1, name: "app", from: "r/a:1", to: "r/a:2" }],
  updateLabel: { from: undefined, to: "abcdef-1" },
  annotations: {},
};

const head = [
  { op: "test", path: "/metadata/uid", value: "u-1" },
  { op: "test", path: "/metadata/generation", value: 7 },
];
const image = [
  { op: "test", path: "/spec/template/spec/containers/1/name", value: "app" },
  { op: "test", path: "/spec/template/spec/containers/1/image", value: "r/a:1" },
  { op: "replace", path: "/spec/template/spec/containers/1/image", value: "r/a:2" },
];
const label = [
  { op: "test", path: "/metadata/labels/lookout.dev~1update", value: null },
  { op: "add", path: "/metadata/labels/lookout.dev~1update", value: "abcdef-1" },
];
const restartPath = "/spec/template/metadata/annotations/kubectl.kubernetes.io~1restartedAt";

interface Row {
  readonly because: string;
  readonly given: Partial<WorkloadPatch>;
  readonly sent: readonly object[];
}

const labelOf = (key: string) => `/spec/template/metadata/labels/attribute.lookout.dev~1${key}`;

const rows: readonly Row[] = [
  {
    because: "labels of the pods: each change is under a test of the label before, and equal labels are not sent",
    given: {
      attributeLabels: { from: { same: "x", old: "y", version: "1" }, to: { same: "x", version: "2", pr: "12" } },
    },
    sent: [
      ...head,
      ...image,
      { op: "test", path: labelOf("old"), value: "y" },
      { op: "remove", path: labelOf("old") },
      { op: "test", path: labelOf("version"), value: "1" },
      { op: "test", path: labelOf("pr"), value: null },
      { op: "add", path: labelOf("version"), value: "2" },
      { op: "add", path: labelOf("pr"), value: "12" },
      ...label,
    ],
  },
  {
    because: "labels of pods without labels: the map is added, under a test that there is none",
    given: {
      existingMaps: { ...patch.existingMaps, templateLabels: false },
      attributeLabels: { from: {}, to: { pr: "12" } },
    },
    sent: [
      ...head,
      ...image,
      { op: "test", path: "/spec/template/metadata/labels", value: null },
      { op: "add", path: "/spec/template/metadata/labels", value: { "attribute.lookout.dev/pr": "12" } },
      ...label,
    ],
  },
  { because: "one image in an object that has labels", given: {}, sent: [...head, ...image, ...label] },
  {
    because: "an object without labels: the map is added, under a test that there is none",
    given: { images: [], existingMaps: { ...patch.existingMaps, labels: false } },
    sent: [
      ...head,
      { op: "test", path: "/metadata/labels", value: null },
      { op: "add", path: "/metadata/labels", value: { "lookout.dev/update": "abcdef-1" } },
    ],
  },
  {
    because: "an annotation to remove, which the object has, and one to set",
    given: { images: [], annotations: { "lookout.dev/status.a": undefined, "lookout.dev/status.b": "1" } },
    sent: [
      ...head,
      ...label,
      { op: "remove", path: "/metadata/annotations/lookout.dev~1status.a" },
      { op: "add", path: "/metadata/annotations/lookout.dev~1status.b", value: "1" },
    ],
  },
  {
    because: "annotations that the decision rests on, as a whole",
    given: { images: [], unchangedAnnotations: { "lookout.dev/policy": "semver", team: "shop" } },
    sent: [
      ...head,
      { op: "test", path: "/metadata/annotations", value: { "lookout.dev/policy": "semver", team: "shop" } },
      ...label,
    ],
  },
  {
    because: "the absence of annotations",
    given: {
      images: [],
      unchangedAnnotations: {},
      existingMaps: { ...patch.existingMaps, annotations: false },
    },
    sent: [...head, { op: "test", path: "/metadata/annotations", value: null }, ...label],
  },
  {
    because: "annotations to set, in a map that is there",
    given: { images: [], annotations: { "lookout.dev/status.phase": "rolling-out" } },
    sent: [
      ...head,
      ...label,
      { op: "add", path: "/metadata/annotations/lookout.dev~1status.phase", value: "rolling-out" },
    ],
  },
  {
    because: "a first restart of a template without annotations",
    given: {
      images: [],
      restart: { from: undefined, to: "2026-11-21T12:00:00Z" },
      existingMaps: { ...patch.existingMaps, templateAnnotations: false },
    },
    sent: [
      ...head,
      { op: "test", path: "/spec/template/metadata/annotations", value: null },
      {
        op: "add",
        path: "/spec/template/metadata/annotations",
        value: { "kubectl.kubernetes.io/restartedAt": "2026-11-21T12:00:00Z" },
      },
      ...label,
    ],
  },
  {
    because: "a restart after another",
    given: { images: [], restart: { from: "2026-11-20T12:00:00Z", to: "2026-11-21T12:00:00Z" } },
    sent: [
      ...head,
      { op: "test", path: restartPath, value: "2026-11-20T12:00:00Z" },
      { op: "add", path: restartPath, value: "2026-11-21T12:00:00Z" },
      ...label,
    ],
  },
  {
    because: "a restart that is rolled back",
    given: { images: [], restart: { from: "2026-11-21T12:00:00Z", to: undefined } },
    sent: [
      ...head,
      { op: "test", path: restartPath, value: "2026-11-21T12:00:00Z" },
      { op: "remove", path: restartPath },
      ...label,
    ],
  },
];

describe("a JSON Patch", () => {
  it.each(rows)("writes $because", ({ given, sent }) => {
    expect(jsonPatch(placesOf("Deployment"), { ...patch, ...given })).toEqual(sent);
  });

  it("finds the template of a CronJob inside the template of its Jobs", () => {
    const operations = jsonPatch(placesOf("CronJob"), { ...patch, workload: { ...patch.workload, kind: "CronJob" } });

    expect(operations.map(({ path }) => path)).toContain("/spec/jobTemplate/spec/template/spec/containers/1/image");
  });

  it("adds the first image of a field under the test of the generation, and claims no value", () => {
    const places = { kind: "fields", paths: { app: ["spec", "cache", "image"] } } as const;
    const first = { list: "containers", index: 0, name: "app", from: "r/a", isFirst: true, to: "r/a:2" } as const;

    expect(jsonPatch(places, { ...patch, images: [first] })).toEqual([
      ...head,
      { op: "add", path: "/spec/cache/image", value: "r/a:2" },
      ...label,
    ]);
  });

  it("fails when it expects a value in a missing map", () => {
    const given = {
      updateLabel: { from: "abcdef-1", to: "abcdef-2" },
      existingMaps: { ...patch.existingMaps, labels: false },
    };

    expect(jsonPatch(placesOf("Deployment"), { ...patch, ...given })).toContainEqual({
      op: "test",
      path: "/metadata/labels/lookout.dev~1update",
      value: "abcdef-1",
    });
  });
});

describe("the JSON Patch of one annotation", () => {
  const { workload, uid, generation } = patch;
  const given = { workload, uid, generation, hasAnnotations: true, key: "lookout.dev/status.a" };
  const path = "/metadata/annotations/lookout.dev~1status.a";

  it.each([
    {
      because: "a new key, under a test that it is absent",
      change: { from: undefined, to: "x" },
      sent: [
        { op: "test", path, value: null },
        { op: "add", path, value: "x" },
      ],
    },
    {
      because: "another value, under a test of the old one",
      change: { from: "x", to: "y" },
      sent: [
        { op: "test", path, value: "x" },
        { op: "add", path, value: "y" },
      ],
    },
    {
      because: "a removal, under a test of the value",
      change: { from: "x", to: undefined },
      sent: [
        { op: "test", path, value: "x" },
        { op: "remove", path },
      ],
    },
    {
      because: "the first annotation of an object, under a test that it has none",
      change: { from: undefined, to: "x", hasAnnotations: false },
      sent: [
        { op: "test", path: "/metadata/annotations", value: null },
        { op: "add", path: "/metadata/annotations", value: { "lookout.dev/status.a": "x" } },
      ],
    },
  ])("is $because", ({ change, sent }) => {
    expect(annotationPatch({ ...given, ...change })).toEqual([...head, ...sent]);
  });
});
