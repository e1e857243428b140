import type { WorkloadKind } from "#domain/workload/kinds";
import { noRight, requests, type Write } from "./admission-requests.ts";

/** An operation of a JSON Patch. */
interface Operation {
  readonly op: "add" | "replace" | "remove" | "move";
  readonly path: string;
  readonly value?: unknown;
  readonly from?: string;
}

type Row = readonly [write: string, operations: (template: string) => readonly Operation[], verdict?: string];

export const everyKind: readonly WorkloadKind[] = ["Deployment", "StatefulSet", "DaemonSet", "CronJob"];

export const templateOf = (kind: WorkloadKind): string =>
  kind === "CronJob" ? "/spec/jobTemplate/spec/template" : "/spec/template";

export const digest = `sha256:${"1f".repeat(32)}`;
const annotation = (key: string): string => `/metadata/annotations/${key.replaceAll("/", "~1")}`;
const label = (key: string): string => `/metadata/labels/${key.replaceAll("/", "~1")}`;
const replace = (path: string, value: unknown): Operation => ({ op: "replace", path, value });
const add = (path: string, value: unknown): Operation => ({ op: "add", path, value });
const remove = (path: string): Operation => ({ op: "remove", path });

const image = (t: string, value: string): Operation => replace(`${t}/spec/containers/0/image`, value);
const restartedAt = (t: string): string => `${t}/metadata/annotations/kubectl.kubernetes.io~1restartedAt`;
const attribute = (t: string, key: string): string => `${t}/metadata/labels/attribute.lookout.dev~1${key}`;
const updateLabel = add(label("lookout.dev/update"), "abcdef-7");

/** The policy's message for each denied write. */
export const sentences = {
  label: "Lookout may change only the label lookout.dev/update",
  annotation: "Lookout may change only the annotations lookout.dev/status.*",
  metadata: "Lookout must not change owners, finalizers or other metadata",
  spec: "Lookout may change only the pod template of a workload",
  podMetadata:
    "Lookout may change only the annotation kubectl.kubernetes.io/restartedAt and the labels attribute.lookout.dev/* of the pod template",
  pod: "Lookout may change only the images in the pod template",
  container:
    "Lookout may change only the tag and digest of a container's image, and must not add, remove, rename or move containers",
  volume: "Lookout may change only the tag and digest of a volume's image",
} as const;

/** The writes that Lookout makes. Each is allowed for every kind. */
const allowed: readonly Row[] = [
  ["another tag", (t) => [image(t, "registry.test:5000/shop/app:1.1.0")]],
  ["a digest", (t) => [image(t, `registry.test:5000/shop/app@${digest}`)]],
  ["tag, digest and label", (t) => [image(t, `registry.test:5000/shop/app:1.1.0@${digest}`), updateLabel]],
  ["the image of an init container", (t) => [replace(`${t}/spec/initContainers/0/image`, `shop/migrate:2@${digest}`)]],
  ["the image of a sidecar", (t) => [replace(`${t}/spec/initContainers/1/image`, "nginx:1.28")]],
  ["an image volume", (t) => [replace(`${t}/spec/volumes/1/image/reference`, "registry.test/shop/model:2")]],
  [
    "everything at once",
    (t) => [
      image(t, "registry.test:5000/shop/app:2"),
      replace(`${t}/spec/containers/1/image`, "nginx"),
      replace(`${t}/spec/initContainers/0/image`, "shop/migrate:2"),
      updateLabel,
      add(annotation("lookout.dev/status.available-update"), "2"),
    ],
  ],
  ["a label of the pods with an attribute", (t) => [add(attribute(t, "version"), "1.1.0")]],
  ["the label alone", () => [updateLabel]],
  ["a status annotation", () => [add(annotation("lookout.dev/status.state"), "held")]],
  ["a restart", (t) => [add(restartedAt(t), "2026-11-21T12:00:00Z"), updateLabel]],
];

