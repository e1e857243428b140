import { readFile } from "node:fs/promises";
import type { ReceiverSettings } from "#adapters/webhook/settings";
import type { SettingsView } from "#contracts/api/process";
import type { ClusterConfiguration, Configuration } from "#contracts/config/configuration";
import { kubernetesName } from "#contracts/config/fields";
import { flaggedCluster } from "#ports/cluster";
import { PermanentError } from "#ports/errors";
import { type ConfigurationSources, loadConfiguration, type LoadedConfiguration } from "./configuration.ts";
import { demoLimits } from "./demo-limits.ts";
import { settingsOf, valueAt } from "./settings.ts";

/**
 * The flags. An absent value comes from the environment, else from `lookout.yaml`, else from the
 * defaults.
 */
export interface StartFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly config?: string;
  readonly dataDir?: string;
  readonly listen?: string;
  /** True: Lookout only observes, whatever `lookout.yaml` says. */
  readonly observe?: true;
  readonly certFile?: string;
  readonly keyFile?: string;
}

/** The configuration of a process. */
export interface ChosenConfiguration {
  /** The path of the file. Absent if there is no file. */
  readonly file?: string;
  readonly configuration: Configuration;
  /** The receivers from environment variables, if the configuration has none. */
  readonly environmentReceivers: readonly ReceiverSettings[];
  /** All settings and their sources, without secrets. */
  readonly settings: SettingsView;
}

/** The environment and the files of this process. */
export function sourcesOfThisProcess(): Omit<ConfigurationSources, "file"> {
  return { environment: process.env, readFile: (path) => readFile(path, "utf8") };
}

/**
 * Returns the configuration of a process. Flags override the environment, which overrides the file.
 *
 * @throws PermanentError when the file or a flag is invalid
 */
export async function chooseConfiguration(
  flags: StartFlags,
  sources: Omit<ConfigurationSources, "file">,
): Promise<ChosenConfiguration> {
  const { environment } = sources;
  const loaded = await loadConfiguration({ ...sources, file: flags.config });
  const secret = filled(environment["LOOKOUT_WEBHOOK_SECRET"]);
  const replaced = loaded.configuration.clusters.find(({ name }) => name === flaggedCluster);
  const named = clusterOfFlags(flags, replaced?.mode);
  const others = loaded.configuration.clusters.filter(({ name }) => name !== named?.name);
  const configured = named === undefined ? others : [...others, named];
  const ofPod = configured.length === 0 ? clusterOfPod(environment) : undefined;
  const clusters = ofPod === undefined ? configured : [ofPod];
  return {
    ...(loaded.file === undefined ? {} : { file: loaded.file }),
    configuration: {
      ...loaded.configuration,
      clusters,
      limits: clusters.length === 0 ? limitsOfDemo(loaded) : loaded.configuration.limits,
      dataDir: flags.dataDir ?? filled(environment["LOOKOUT_DATA"]) ?? loaded.configuration.dataDir,
      ...(flags.observe === true ? { mode: "observe" } : {}),
      listen: { ...loaded.configuration.listen, ...listenOfFlags(flags) },
    },
    environmentReceivers:
      secret === undefined || loaded.configuration.receivers.length > 0
        ? []
        : (["distribution", "generic"] as const).map((kind) => ({ name: kind, kind, secret })),
    settings: settingsOf(loaded, { ...flags, cluster: named, ofPod }, environment),
  };
}

/** Returns the cluster of the pod that runs this process; undefined outside of a pod. */
function clusterOfPod(environment: ConfigurationSources["environment"]): ClusterConfiguration | undefined {
  if (filled(environment["KUBERNETES_SERVICE_HOST"]) === undefined) return undefined;
  const name = filled(environment["LOOKOUT_CLUSTER_NAME"]) ?? "in-cluster";
  if (!kubernetesName.safeParse(name).success)
    throw new PermanentError(
      `LOOKOUT_CLUSTER_NAME "${name}" is not the name of a cluster: expected lower-case letters, digits and dashes`,
    );
  return { name, inCluster: true };
}

export function filled(value: string | undefined): string | undefined {
  return value === "" ? undefined : value;
}

function limitsOfDemo({ configuration, written }: LoadedConfiguration): Configuration["limits"] {
  const isWritten = (name: string): boolean => valueAt(written.content, ["limits", name]) !== undefined;
  const set = Object.entries(configuration.limits).filter(([name]) => isWritten(name));
  return { ...demoLimits, ...Object.fromEntries(set) };
}

/** Returns the cluster of the flags. It keeps the mode of a cluster of the same name in the file. */
function clusterOfFlags(
  { kubeconfig, context }: StartFlags,
  mode: "observe" | undefined,
): Configuration["clusters"][number] | undefined {
  if (kubeconfig === undefined && context === undefined) return undefined;
  return {
    name: flaggedCluster,
    ...(kubeconfig === undefined ? {} : { kubeconfig }),
    ...(context === undefined ? {} : { context }),
    ...(mode === undefined ? {} : { mode }),
  };
}

function listenOfFlags({ listen, certFile, keyFile }: StartFlags): Partial<Configuration["listen"]> {
  const [first, second] = certFile === undefined ? ["--key-file", "--cert-file"] : ["--cert-file", "--key-file"];
  if ((certFile === undefined) !== (keyFile === undefined))
    throw new PermanentError(`${first} needs ${second} too, because HTTPS needs both files`);
  return {
    ...(listen === undefined ? {} : parseAddress(listen)),
    ...(certFile === undefined || keyFile === undefined ? {} : { certFile, keyFile }),
  };
}

/** Reads `HOST:PORT`, with an IPv6 address in brackets. */
function parseAddress(text: string): Pick<Configuration["listen"], "host" | "port"> {
  const match = /^(\[[0-9A-Fa-f:.]+\]|[^:\s]+):(\d{1,5})$/.exec(text);
  const port = Number(match?.[2]);
  if (match?.[1] === undefined || port > 65_535)
    throw new PermanentError(`--listen "${text}": expected HOST:PORT, such as 127.0.0.1:4040`);
  return { host: match[1].replace(/^\[|\]$/g, ""), port };
}
