import { labelsOfTiers } from "#domain/tiers/membership";
import { pushReceivers } from "#adapters/webhook/receivers";
import { receiversWithAliases, withAliases } from "#app/detect/aliases";
import type { ClusterConfiguration, Configuration } from "#contracts/config/configuration";
import { aliasesOf } from "#contracts/config/registry-host";
import type { Channels } from "#ports/channels";
import type { Checks } from "#ports/checks";
import type { Clock } from "#ports/clock";
import type { Cluster } from "#ports/cluster";
import type { Registry } from "#ports/registry";
import { rulesOf } from "../rules.ts";
import { type Demo, openDemo } from "./demo-server.ts";
import type { Loaded } from "./loaded.ts";
import type { Configured } from "./shell.ts";
import { clustersOf } from "./world.ts";

/** A cluster with its connections. */
type OpenCluster = Cluster & { close(): Promise<void> };

/** The functions that reach the systems of a configuration. */
export interface Openings {
  readonly clock: Clock;
  /** @throws PermanentError if the entry can't be used */
  readonly openCluster: (entry: ClusterConfiguration, kinds: Configuration["kinds"]) => Promise<OpenCluster>;
  /** Returns the channels of a configuration. */
  readonly channels: (configuration: Configuration) => Channels;
  /** Returns the checks of a configuration. */
  readonly checks: (configuration: Configuration) => Checks;
  /** Opens the registries with their limits. */
  readonly openRegistry: (configuration: Configuration) => Promise<Registry>;
}

/** The clusters, registries, receivers and rules of a configuration. */
export interface RunWorld extends Required<Configured> {
  readonly demo?: Demo;
  /** Closes the clusters that the other world does not use. */
  close(other?: RunWorld): Promise<void>;
  /** The open parts, by what they were opened with. A next world uses the same parts again. */
  readonly parts: ReadonlyMap<string, OpenCluster | Registry>;
}

/** Returns whether a configuration runs the demo. */
export function isDemo({ clusters }: Pick<Configuration, "clusters">): boolean {
  return clusters.length === 0;
}

/**
 * Opens a configuration. A former world gives its clusters and registries, if their entries are the
 * same. The former world stays as it is, also after an error.
 *
 * @throws PermanentError if a part can't be opened
 */
export async function openWorld(loaded: Loaded, openings: Openings, former?: RunWorld): Promise<RunWorld> {
  const { configuration } = loaded;
  const { channels, checks } = openings;
  const { budgets } = configuration;
  if (isDemo(configuration)) {
    const demo = former?.demo ?? openDemo(openings.clock);
    return {
      ...demo,
      rules: rulesOf(configuration),
      channels: channels(configuration),
      checks: checks(configuration),
      demo,
      budgets,
      parts: new Map(),
      close: () => Promise.resolve(),
    };
  }
  return openFleet(loaded, openings, former);
}

async function openFleet(
  { configuration, receivers }: Loaded,
  { clock, openCluster, openRegistry, channels, checks }: Openings,
  former: RunWorld | undefined,
): Promise<RunWorld> {
  const { registries, registryPolicy, budgets } = configuration;
  const aliases = aliasesOf(registries);
  const labels = labelsOfTiers(configuration);
  const parts = new Map<string, OpenCluster | Registry>();
  const close = async (other?: RunWorld): Promise<void> => {
    const own = [...parts].filter(([key, part]) => other?.parts.get(key) !== part);
    await Promise.all(own.map(async ([, opened]) => ("close" in opened ? opened.close() : undefined)));
  };
  const part = async <Part extends OpenCluster | Registry>(made: unknown, open: () => Promise<Part>): Promise<Part> => {
    const key = JSON.stringify(made);
    const opened = (former?.parts.get(key) as Part | undefined) ?? (await open());
    parts.set(key, opened);
    return opened;
  };
  const registry = part(["registries", registries, registryPolicy], () => openRegistry(configuration));
  const clusters = configuration.clusters.map(async (entry) => {
    const { name } = entry;
    const cluster = await part(["cluster", entry, [...aliases], labels, configuration.kinds], async () => {
      const opened = await openCluster(entry, configuration.kinds);
      const aliased = withAliases(clustersOf(new Map([[name, opened]])), aliases, labels).cluster(name) ?? opened;
      return { ...aliased, close: () => opened.close() };
    });
    return [name, cluster] as const;
  });
  // Every opening has ended before the opened parts are closed.
  const failed = (await Promise.allSettled([registry, ...clusters])).find(({ status }) => status === "rejected");
  if (failed !== undefined) await close(former);
  return {
    clusters: clustersOf(new Map(await Promise.all(clusters))),
    registry: await registry,
    rules: rulesOf(configuration),
    channels: channels(configuration),
    checks: checks(configuration),
    receivers: receiversWithAliases(pushReceivers(receivers, clock), aliases),
    ...{ budgets, parts, close },
  };
}
