import { createHash } from "node:crypto";
import { containersOf as templateContainers } from "#domain/workload/pod-template";
import { epochMs } from "#domain/shared/time";
import {
  type FieldOwner,
  type LiveContainer,
  type LiveWorkload,
  restartedAtKey,
  type WorkloadName,
} from "#domain/workload/workload";
import { type Content, type ManifestTemplate, templateOf } from "./cluster-manifest.ts";

/** What becomes of a container of an image. */
export type ImageBehaviour = "runs" | "cannot-be-pulled" | "crashes" | "never-ready";

/** What the pods of a simulated cluster do. */
export interface PodRules {
  readonly behaviour: (image: string) => ImageBehaviour;
  /** From a pod's creation to its readiness, or to the appearance of its fault. */
  readonly startupMs: number;
  /** The digest that an image text names at the moment a pod starts; undefined: none is reported. */
  readonly digestOf: (image: string) => string | undefined;
  /** How many nodes run the pods of DaemonSets. */
  readonly nodes: number;
  /** CronJobs make a Job at every multiple of this; undefined: only by hand. */
  readonly cronEveryMs: number | undefined;
}

/** A template that a workload has or had. */
export interface Revision {
  readonly id: number;
  readonly template: ManifestTemplate;
  /** A Deployment's annotations when this revision was last the present one: `kubectl rollout undo` brings them back. */
  annotations: Content["annotations"];
}

/** A pod; whether it is ready follows from the clock. */
export interface SimulatedPod {
  readonly name: string;
  readonly slot: number;
  readonly revision: number;
  readonly template: ManifestTemplate;
  readonly createdAt: number;
  /** Infinity: never. */
  readyAt: number;
  readonly fault: { readonly reason: string; readonly container: string; readonly image: string } | undefined;
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
  /** The last is the present one. */
  revisions: readonly Revision[];
  pods: readonly SimulatedPod[];
  /** One pod each, as their own revision. */
  jobs: readonly SimulatedPod[];
  /** When something was written that pods have to follow. */
  since: number;
  /** Up to when CronJobs were looked after. */
  jobsUntil: number;
  counter: number;
}

/** Answers what a read of the API server would show. */
export function liveView(stored: StoredWorkload): LiveWorkload {
  const { labels, annotations, ownerReferences, spec } = stored.content;
  const template = templateOf(spec);
  const restartedAt = template.metadata?.annotations?.[restartedAtKey];
  const controller = ownerReferences.find((owner) => owner.controller === true);
  return {
    workload: stored.workload,
    uid: stored.uid,
    generation: stored.generation,
    annotations: annotations ?? {},
    labels: labels ?? {},
    maps: {
      labels: labels !== undefined,
      annotations: annotations !== undefined,
      templateAnnotations: template.metadata?.annotations !== undefined,
    },
    containers: containersOf(template, stored.owners),
    ...(restartedAt !== undefined && { restartedAt }),
    ...(controller && { controller: `${controller.kind}/${controller.name}` }),
    ...(stored.lastWriter && {
      lastWriter: { manager: stored.lastWriter.manager, at: epochMs(Math.floor(stored.lastWriter.at / 1_000) * 1_000) },
    }),
  };
}

/** Lists the containers of a template, containers first. */
export function containersOf(
  template: ManifestTemplate,
  owners: Readonly<Record<string, FieldOwner>> = {},
): readonly LiveContainer[] {
  return templateContainers(template).map((container) => {
    const imageOwner = owners[container.name];
    return { ...container, ...(imageOwner && { imageOwner }) };
  });
}

/** Makes a pod of a template, and settles what will become of it. */
export function newPod(
  stored: StoredWorkload,
  revision: Revision,
  slot: number,
  at: number,
  rules: PodRules,
): SimulatedPod {
  stored.counter += 1;
  const containers = containersOf(revision.template);
  const faulty = containers.find(({ image }) => rules.behaviour(image) !== "runs");
  const reasons = {
    "cannot-be-pulled": "ImagePullBackOff",
    crashes: "CrashLoopBackOff",
    "never-ready": undefined,
    runs: undefined,
  };
  const reason = faulty && reasons[rules.behaviour(faulty.image)];
  const digests = containers.flatMap(({ name, image }) => {
    const digest = rules.behaviour(image) === "cannot-be-pulled" ? undefined : rules.digestOf(image);
    return digest === undefined ? [] : [[name, digest] as const];
  });
  return {
    name: `${stored.workload.name}-${String(stored.counter)}`,
    slot,
    revision: revision.id,
    template: revision.template,
    createdAt: at,
    readyAt: faulty === undefined ? at + rules.startupMs : Infinity,
    fault: faulty && reason !== undefined ? { reason, container: faulty.name, image: faulty.image } : undefined,
    digests: Object.fromEntries(digests),
    restarts: 0,
  };
}

/** A name-based identifier in the form of a UUID: the same names give the same one. */
export function uidOf(...names: readonly string[]): string {
  const hex = createHash("sha256").update(names.join("\n")).digest("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join("-");
}

/** The digest that an image text names, or one made from the text. */
export function digestOfText(image: string): string {
  return /@(sha256:[0-9a-f]{64})$/.exec(image)?.[1] ?? `sha256:${createHash("sha256").update(image).digest("hex")}`;
}
