import type { WorkloadKind } from "#domain/workload/kinds";
import { type Api, listPath, pathOf, type Shown, succeeded, type Target } from "./api.ts";
import { appImage, applied, image, inTemplate, lastApplied, manifest, type Nature, templateOf } from "./workload.ts";

/** The surroundings of an edit. */
export interface Scene {
  readonly api: Api;
  readonly target: Target;
  readonly nature: Nature;
  /** A number from 1 that makes the written values unique. */
  readonly number: number;
}

/** An edit of a workload by a person or a controller. */
export interface Edit {
  readonly what: string;
  /** The kinds that the command supports. Absent: all kinds. */
  readonly kinds?: readonly WorkloadKind[];
  /** Sends the requests of the command. Returns undefined for an allowed refusal. */
  make(scene: Scene): Promise<Shown | undefined>;
}

const restartedAt = "kubectl.kubernetes.io/restartedAt";

const scalable: readonly WorkloadKind[] = ["Deployment", "StatefulSet"];
const withHistory: readonly WorkloadKind[] = ["Deployment", "StatefulSet", "DaemonSet"];

/** The edits of kubectl and the autoscaler, each with its field manager. */
export const edits: readonly Edit[] = [
  { what: "set image", make: (scene) => containers(scene, [{ name: "app", image: image("shop/api", tagOf(scene)) }]) },
  {
    what: "set image to an older one",
    make: (scene) => containers(scene, [{ name: "app", image: image("shop/api", "0.9.0") }]),
  },
  {
    what: "set image of the other container",
    make: (scene) => containers(scene, [{ name: "proxy", image: image("shop/proxy", tagOf(scene)) }]),
  },
  {
    what: "set env",
    make: (scene) => containers(scene, [{ name: "app", env: [{ name: "MODE", value: modeOf(scene) }] }]),
  },
  { what: "rollout undo", kinds: withHistory, make: undo },
  { what: "apply", make: apply },
  { what: "apply --server-side", make: applyServerSide },
  { what: "scale", kinds: scalable, make: scale },
  { what: "autoscaler", kinds: scalable, make: autoscale },
  { what: "rollout restart", kinds: withHistory, make: restart },
  { what: "annotate", make: (scene) => annotate(scene, { "example.com/note": modeOf(scene) }) },
  { what: "annotate suspend", make: (scene) => annotate(scene, { "lookout.dev/suspend": "true" }) },
  { what: "label", make: label },
  {
    what: "patch in a container",
    make: (scene) => containers(scene, [{ name: "added", image: image("shop/proxy", tagOf(scene)) }], "kubectl-patch"),
  },
  { what: "replace", make: replace },
  { what: "delete and create", make: recreate },
];

const tagOf = ({ number }: Scene): string => `1.0.${number}`;
const modeOf = ({ number }: Scene): string => `mode-${number}`;

/**
 * Sends a strategic merge patch of containers, as `kubectl set image`, `set env` and `patch` do.
 */
function containers(scene: Scene, changed: readonly object[], manager = "kubectl-set"): Promise<Shown> {
  return strategic(scene, inTemplate(scene.target.kind, { spec: { containers: changed } }), manager);
}

async function strategic({ api, target }: Scene, body: object, manager: string): Promise<Shown> {
  return succeeded(await api.write({ method: "PATCH", path: pathOf(target), as: "strategic-merge", body, manager }));
}

/** The tag before each tag. An image that was not pushed was set by hand over the first image. */
const predecessors: Readonly<Record<string, string>> = { "1.2.0": "1.1.0", "1.1.0": "1.0.0", "1.0.0": "0.9.0" };

/**
 * Restores the template of the previous revision from the cluster's history. A restart is also a
 * revision.
 */
async function undo(scene: Scene): Promise<Shown> {
  const { api, target, nature } = scene;
  const { kind } = target;
  const live = succeeded(await api.get(target));
  const { metadata, spec } = templateOf(kind, live);
  const shown = spec.containers.find(({ name }) => name === "app")?.image;
  const tag = Object.keys(predecessors).find((one) => appImage(nature, one) === shown);
  const restarted = metadata?.annotations?.[restartedAt] !== undefined;
  const formerTag = tag === undefined ? "1.0.0" : restarted ? tag : (predecessors[tag] ?? tag);
  const former = manifest(target, nature, { tag: formerTag, mode: formerTag === "0.9.0" ? "zero" : "one" });
  const template = templateOf(kind, former);
  if (kind !== "Deployment") return strategic(scene, inTemplate(kind, { ...template, $patch: "replace" }), "kubectl");
  const kept = live.metadata.annotations?.[lastApplied];
  const annotations = { ...former.metadata.annotations, ...(kept === undefined ? {} : { [lastApplied]: kept }) };
  const body = [
    { op: "replace", path: "/spec/template", value: template },
    { op: "replace", path: "/metadata/annotations", value: annotations },
  ];
  return succeeded(await api.write({ method: "PATCH", path: pathOf(target), as: "json", body, manager: "kubectl" }));
}

