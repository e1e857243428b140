import { kubernetesCluster } from "#adapters/kubernetes/cluster";
import { connection } from "#adapters/kubernetes/connection";
import { tokenCredentials, type TokenServer } from "#adapters/kubernetes/token-credentials";
import { address, type ClusterAddress, clusterAddresses } from "#adapters/eks/cluster-address";
import { assumedRole } from "#adapters/sts/assumed-role";
import { eksTokens } from "#adapters/sts/eks-access";
import { ownCredentials } from "#adapters/sts/own-credentials";
import type { NoAnswer } from "#adapters/shared/aws-errors";
import type { ClusterConfiguration } from "#contracts/config/configuration";
import type { Cluster } from "#ports/cluster";
import { PermanentError } from "#ports/errors";
import type { Registration } from "#ports/registrations";

/** A cluster of EKS, as `lookout.yaml` or a registration describes it. */
export interface EksDefinition extends Pick<Registration, "name" | "eks" | "namespaces"> {
  /** Of `lookout.yaml` alone: it is reached from there. */
  readonly network?: ClusterConfiguration["network"];
}

/** As whom clusters are reached. */
export interface EksVisitor {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** ARN of the role that is taken first, and that clusters let in which name no other. Absent: one's own credentials. */
  readonly accessRole?: string | undefined;
}

type OpenCluster = Cluster & { close(): Promise<void> };

/**
 * Answers how clusters of EKS are reached. Nothing is asked before a cluster is; credentials and roles are shared by all.
 *
 * A role that a cluster names is taken by the access role, so that its trust policy has to name no other.
 *
 * @throws PermanentError from what it answers, when neither the cluster nor the environment names a region.
 */
export function eksVisitor({ environment, accessRole }: EksVisitor): (definition: EksDefinition) => OpenCluster {
  const home = environment["AWS_REGION"] ?? environment["AWS_DEFAULT_REGION"];
  const endpoint = environment["AWS_ENDPOINT_URL_STS"] ?? environment["AWS_ENDPOINT_URL"];
  const own = ownCredentials();
  const roles = new Map<string, ReturnType<typeof assumedRole>>();
  const takeRole = (roleArn: string, region: string, by: typeof own): typeof own => {
    const taken = roles.get(roleArn) ?? assumedRole({ roleArn, region, by });
    roles.set(roleArn, taken);
    return taken;
  };
  return ({ name, eks, namespaces, network }) => {
    const region = eks.region ?? home;
    if (region === undefined)
      throw new PermanentError(`no region is known for the cluster ${name}: write eks.region, or set AWS_REGION`);
    const visitor = accessRole === undefined ? own : takeRole(accessRole, home ?? region, own);
    const credentials = eks.roleArn === undefined ? visitor : takeRole(eks.roleArn, home ?? region, visitor);
    const roleArn = eks.roleArn ?? accessRole;
    const isOutside = accessRole !== undefined && network === undefined;
    const find = servers(eks, region, credentials);
    const api = connection(
      tokenCredentials({
        host: `the EKS cluster ${eks.name} (${region})`,
        remedy: entryRemedy(eks.name, region, roleArn),
        server: isOutside ? async (afresh) => withRemedy(await find(afresh)) : find,
        token: eksTokens({ cluster: eks.name, region, endpoint, credentials, roleArn }),
      }),
    );
    return kubernetesCluster({ name, api, ...(namespaces === undefined ? {} : { namespaces }) });
  };
}

function servers(
  { name, endpoint, certificateAuthority }: EksDefinition["eks"],
  region: string,
  credentials: ReturnType<typeof ownCredentials>,
) {
  if (endpoint === undefined || certificateAuthority === undefined)
    return clusterAddresses({ cluster: name, region, credentials });
  const known = address(endpoint, certificateAuthority);
  return () => Promise.resolve(known);
}

/** Functions outside of any VPC reach endpoints that everybody may reach. */
function withRemedy(found: ClusterAddress | NoAnswer): TokenServer | NoAnswer {
  if (found.kind === "none") return found;
  const { onlyIn } = found;
  const remedy =
    onlyIn === undefined
      ? "look at its address; an API server that not everybody may reach takes a network in lookout.yaml"
      : `its API server has no public endpoint: write it into lookout.yaml with a network in ${onlyIn}, and deploy`;
  return { ...found, whenAway: `${remedy} (docs/cluster-access.md)` };
}

/** A cluster that does not know the role has no access entry for it. */
function entryRemedy(cluster: string, region: string, roleArn = "<your role>"): string {
  return `let the role in: aws eks create-access-entry --region ${region} --cluster-name ${cluster} --principal-arn ${roleArn} --username lookout --kubernetes-groups lookout`;
}
