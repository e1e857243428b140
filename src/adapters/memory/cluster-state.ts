import { createHash } from "node:crypto";
import { containersOf as templateContainers } from "#domain/workload/pod-template";
import { epochMs } from "#domain/shared/time";
import { readPlacement } from "#domain/workload/read-placement";
import {
  attributeLabelsIn,
  type FieldOwner,
  type LiveContainer,
  type LiveWorkload,
  restartedAtKey,
  templateMapsIn,
  volumePrefix,
  type WorkloadName,
} from "#domain/workload/workload";
import { type Content, type ManifestTemplate, templateOf } from "./cluster-manifest.ts";

/** The behaviour of an image's containers. The registry does not have an image that can't be pulled. */
export type ImageBehaviour =
  | "runs"
  | "cannot-be-pulled"
  | "crashes"
  | "never-ready"
  /** The first pull fails after the usual time of a start. A later pull works. */
  | { readonly kind: "pulled-later"; readonly afterMs: number; readonly because: PullProblem }
  /** The API server creates no pod after the usual time of a start. `afterMs` may be infinite. */
  | { readonly kind: "created-later"; readonly afterMs: number; readonly because: CreateProblem };

/** Why a pull fails for a while. */
export type PullProblem = keyof typeof pullProblems;

/** The messages of nodes. */
const pullProblems = {
  limit: "toomanyrequests: You have reached your pull rate limit.",
  denial: "pull access denied",
  timeout: "dial tcp: i/o timeout",
} as const;

/** Why the API server creates no pod for a while. */
export type CreateProblem = keyof typeof createProblems;

/** The messages of the API server. */
const createProblems = {
  quota: 'pods "api-1" is forbidden: exceeded quota: team, requested: pods=1, used: pods=3, limited: pods=3',
  webhook: 'Internal error occurred: failed calling webhook "sign.example.com": connection refused',
  policy: "pods \"api-1\" is forbidden: ValidatingAdmissionPolicy 'signed' with binding 'signed' denied request: no",
};

/** The rules of a simulated cluster's pods. */
export interface PodRules {
  readonly behaviour: (image: string) => ImageBehaviour;
  /** The time from a pod's creation to its readiness or its fault. */
  readonly startupMs: number;
  /** The digest of an image at a pod's start. Undefined if the pod reports no digest. */
  readonly digestOf: (image: string) => string | undefined;
  /**
   * The digests of the images that each node has pulled, by the slot of its pod and the image's
   * text. A pod of a slot always runs on the same node.
   */
  readonly pulled: Map<string, string>;
  /** The number of nodes, for DaemonSets. */
  readonly nodes: number;
  /** The interval of CronJobs' Jobs. Undefined if only a test starts Jobs. */
  readonly cronEveryMs: number | undefined;
}

/** A present or past template of a workload. */
export interface Revision {
  readonly id: number;
  readonly template: ManifestTemplate;
  /** A Deployment's annotations in this revision, which `kubectl rollout undo` restores. */
  annotations: Content["annotations"];
}

/** A fault of a pod's container, until an instant. */
export interface SimulatedFault {
  readonly reason: string;
  readonly message: string;
  readonly container: string;
  readonly image: string;
  /** Infinity if the fault does not end. */
  readonly until: number;
}

/** A pod. The clock decides whether the pod is ready. */
export interface SimulatedPod {
  readonly name: string;
  readonly slot: number;
  readonly revision: number;
  readonly template: ManifestTemplate;
  readonly createdAt: number;
  /** The instant at which the pod becomes ready. Infinity if the pod never becomes ready. */
  readyAt: number;
  /** The faults of its containers. Empty if all run, or a container is never ready. */
  readonly faults: readonly SimulatedFault[];
  readonly digests: Readonly<Record<string, string>>;
  restarts: number;
}

/** One workload of a simulated cluster. */
export interface StoredWorkload {
  readonly workload: WorkloadName;
  readonly uid: string;
  generation: number;
  version: number;
  content: Content;
  owners: Readonly<Record<string, FieldOwner>>;
  lastWriter: { readonly manager: string; readonly at: number } | undefined;
  /** All revisions. The last revision is the present revision. */
  revisions: readonly Revision[];
  pods: readonly SimulatedPod[];
  /** One pod for each Job. */
  jobs: readonly SimulatedPod[];
  /** The instant of the last change of the spec, or of the last deletion of pods. */
  since: number;
  /** The instant up to which Jobs were created. */
  jobsUntil: number;
  counter: number;
}