/** The writes that the policy denies for every kind. */
const denied: readonly Row[] = [
  ["another repository", (t) => [image(t, "registry.test:5000/shop/miner:1.0.0")], sentences.container],
  ["another host", (t) => [image(t, "evil.test/shop/app:1.0.0")], sentences.container],
  [
    "an environment variable",
    (t) => [add(`${t}/spec/containers/0/env`, [{ name: "A", value: "b" }])],
    sentences.container,
  ],
  ["a command", (t) => [add(`${t}/spec/containers/0/command`, ["sh"])], sentences.container],
  ["another container", (t) => [add(`${t}/spec/containers/-`, { name: "x", image: "nginx" })], sentences.container],
  ["a label of the pods", (t) => [add(`${t}/metadata/labels/tier`, "web")], sentences.podMetadata],
  [
    "a label of the pods without a name",
    (t) => [add(`${t}/metadata/labels/attribute.lookout.dev`, "x")],
    sentences.podMetadata,
  ],
  ["a policy of people", () => [replace(annotation("lookout.dev/policy"), "digest")], sentences.annotation],
  ["a foreign annotation", () => [add(annotation("example.com/note"), "x")], sentences.annotation],
  ["a foreign label", () => [add(label("team"), "red")], sentences.label],
  ["a finalizer", () => [add("/metadata/finalizers", ["example.com/stay"])], sentences.metadata],
  [
    "a volume of the host",
    (t) => [add(`${t}/spec/volumes/-`, { name: "h", hostPath: { path: "/" } })],
    sentences.volume,
  ],
];

/** The writes to a Deployment that the policy denies. */
const deniedOfDeployment: readonly Row[] = [
  ["a repository that begins alike", (t) => [image(t, "registry.test:5000/shop/app-evil:1.0.0")], sentences.container],
  ["a repository below it", (t) => [image(t, "registry.test:5000/shop/app/evil:1.0.0")], sentences.container],
  ["a path behind a tag", (t) => [image(t, "registry.test:5000/shop/app:1/evil")], sentences.container],
  ["another port", (t) => [image(t, "registry.test:5001/shop/app:1.0.0")], sentences.container],
  ["another spelling of the host", (t) => [image(t, "Registry.test:5000/shop/app:1.0.0")], sentences.container],
  [
    "a digest of no algorithm",
    (t) => [image(t, `registry.test:5000/shop/app@md5:${"0".repeat(32)}`)],
    sentences.container,
  ],
  [
    "a host before a short name",
    (t) => [replace(`${t}/spec/containers/1/image`, "evil.test/nginx:1")],
    sentences.container,
  ],
  ["a path below a short name", (t) => [replace(`${t}/spec/containers/1/image`, "nginx/evil:1")], sentences.container],
  [
    "the repository of an init container",
    (t) => [replace(`${t}/spec/initContainers/0/image`, "shop/evil:1")],
    sentences.container,
  ],
  [
    "another image for one of two",
    (t) => [image(t, "registry.test:5000/shop/app:2"), replace(`${t}/spec/containers/1/image`, "evil:1")],
    sentences.container,
  ],
  ["when images are pulled", (t) => [add(`${t}/spec/containers/0/imagePullPolicy`, "Never")], sentences.container],
  [
    "a privileged container",
    (t) => [add(`${t}/spec/containers/0/securityContext`, { privileged: true })],
    sentences.container,
  ],
  ["fewer containers", (t) => [remove(`${t}/spec/containers/1`)], sentences.container],
  ["no init containers", (t) => [remove(`${t}/spec/initContainers`)], sentences.container],
  [
    "another init container",
    (t) => [add(`${t}/spec/initContainers/0`, { name: "x", image: "nginx" })],
    sentences.container,
  ],
  ["the name of a container", (t) => [replace(`${t}/spec/containers/0/name`, "other")], sentences.container],
  [
    "the order of the containers",
    (t) => [{ op: "move", from: `${t}/spec/containers/0`, path: `${t}/spec/containers/1` }],
    sentences.container,
  ],
  [
    "a container among the init containers",
    (t) => [{ op: "move", from: `${t}/spec/containers/1`, path: `${t}/spec/initContainers/0` }],
    sentences.container,
  ],
  [
    "a sidecar that becomes an init container",
    (t) => [remove(`${t}/spec/initContainers/1/restartPolicy`)],
    sentences.container,
  ],
  ["the service account", (t) => [add(`${t}/spec/serviceAccountName`, "builder")], sentences.pod],
  ["the network of the host", (t) => [add(`${t}/spec/hostNetwork`, true)], sentences.pod],
  ["secrets to pull with", (t) => [add(`${t}/spec/imagePullSecrets`, [{ name: "x" }])], sentences.pod],
  ["another pod annotation", (t) => [add(`${t}/metadata/annotations/note`, "changed")], sentences.podMetadata],
  ["no pod annotations", (t) => [remove(`${t}/metadata/annotations`)], sentences.podMetadata],
  [
    "the repository of an image volume",
    (t) => [replace(`${t}/spec/volumes/1/image/reference`, "registry.test/shop/evil:1")],
    sentences.volume,
  ],
  [
    "when an image volume is pulled",
    (t) => [replace(`${t}/spec/volumes/1/image/pullPolicy`, "Always")],
    sentences.volume,
  ],
  [
    "an image volume for an empty one",
    (t) => [replace(`${t}/spec/volumes/0`, { name: "data", image: { reference: "evil:1" } })],
    sentences.volume,
  ],
  ["the scale", () => [replace("/spec/replicas", 9)], sentences.spec],
  ["a pause", () => [add("/spec/paused", true)], sentences.spec],
  ["the strategy", () => [replace("/spec/strategy", { type: "Recreate" })], sentences.spec],
  [
    "an owner",
    () => [add("/metadata/ownerReferences", [{ apiVersion: "v1", kind: "Pod", name: "x", uid: "1" }])],
    sentences.metadata,
  ],
  ["whether Lookout works on it", () => [remove(annotation("lookout.dev/enabled"))], sentences.annotation],
  ["an approval", () => [add(annotation("lookout.dev/approved-by"), "ana")], sentences.annotation],
  ["no annotations", () => [remove("/metadata/annotations")], sentences.annotation],
  [
    "an annotation that looks like a status",
    () => [add(annotation("lookout.dev/statuses"), "x")],
    sentences.annotation,
  ],
  [
    "an annotation of a domain that looks alike",
    () => [add(annotation("lookout.dev.evil/status.x"), "x")],
    sentences.annotation,
  ],
  ["a label that looks like Lookout's", () => [add(label("lookout.dev/updates"), "x")], sentences.label],
  ["a label of Lookout's domain", () => [add(label("lookout.dev/status.x"), "x")], sentences.label],
  ["no label of people", () => [remove(label("team"))], sentences.label],
];

