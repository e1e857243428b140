import { kubernetesCluster } from "#adapters/kubernetes/cluster";
import { connection } from "#adapters/kubernetes/connection";
import { tokenCredentials, type TokenServer } from "#adapters/kubernetes/token-credentials";
import { address, type ClusterAddress, clusterAddresses } from "#adapters/eks/cluster-address";
import { assumedRole } from "#adapters/sts/assumed-role";
import { eksTokens } from "#adapters/sts/eks-access";
import { ownCredentials } from "#adapters/sts/own-credentials";
import type { NoAnswer } from "#adapters/shared/aws-errors";
import type { ClusterConfiguration } from "#contracts/config/configuration";
import type { CustomKindSpec } from "#domain/workload/custom/kind";
import type { Cluster } from "#ports/cluster";
import { PermanentError } from "#ports/errors";
import type { Registration } from "#ports/registrations";

/** An EKS cluster of `lookout.yaml` or of a registration. */
export interface EksDefinition extends Pick<Registration, "name" | "namespaces"> {
  readonly eks: Registration["eks"] &
    Pick<NonNullable<ClusterConfiguration["eks"]>, "accessEntry" | "endpoint" | "certificateAuthority">;
  /** The VPC of the cluster's functions. A registered cluster has none. */
  readonly network?: ClusterConfiguration["network"];
}

interface EksVisitor {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /**
   * The ARN of the default role for clusters. Absent if Lookout uses the process's own credentials.
   */
  readonly accessRole?: string | undefined;
  /** The kinds of other operators in `lookout.yaml`. */
  readonly kinds?: readonly CustomKindSpec[];
}

type OpenCluster = Cluster & { close(): Promise<void> };

/**
 * Returns a function that opens EKS clusters, without a request before the first use. The access
 * role assumes the role that a cluster names. So the trust policy of the cluster's role names only
 * the access role.
 *
 * @throws PermanentError from the returned function, when the cluster's region is unknown
 */
export function eksVisitor({
  environment,
  accessRole,
  kinds = [],
}: EksVisitor): (definition: EksDefinition) => OpenCluster {
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
      throw new PermanentError(
        `the region of the cluster ${name} is unknown: set eks.region in lookout.yaml, or AWS_REGION`,
      );
    const visitor = accessRole === undefined ? own : takeRole(accessRole, home ?? region, own);
    const credentials = eks.roleArn === undefined ? visitor : takeRole(eks.roleArn, home ?? region, visitor);
    const roleArn = eks.roleArn ?? accessRole;
    const isOutside = accessRole !== undefined && network === undefined;
    const find = servers(eks, region, credentials);
    const api = connection(
      tokenCredentials({
        host: `the EKS cluster ${eks.name} (${region})`,
        remedy: entryRemedy(eks, region, roleArn),
        server: isOutside ? async (afresh) => withRemedy(await find(afresh)) : find,
        token: eksTokens({ cluster: eks.name, region, endpoint, credentials, roleArn }),
      }),
    );
    return kubernetesCluster({ name, api, kinds, ...(namespaces === undefined ? {} : { namespaces }) });
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

/**
 * Returns an address with a remedy for functions outside a VPC, which reach only public endpoints.
 */
function withRemedy(found: ClusterAddress | NoAnswer): TokenServer | NoAnswer {
  if (found.kind === "none") return found;
  const { onlyIn } = found;
  const remedy =
    onlyIn === undefined
      ? "check the cluster's address; an API server without public access needs a network in lookout.yaml"
      : `the API server has no public endpoint: add the cluster to lookout.yaml with a network in ${onlyIn}, and deploy`;
  return { ...found, whenAway: `${remedy} (docs/cluster-access.md)` };
}

/** Returns the remedy for a cluster without an access entry for the role. */
function entryRemedy({ name, accessEntry }: EksDefinition["eks"], region: string, roleArn = "<your role>"): string {
  const otherwise = accessEntry === false ? "add the role to mapRoles of aws-auth, or " : "";
  return `${otherwise}create an access entry: aws eks create-access-entry --region ${region} --cluster-name ${name} --principal-arn ${roleArn} --username lookout --kubernetes-groups lookout`;
}
