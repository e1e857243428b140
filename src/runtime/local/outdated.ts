import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import {
  type ListedKind,
  outdatedImages,
  type OutdatedImages,
  type OutdatedQuestion,
} from "#app/outdated/outdated-images";
import { aliasesOf } from "#contracts/config/registry-host";
import { epochMs } from "#domain/shared/time";
import { type CustomKindSpec, nameOf } from "#domain/workload/custom/kind";
import { builtInKinds, kindSpecs } from "#domain/workload/kinds";
import { flaggedCluster } from "#ports/cluster";
import { openLimitedRegistry } from "../limited-registry.ts";
import { loadConfiguration } from "./configuration.ts";
import { newMemoryDatabase, statePorts } from "./state.ts";
import { openKubeconfig, openRegistry } from "./world.ts";

export type { OutdatedImage, OutdatedImages, OutdatedQuestion } from "#app/outdated/outdated-images";

/** The place of the cluster and of `lookout.yaml`. */
export interface OutdatedPlace {
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Default: the user's kubeconfig. */
  readonly kubeconfig?: string;
  /** Default: the current context. */
  readonly context?: string;
  /** Default: `lookout.yaml` in the working directory, if any. */
  readonly config?: string;
  readonly notice: (text: string) => void;
}

/**
 * Compares the images of a cluster with their registries, without a server. It stores nothing: the
 * limits of registries are kept in memory.
 *
 * @throws PermanentError if the kubeconfig or `lookout.yaml` is invalid
 */
export async function readOutdated(
  { cwd, environment, kubeconfig, context, config, notice }: OutdatedPlace,
  question: OutdatedQuestion,
  signal: AbortSignal,
): Promise<OutdatedImages> {
  const { configuration } = await loadConfiguration({
    environment,
    readFile: (path) => readFile(resolve(cwd, path), "utf8"),
    file: config,
  });
  const cluster = await openKubeconfig(
    {
      name: flaggedCluster,
      ...(kubeconfig === undefined ? {} : { kubeconfig: resolve(cwd, kubeconfig) }),
      ...(context === undefined ? {} : { context }),
      ...(question.namespaces.length === 0 ? {} : { namespaces: { allow: question.namespaces } }),
    },
    environment,
    configuration.kinds,
  );
  const database = newMemoryDatabase();
  try {
    const limited = openLimitedRegistry(configuration.registries, {
      registry: await openRegistry(configuration, environment, notice),
      registryLimits: statePorts(database).registryLimits,
      clock: { now: () => epochMs(Date.now()) },
    });
    const ports = {
      lists: cluster,
      kinds: listedKinds(configuration.kinds),
      registry: limited({ add: () => undefined }),
      rules: configuration,
      aliases: aliasesOf(configuration.registries),
      pause: (ms: number, until: AbortSignal) => pause(ms, undefined, { signal: until }),
    };
    return await outdatedImages(ports, question, signal);
  } finally {
    database.close();
    await cluster.close();
  }
}

function listedKinds(custom: readonly CustomKindSpec[]): readonly ListedKind[] {
  return [
    ...builtInKinds.map((kind) => ({ kind, plural: kindSpecs[kind].plural })),
    ...custom.map((spec) => ({ kind: nameOf(spec), plural: spec.plural })),
  ];
}
