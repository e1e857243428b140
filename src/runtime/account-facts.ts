import pLimit from "p-limit";
import { listResources, type ResourcesRead } from "#adapters/cloudformation/resources";
import {
  type AccessEntryRead,
  type EksClusterRead,
  findAccessEntry,
  readEksCluster,
} from "#adapters/eks/cluster-access";
import { type BoundaryRead, readBoundary } from "#adapters/iam/role-boundary";
import { type ConcurrencyRead, readConcurrency } from "#adapters/lambda/concurrency";
import { findSecret } from "#adapters/secrets-manager/secret-presence";
import { awsHost } from "#adapters/shared/aws-get";
import type { UserOptions } from "#adapters/shared/aws";
import type { Presence } from "#adapters/shared/presence";
import { signedGet } from "#adapters/signature-v4/signed-get";
import { findQueue, type QueueRead } from "#adapters/sqs/queue-presence";
import { type BootstrapRead, readBootstrapVersion } from "#adapters/ssm/bootstrap-version";
import { findParameter } from "#adapters/ssm/parameter-presence";
import { type CallerIdentity, readCallerIdentity } from "#adapters/sts/caller-identity";
import { ownCredentials } from "#adapters/sts/own-credentials";
import type { SecretPlace } from "#contracts/config/secret-places";

/** A request of a user's command that AWS did not answer. */
export type { AwsRefusal } from "#adapters/shared/aws-errors";

/** An EKS cluster to read: its name in EKS, and its region. */
export interface EksPlace {
  readonly eksName: string;
  readonly region: string;
}

/** The parts of an account to read before a deployment. */
export interface AccountQuestion {
  readonly region: string;
  /** The stack, if it is deployed, and Lookout's role for clusters. */
  readonly deployed?: { readonly stack: string; readonly accessRole?: string };
  readonly clusters: readonly EksPlace[];
  readonly places: readonly SecretPlace[];
  /** The names of the queues that the deployment names itself. */
  readonly queues: readonly string[];
}

/** A cluster in EKS, and the access entry of Lookout's role. */
export interface ClusterFacts {
  readonly cluster: EksClusterRead;
  /** Absent without a deployed stack, and for a cluster that accepts no access entries. */
  readonly entry?: AccessEntryRead;
}

/** The state of an account before a deployment. Each part is read alone, and may be a refusal. */
export interface AccountFacts {
  readonly identity: CallerIdentity;
  readonly bootstrap: BootstrapRead;
  readonly concurrency: ConcurrencyRead;
  /** The boundary of the role that creates the stack. Absent if the account is unknown. */
  readonly boundary?: BoundaryRead;
  /** The resources of the deployed stack. */
  readonly resources?: ResourcesRead;
  /** In the order of the question, as are `secrets` and `queues`. */
  readonly clusters: readonly ClusterFacts[];
  readonly secrets: readonly Presence[];
  readonly queues: readonly QueueRead[];
}

const concurrentReads = 10;

/** Returns the name of the role with which CloudFormation creates a stack of the CDK. */
export function executionRole(account: string, region: string): string {
  return `cdk-hnb659fds-cfn-exec-role-${account}-${region}`;
}

/** Reads an account with the caller's own credentials. The promise never rejects. */
export async function examineAccount(question: AccountQuestion): Promise<AccountFacts> {
  const { region, deployed, clusters, places, queues } = question;
  const options = { credentials: ownCredentials(), region };
  const limit = pLimit(concurrentReads);
  const identity = readCallerIdentity(options);
  const [who, bootstrap, concurrency, boundary, resources, ...lists] = await Promise.all([
    identity,
    readBootstrapVersion(options),
    concurrencyOf(options),
    identity.then((one) => (one.kind === "identity" ? boundaryOf(one.account, options) : undefined)),
    deployed && listResources(deployed.stack, options),
    limit.map(clusters, (place) => clusterFacts(place, options, deployed?.accessRole)),
    limit.map(places, (place) => presenceOf(place, options)),
    limit.map(queues, (name) => findQueue(name, options)),
  ]);
  return {
    identity: who,
    bootstrap,
    concurrency,
    ...(boundary && { boundary }),
    ...(resources && { resources }),
    clusters: lists[0],
    secrets: lists[1],
    queues: lists[2],
  };
}

async function clusterFacts(
  { eksName, region }: EksPlace,
  { credentials }: UserOptions,
  principal: string | undefined,
): Promise<ClusterFacts> {
  const options = { credentials, region };
  const cluster = await readEksCluster(eksName, options);
  if (principal === undefined || cluster.kind !== "cluster" || cluster.authenticationMode === "CONFIG_MAP")
    return { cluster };
  return { cluster, entry: await findAccessEntry({ cluster: eksName, principal }, options) };
}

function presenceOf(place: SecretPlace, options: UserOptions): Promise<Presence> {
  return "parameter" in place ? findParameter(place.parameter, options) : findSecret(place.secret, options);
}

function concurrencyOf({ credentials, region }: UserOptions): Promise<ConcurrencyRead> {
  const host = awsHost("lambda", region, process.env);
  return readConcurrency(host, signedGet(credentials, { region: host.region, service: "lambda" }));
}

function boundaryOf(account: string, { credentials, region }: UserOptions): Promise<BoundaryRead> {
  const host = awsHost("iam", region, process.env);
  const get = signedGet(credentials, { region: host.region, service: "iam" });
  return readBoundary(executionRole(account, region), host, get);
}
