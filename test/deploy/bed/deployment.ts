import { createHmac } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PutParameterCommand, SSMClient } from "@aws-sdk/client-ssm";
import { stringify } from "yaml";
import { accessEntrySubjects, clusterManifests } from "#cli/manifests/cluster-manifests";
import type { ClusterConfiguration } from "#contracts/config/configuration";
import { stackOutputs } from "#contracts/aws/stack-outputs";
import { type ControlPlane, startControlPlane } from "#test/cluster/bed/control-plane";
import { type Registry, startRegistry } from "#test/cluster/bed/registry";
import { deploymentManifest } from "#test/cluster/bed/workloads";
import { apiUrl, roleArn } from "./callers.ts";
import { type Cdk, cdkFor } from "./cdk.ts";
import { type Ecr, ecrOf } from "./ecr.ts";
import { type AwsOptions, type Emulator, startEmulator } from "./emulator.ts";
import { type FactFeed, followFacts } from "./fact-feed.ts";
import { startTokenAuthenticator, type TokenAuthenticator } from "./token-authenticator.ts";

/** The network of the functions that reach the cluster. */
type Network = NonNullable<ClusterConfiguration["network"]>;

/** The edited parts of `lookout.yaml`. An absent part is as in the first deployment. */
export interface Edited {
  /** The name of the cluster. The EKS cluster stays the same. */
  readonly name?: string;
  readonly network?: Network;
  /** The EKS names of other clusters, which can't be reached. A cluster has the same name. */
  readonly unreachable?: readonly string[];
  /** The receivers beside `builds`, which have their own secrets. */
  readonly receivers?: readonly string[];
  /** The entries of `channels`. */
  readonly channels?: readonly object[];
  /** More parts of the file. */
  readonly more?: Readonly<Record<string, unknown>>;
}

/** The parts of a deployment beside the usual ones. */
export interface DeployOptions extends Pick<Edited, "channels" | "more"> {
  /** The secrets of channels by the names of their parameters. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** The EKS names of more real clusters. A cluster has the same name. */
  readonly others?: readonly string[];
}

/** The deployed stack on a local AWS emulator, with a real cluster and two registries. */
export interface Deployment {
  readonly emulator: Emulator;
  readonly plane: ControlPlane;
  /** The other real clusters, by their names. */
  readonly otherPlanes: ReadonlyMap<string, ControlPlane>;
  readonly authenticator: TokenAuthenticator;
  readonly ecr: Ecr;
  /** A registry outside AWS. A push there needs a signed notification. */
  readonly registry: Registry;
  readonly cdk: Cdk;
  readonly outputs: Readonly<Record<string, string>>;
  readonly facts: FactFeed;
  /** Writes another `lookout.yaml` for the next deployment. */
  configure(limits: Readonly<Record<string, string>>, edited?: Edited): Promise<void>;
  /**
   * Sends a notification to a receiver, the default is `builds`, signed with a secret. Returns the
   * status.
   */
  notify(body: object, secret?: string, receiver?: string): Promise<number>;
  /** Creates a Deployment that runs an image, and waits until Lookout tracks it. */
  tracked(name: string, image: string, annotations?: Readonly<Record<string, string>>): Promise<void>;
  /** Returns the image of a Deployment's container. */
  imageOf(name: string): Promise<string>;
  generationOf(name: string): Promise<number>;
  stop(): Promise<void>;
}

/** The name of the stack. */
export const stack = "Lookout";
/** The name of the cluster in EKS. */
export const clusterName = "prod-eks";
/**
 * The approvers of the namespace, both of whom must approve. Each has an IAM role of the same name.
 */
const approvers = ["ana", "eva"];
/** All people of `lookout.yaml`. ben decides only in another namespace. */
const people = [...approvers, "ben"];

/** Returns the SSM parameter with a receiver's secret. */
export function secretParameterOf(receiver: string): string {
  return `/${receiver}/secret`;
}

/** Returns the secret of a receiver. */
export function secretOf(receiver: string): string {
  return `s3cret-of-${receiver}`;
}

/** Stores a receiver's secret, as its owner does before the deployment. */
export async function storeSecret(options: AwsOptions, receiver: string): Promise<void> {
  await storeParameter(options, secretParameterOf(receiver), secretOf(receiver));
}

async function storeParameter(options: AwsOptions, name: string, value: string): Promise<void> {
  const parameter = { Name: name, Value: value, Type: "SecureString" } as const;
  await new SSMClient(options).send(new PutParameterCommand(parameter));
}

