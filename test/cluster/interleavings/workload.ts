import { createHash } from "node:crypto";
import type { WorkloadKind } from "#domain/workload/kinds";
import { namespace, type Target } from "./api.ts";

/** The registry host of all images. No image is pulled. */
export const host = "registry.test";

/** Returns a pinned image. Its tag decides its digest. */
export function image(repository: "shop/api" | "shop/proxy", tag: string): string {
  return `${host}/${repository}:${tag}@${digestOf(repository, tag)}`;
}

/** Returns the digest of a tag. */
export function digestOf(repository: string, tag: string): string {
  return `sha256:${createHash("sha256").update(`${repository}:${tag}`).digest("hex")}`;
}

/** The constant properties of a workload. */
export interface Nature {
  /** True: the object has labels. Without labels, a patch must create the map. */
  readonly labelled: boolean;
  /** `restart`: the images are not pinned, and an update restarts the pods under the same tag. */
  readonly apply: "pin" | "restart";
  readonly replicas: number;
  /** Present: updates need the approval of one person. */
  readonly approvals?: true;
}

/** The parts in which manifests of one workload differ. */
export interface Version {
  readonly tag?: string;
  /** The environment value `MODE` of the container `app`. */
  readonly mode?: string;
}

/** The annotation in which `kubectl apply` stores the applied manifest. */
export const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/** The manifest of a workload. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: WorkloadKind;
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
  };
  readonly spec: object;
}

/** Returns the image of the container `app` in a manifest. */
export function appImage({ apply }: Pick<Nature, "apply">, tag: string): string {
  return apply === "pin" ? image("shop/api", tag) : `${host}/shop/api:${tag}`;
}

/** Returns a patch or manifest of a kind with a pod template. */
export function inTemplate(kind: WorkloadKind, template: object): { readonly spec: object } {
  return { spec: kind === "CronJob" ? { jobTemplate: { spec: { template } } } : { template } };
}

/** The pod template of an object. */
export interface Template {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: { readonly containers: readonly { readonly name: string; readonly image: string }[] };
}

/** Returns the pod template of an object or a manifest. */
export function templateOf(kind: WorkloadKind, { spec }: { readonly spec: object }): Template {
  if (kind === "CronJob") return (spec as { jobTemplate: { spec: { template: Template } } }).jobTemplate.spec.template;
  return (spec as { template: Template }).template;
}

/** Returns a manifest with a tracked container `app` and an untracked container `proxy`. */
export function manifest({ kind, name }: Target, nature: Nature, version: Version = {}): Manifest {
  const { tag = "1.0.0", mode = "one" } = version;
  const labels = { app: name };
  const template = {
    metadata: { labels },
    spec: {
      containers: [
        { name: "app", image: appImage(nature, tag), env: [{ name: "MODE", value: mode }] },
        { name: "proxy", image: image("shop/proxy", "2.0.0") },
      ],
      ...(kind === "CronJob" ? { restartPolicy: "Never" } : {}),
    },
  };
  const own =
    kind === "CronJob"
      ? { schedule: "0 0 29 2 *" }
      : {
          selector: { matchLabels: labels },
          ...(kind === "DaemonSet" ? {} : { replicas: nature.replicas }),
          ...(kind === "StatefulSet" ? { serviceName: name } : {}),
        };
  return {
    apiVersion: kind === "CronJob" ? "batch/v1" : "apps/v1",
    kind,
    metadata: {
      name,
      namespace,
      ...(nature.labelled ? { labels: { team: "shop" } } : {}),
      annotations: {
        "lookout.dev/enabled": "true",
        ...(nature.apply === "pin"
          ? { "lookout.dev/semver-range": "^1" }
          : { "lookout.dev/policy": "digest", "lookout.dev/apply": "restart" }),
        ...(nature.approvals === true ? { "lookout.dev/approval-required": "true" } : {}),
        "lookout.dev/rollback-timeout": "30s",
        "lookout.dev/container.proxy.enabled": "false",
        "example.com/owner": "ana",
      },
    },
    spec: { ...own, ...inTemplate(kind, template).spec },
  };
}

/** Returns a manifest with the annotation of `kubectl apply`. */
export function applied(wanted: Manifest): Manifest {
  const annotations = { ...wanted.metadata.annotations, [lastApplied]: `${JSON.stringify(wanted)}\n` };
  return { ...wanted, metadata: { ...wanted.metadata, annotations } };
}