const deniedOfOthers: readonly (readonly [WorkloadKind, ...Row])[] = [
  ["StatefulSet", "the scale", () => [replace("/spec/replicas", 9)], sentences.spec],
  [
    "StatefulSet",
    "the partition",
    () => [replace("/spec/updateStrategy/rollingUpdate", { partition: 1 })],
    sentences.spec,
  ],
  ["DaemonSet", "the strategy", () => [replace("/spec/updateStrategy", { type: "OnDelete" })], sentences.spec],
  ["CronJob", "the schedule", () => [replace("/spec/schedule", "* * * * *")], sentences.spec],
  ["CronJob", "a suspension", () => [replace("/spec/suspend", true)], sentences.spec],
  ["CronJob", "how often a job is tried", () => [add("/spec/jobTemplate/spec/backoffLimit", 9)], sentences.spec],
  ["CronJob", "a label of the jobs", () => [add("/spec/jobTemplate/metadata/labels", { a: "b" })], sentences.spec],
];

function patch(kind: WorkloadKind, [write, operations, verdict = "written"]: Row): Write {
  const body = operations(templateOf(kind));
  return { write, kind, verdict, request: () => ({ method: "PATCH", type: "application/json-patch+json", body }) };
}

/** All test writes, with their verdicts. */
export const writes: readonly Write[] = [
  ...everyKind.flatMap((kind) => [...allowed, ...denied].map((row) => patch(kind, row))),
  ...deniedOfDeployment.map((row) => patch("Deployment", row)),
  ...deniedOfOthers.map(([kind, ...row]) => patch(kind, row)),
  ...requests.map(([write, request]) => ({ write, kind: "Deployment" as const, verdict: noRight, request })),
];