/** Starts the emulator, the clusters and the registries, and deploys the stack. */
export async function deploy({
  channels = [],
  more = {},
  parameters = {},
  others = [],
}: DeployOptions = {}): Promise<Deployment> {
  const stops: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const end of stops.splice(0).reverse()) await end();
  };
  const started = async <Part extends { stop(): Promise<void> }>(part: Promise<Part>): Promise<Part> => {
    const ready = await part;
    stops.push(() => ready.stop());
    return ready;
  };
  try {
    const emulator = await started(startEmulator());
    const open = async (name: string) => {
      const authenticator = await started(startTokenAuthenticator(name, emulator.endpoint));
      return { authenticator, plane: await started(startControlPlane({ tokenWebhook: authenticator.url })) };
    };
    const [own, registry, ...opened] = await Promise.all([
      open(clusterName),
      started(startRegistry()),
      ...others.map(open),
    ]);
    const { plane, authenticator } = own;
    const otherPlanes = new Map(opened.map((one, index) => [others[index] ?? "", one.plane]));
    const { aws } = emulator;
    const { file, configure, remove } = await configurationOf(plane, registry.host, otherPlanes);
    stops.push(remove);
    const cdk = cdkFor(emulator, stack, file);
    await cdk.bootstrap();
    await storeSecret(aws, "builds");
    for (const [name, value] of Object.entries(parameters)) await storeParameter(aws, name, value);
    await configure({}, { channels, more });
    const { outputs } = await cdk.deploy();
    const access = clusterManifests({ subjects: accessEntrySubjects, deletePods: false, readNodes: false });
    for (const one of [own, ...opened]) {
      // An access entry of EKS has this effect. The cluster's owner applies the manifests.
      one.authenticator.letIn(outputs[stackOutputs.accessRoleArn] ?? "", { username: "lookout", groups: ["lookout"] });
      await one.plane.apply(access.map(({ object }) => object));
    }
    const facts = await started(followFacts(aws, (outputs[stackOutputs.busArn] ?? "").split("/").at(-1) ?? ""));
    return {
      ...{
        emulator,
        plane,
        otherPlanes,
        authenticator,
        ecr: ecrOf(aws),
        registry,
        cdk,
        outputs,
        facts,
        configure,
        stop,
      },
      ...workloadsOf(plane, facts),
      notify: (body, secret = secretOf("builds"), receiver = "builds") =>
        notify(apiUrl(`/webhooks/${receiver}`, outputs, emulator), body, secret),
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Returns a `lookout.yaml` with the clusters and a receiver. */
async function configurationOf(
  plane: ControlPlane,
  registry: string,
  others: ReadonlyMap<string, ControlPlane>,
): Promise<{
  readonly file: string;
  readonly configure: Deployment["configure"];
  readonly remove: () => Promise<void>;
}> {
  const folder = await mkdtemp(join(tmpdir(), "lookout-deploy-"));
  const file = join(folder, "lookout.yaml");
  const certificateAuthority = await readFile(plane.certificateAuthority, "base64");
  const reached = [...others].map(async ([name, { server, certificateAuthority: path }]) => ({
    name,
    eks: { name, endpoint: server, certificateAuthority: await readFile(path, "base64") },
  }));
  const otherEntries = await Promise.all(reached);
  const configure: Deployment["configure"] = async (limits, edited = {}) => {
    const { name = "prod", network, unreachable = [], receivers = [], channels = [], more = {} } = edited;
    const eks = { name: clusterName, endpoint: plane.server, certificateAuthority };
    // Nothing listens at the port.
    const away = { endpoint: "https://127.0.0.1:1", certificateAuthority };
    const configuration = {
      clusters: [
        { name, eks, ...(network === undefined ? {} : { network }) },
        ...otherEntries,
        ...unreachable.map((other) => ({ name: other, eks: { name: other, ...away } })),
      ],
      receivers: ["builds", ...receivers].map((receiver) => ({
        ...{ name: receiver, kind: "generic", secretParameter: secretParameterOf(receiver) },
      })),
      registries: [{ host: registry, insecure: true, allowPrivateNetwork: true }],
      channels,
      people: people.map((name) => ({ name, iam: roleArn(name) })),
      approvers: [{ namespaces: ["default"], people: approvers, needed: approvers.length, deadline: "10m" }],
      limits: { settle: "2s", windowSpread: "0s", ...limits },
      ...more,
    };
    await writeFile(file, stringify(configuration));
  };
  await configure({});
  return { file, configure, remove: () => rm(folder, { recursive: true, force: true }) };
}

async function notify(url: string, body: object, secret: string): Promise<number> {
  const text = JSON.stringify(body);
  const signature = `sha256=${createHmac("sha256", secret).update(text).digest("hex")}`;
  const response = await fetch(url, { method: "POST", body: text, headers: { "X-Signature": signature } });
  await response.body?.cancel();
  return response.status;
}

function workloadsOf(plane: ControlPlane, facts: FactFeed): Pick<Deployment, "tracked" | "imageOf" | "generationOf"> {
  const read = (name: string, path: string): Promise<string> =>
    plane.kubectl("get", "deployment", name, "-o", `jsonpath={${path}}`);
  return {
    async tracked(name, image, annotations = {}) {
      const manifest = deploymentManifest(name, image);
      const metadata = { ...manifest.metadata, annotations: { "lookout.dev/enabled": "true", ...annotations } };
      await plane.apply([{ ...manifest, metadata }]);
      await plane.kubectl("rollout", "status", `deployment/${name}`, "--timeout=60s");
      // Clusters are synced every minute.
      await facts.fact("WorkloadTracked", name, undefined, 150_000);
    },
    imageOf: (name) => read(name, ".spec.template.spec.containers[0].image"),
    generationOf: async (name) => Number(await read(name, ".metadata.generation")),
  };
}