/** Returns the object as a read of the API server shows it. */
export function liveView(stored: StoredWorkload): LiveWorkload {
  const { labels, annotations, ownerReferences, spec } = stored.content;
  const template = templateOf(spec);
  const restartedAt = template.metadata?.annotations?.[restartedAtKey];
  const controller = ownerReferences.find((owner) => owner.controller === true);
  const placement = readPlacement(template.spec);
  return {
    workload: stored.workload,
    uid: stored.uid,
    generation: stored.generation,
    annotations: annotations ?? {},
    labels: labels ?? {},
    existingMaps: {
      labels: labels !== undefined,
      annotations: annotations !== undefined,
      ...templateMapsIn(template.metadata),
    },
    containers: containersOf(template, stored.owners),
    ...(restartedAt !== undefined && { restartedAt }),
    ...attributeLabelsIn(template.metadata),
    ...(controller && { controller: `${controller.kind}/${controller.name}` }),
    ...(stored.workload.kind === "Deployment" && spec.paused === true && { paused: true }),
    ...(placement && { placement }),
    ...(stored.lastWriter && {
      lastWriter: { manager: stored.lastWriter.manager, at: epochMs(Math.floor(stored.lastWriter.at / 1_000) * 1_000) },
    }),
  };
}

/** Lists the containers of a template, and then its init containers. */
export function containersOf(
  template: ManifestTemplate,
  owners: Readonly<Record<string, FieldOwner>> = {},
): readonly LiveContainer[] {
  return templateContainers(template).map((container) => {
    const imageOwner = owners[container.name];
    return { ...container, ...(imageOwner && { imageOwner }) };
  });
}

/** Creates a pod of a template, with its future behaviour. */
export function newPod(
  stored: StoredWorkload,
  revision: Revision,
  slot: number,
  at: number,
  rules: PodRules,
): SimulatedPod {
  stored.counter += 1;
  const containers = containersOf(revision.template).map((container) => pulledOn(slot, container, rules));
  const faulty = containers.filter(({ behaviour }) => behaviour !== "runs");
  const faults = faulty.flatMap((container) => faultOfPod(container, at, rules) ?? []);
  // Pods don't report the digests of image volumes.
  const digests = containers.flatMap(({ name, digest }) =>
    digest === undefined || name.startsWith(volumePrefix) ? [] : [[name, digest] as const],
  );
  return {
    name: `${stored.workload.name}-${String(stored.counter)}`,
    slot,
    revision: revision.id,
    template: revision.template,
    createdAt: at,
    readyAt:
      faults.length < faulty.length ? Infinity : Math.max(at + rules.startupMs, ...faults.map(({ until }) => until)),
    faults,
    digests: Object.fromEntries(digests),
    restarts: 0,
  };
}

function faultOfPod(
  { name, image, behaviour }: PulledContainer,
  at: number,
  rules: PodRules,
): SimulatedFault | undefined {
  const about = { container: name, image, until: Infinity };
  if (typeof behaviour === "object") {
    const until = at + rules.startupMs + behaviour.afterMs;
    if (behaviour.kind === "created-later")
      return { ...about, reason: "FailedCreate", message: createProblems[behaviour.because], until };
    const message = pullMessage(image, pullProblems[behaviour.because]);
    return { ...about, reason: "ImagePullBackOff", message, until };
  }
  switch (behaviour) {
    case "cannot-be-pulled":
      return { ...about, reason: "ImagePullBackOff", message: pullMessage(image, "not found") };
    case "crashes":
      return { ...about, reason: "CrashLoopBackOff", message: "back-off 10s restarting failed container" };
    case "never-ready":
    case "runs":
      return undefined;
  }
}

/** Returns the message of a node after a failed pull. */
function pullMessage(image: string, answer: string): string {
  return `Back-off pulling image "${image}": ErrImagePull: failed to resolve reference "${image}": ${answer}`;
}

interface PulledContainer extends Pick<LiveContainer, "name" | "image"> {
  readonly behaviour: ImageBehaviour;
  readonly digest: string | undefined;
}

/**
 * Pulls a container's image on a node. With a pull policy other than `Always`, a node keeps the
 * image that it has. A container without a pull policy always pulls, unlike in Kubernetes.
 */
function pulledOn(
  slot: number,
  { name, image, pullPolicy = "Always" }: LiveContainer,
  { pulled, behaviour, digestOf }: PodRules,
): PulledContainer {
  const place = `${String(slot)} ${image}`;
  const kept = pullPolicy === "Always" ? undefined : pulled.get(place);
  const asPulled = behaviour(image);
  if (kept !== undefined) return { name, image, behaviour: failsPull(asPulled) ? "runs" : asPulled, digest: kept };
  const digest = asPulled === "cannot-be-pulled" ? undefined : digestOf(image);
  if (digest !== undefined && !failsPull(asPulled)) pulled.set(place, digest);
  return { name, image, behaviour: asPulled, digest };
}

function failsPull(behaviour: ImageBehaviour): boolean {
  return behaviour === "cannot-be-pulled" || typeof behaviour === "object";
}

/** Returns an identifier in the form of a UUID. The same names give the same identifier. */
export function uidOf(...names: readonly string[]): string {
  const hex = createHash("sha256").update(names.join("\n")).digest("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join("-");
}

/** Returns the digest in an image text, or a digest made from the text. */
export function digestOfText(image: string): string {
  return /@(sha256:[0-9a-f]{64})$/.exec(image)?.[1] ?? `sha256:${createHash("sha256").update(image).digest("hex")}`;
}
