import { parseConfiguration } from "#contracts/config/configuration";
import type { ReadyKind } from "#domain/workload/custom/ready-rows";
import { giveAccess } from "./access.ts";
import { type ControlPlane, startControlPlane } from "./bed/control-plane.ts";
import { freePorts } from "./bed/ports.ts";
import { type Registry, startRegistry } from "./bed/registry.ts";
import { deploymentManifest, type WorkloadManifest } from "./bed/workloads.ts";
import { type Lookout, type LookoutOptions, startLookout } from "./lookout.ts";

type Make = (name: string, image: string) => WorkloadManifest;

/** A real control plane, a real notifying registry, and a Lookout process. */
export interface Stage {
  readonly plane: ControlPlane;
  readonly registry: Registry;
  readonly lookout: Lookout;
  /** Kills Lookout, and restarts it with the same state after `then`. It observes as before, unless told. */
  restart(then?: () => Promise<void>, observe?: boolean): Promise<void>;
  /**
   * Pushes 1.0.0, creates a workload with this image, and waits until Lookout tracks the workload.
   * Returns `default/<name>`.
   */
  tracked(name: string, annotations?: Readonly<Record<string, string>>, make?: Make): Promise<string>;
  /** Returns the image of a workload's first container. */
  imageOf(kind: string, name: string): Promise<string>;
  stop(): Promise<void>;
}

interface StageOptions {
  /** True: the registry sends no notification. */
  readonly silent?: boolean;
  /** The hosts of more registries, which send no notifications. */
  readonly otherRegistries?: readonly string[];
  /** More limits for `lookout.yaml`. */
  readonly limits?: LookoutOptions["limits"];
  /** Defaults for `lookout.yaml`. */
  readonly defaults?: LookoutOptions["defaults"];
  /** True: Lookout starts with `--observe`. */
  readonly observe?: boolean;
  /** The kinds of other operators, which Lookout gets rights for. */
  readonly kinds?: readonly ReadyKind[];
  /** More rows of `kinds`, by the host of the registry. */
  readonly ownKinds?: (registry: string) => readonly object[];
  /** More parts of `lookout.yaml`. */
  readonly more?: NonNullable<LookoutOptions["more"]>;
}

/**
 * Starts a stage. Lookout has only its own rights in the cluster. The registry notifies Lookout of
 * pushes, except if it is silent.
 */
export async function setStage({
  silent = false,
  otherRegistries = [],
  limits = {},
  defaults = {},
  observe: observesFirst = false,
  kinds: readyRows = [],
  ownKinds = () => [],
  more = {},
}: StageOptions = {}): Promise<Stage> {
  const [port = 0] = await freePorts(1);
  const secret = "s3cret-of-the-receiver";
  const notify = {
    url: `http://127.0.0.1:${port}/webhooks/registry`,
    headers: { Authorization: `Bearer ${secret}` },
  };
  const [plane, registry] = await Promise.all([startControlPlane(), startRegistry(silent ? {} : { notify })]);
  const kinds = [...readyRows, ...ownKinds(registry.host)];
  const read = parseConfiguration({ kinds });
  if (!read.ok) throw new Error(JSON.stringify(read.problem));
  await giveAccess(plane, { kinds: read.value.kinds });
  const kubeconfig = plane.kubeconfigFor("lookout");
  let observe = observesFirst;
  const start = (dataDir?: string): Promise<Lookout> =>
    startLookout({
      kubeconfig,
      registry: registry.host,
      otherRegistries,
      port,
      secret,
      limits,
      defaults,
      observe,
      more: { ...more, ...(kinds.length > 0 && { kinds }) },
      ...(dataDir === undefined ? {} : { dataDir }),
    });
  let lookout = await start();
  return {
    plane,
    registry,
    get lookout() {
      return lookout;
    },
    async restart(then, observeNow = observe) {
      await lookout.stop("SIGKILL");
      observe = observeNow;
      await then?.();
      lookout = await start(lookout.dataDir);
    },
    async tracked(name, annotations = {}, make = deploymentManifest) {
      await registry.push(`shop/${name}:1.0.0`, { seed: `${name} 1.0.0` });
      const manifest = make(name, `${registry.host}/shop/${name}:1.0.0`);
      const metadata = { ...manifest.metadata, annotations: { "lookout.dev/enabled": "true", ...annotations } };
      await plane.apply([{ ...manifest, metadata }]);
      const waits = manifest.kind !== "CronJob";
      if (waits) await plane.kubectl("rollout", "status", `${manifest.kind}/${name}`, "--timeout=60s");
      await lookout.fact("WorkloadTracked", `default/${name}`);
      return `default/${name}`;
    },
    imageOf(kind, name) {
      const template = kind === "cronjob" ? "spec.jobTemplate.spec.template" : "spec.template";
      return plane.kubectl("get", kind, name, "-o", `jsonpath={.${template}.spec.containers[0].image}`);
    },
    async stop() {
      await lookout.stop();
      await Promise.all([plane.stop(), registry.stop()]);
    },
  };
}