/** Applies a manifest with another value of `MODE`, as a patch of the differences. */
async function apply(scene: Scene): Promise<Shown> {
  const { api, target, nature } = scene;
  const shown = templateOf(target.kind, succeeded(await api.get(target))).spec.containers.find(
    ({ name }) => name === "app",
  )?.image;
  const wanted = applied(manifest(target, nature, { mode: modeOf(scene) }));
  const wantedImage = appImage(nature, "1.0.0");
  const app = {
    name: "app",
    "$setElementOrder/env": [{ name: "MODE" }],
    env: [{ name: "MODE", value: modeOf(scene) }],
    ...(shown === wantedImage ? {} : { image: wantedImage }),
  };
  const spec = { "$setElementOrder/containers": [{ name: "app" }, { name: "proxy" }], containers: [app] };
  const metadata = { annotations: { [lastApplied]: wanted.metadata.annotations[lastApplied] } };
  return strategic(scene, { metadata, ...inTemplate(target.kind, { spec }) }, "kubectl-client-side-apply");
}

/**
 * Applies a manifest on the server. Every third includes the image, and every sixth forces
 * conflicts.
 */
async function applyServerSide({ api, target, nature, number }: Scene): Promise<Shown | undefined> {
  const app = {
    name: "app",
    env: [{ name: "EXTRA", value: `mode-${number}` }],
    ...(number % 3 === 0 ? { image: image("shop/api", `1.0.${number}`) } : {}),
  };
  const { apiVersion, kind, metadata } = manifest(target, nature);
  const { name } = metadata;
  const body = { apiVersion, kind, metadata: { name }, ...inTemplate(kind, { spec: { containers: [app] } }) };
  const force = number % 2 === 0;
  const answered = await api.write({
    method: "PATCH",
    path: pathOf(target),
    as: "apply",
    body,
    manager: "kubectl",
    force,
  });
  return answered.status === 409 ? undefined : succeeded(answered);
}

async function scale({ api, target, number }: Scene): Promise<Shown> {
  const path = `${pathOf(target)}/scale`;
  const body = { spec: { replicas: 1 + number } };
  return succeeded(await api.write({ method: "PATCH", path, as: "merge", body, manager: "kubectl" }));
}

/**
 * Reads the scale and writes another number of replicas, as the autoscaler does. After a conflict,
 * it retries.
 */
async function autoscale({ api, target, number }: Scene): Promise<Shown> {
  for (;;) {
    const scale = succeeded(await api.get(target, "scale"));
    const body = { ...scale, spec: { replicas: 100 + number } };
    const path = `${pathOf(target)}/scale`;
    const answered = await api.write({ method: "PUT", path, body, manager: "kube-controller-manager" });
    if (answered.status !== 409) return succeeded(answered);
  }
}

function restart(scene: Scene): Promise<Shown> {
  const when = new Date(1_800_000_000_000 + scene.number * 1_000).toISOString();
  const template = { metadata: { annotations: { [restartedAt]: when } } };
  return strategic(scene, inTemplate(scene.target.kind, template), "kubectl-rollout");
}

async function annotate({ api, target }: Scene, annotations: object): Promise<Shown> {
  const body = { metadata: { annotations } };
  return succeeded(
    await api.write({ method: "PATCH", path: pathOf(target), as: "merge", body, manager: "kubectl-annotate" }),
  );
}

async function label({ api, target, number }: Scene): Promise<Shown> {
  const body = { metadata: { labels: { "example.com/note": String(number) } } };
  return succeeded(
    await api.write({ method: "PATCH", path: pathOf(target), as: "merge", body, manager: "kubectl-label" }),
  );
}

async function replace(scene: Scene): Promise<Shown> {
  const { api, target, nature } = scene;
  const body = manifest(target, nature, { mode: modeOf(scene) });
  return succeeded(await api.write({ method: "PUT", path: pathOf(target), body, manager: "kubectl-replace" }));
}

async function recreate(scene: Scene): Promise<Shown> {
  const { api, target, nature } = scene;
  const body = applied(manifest(target, nature, { mode: modeOf(scene) }));
  succeeded(await api.write({ method: "DELETE", path: pathOf(target), body: { propagationPolicy: "Background" } }));
  const manager = "kubectl-client-side-apply";
  return succeeded(await api.write({ method: "POST", path: listPath(target.kind), body, manager }));
}
