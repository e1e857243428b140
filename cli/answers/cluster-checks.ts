import type { ClusterConfiguration } from "#contracts/config/configuration";
import { accessName } from "#contracts/kubernetes/access";
import type { ClusterFacts } from "#runtime/account-facts";
import { type DeployCheck, refusedCheck } from "./deploy-check.ts";

/** An EKS cluster of lookout.yaml that the caller's own credentials may read. */
export interface PlannedCluster {
  /** The name in lookout.yaml. */
  readonly name: string;
  readonly eksName: string;
  readonly region: string;
  /** True if the stack creates the access entry, and false if a user does. */
  readonly hasEntryOfStack: boolean;
  readonly hasNetwork: boolean;
}

/** Lookout's role in clusters, and whether the stack has an access entry for a cluster. */
export interface OwnAccess {
  readonly accessRole?: string;
  /** The clusters, by their names in EKS, with an entry of the stack. Absent if they are unknown. */
  readonly entriesOf?: ReadonlySet<string>;
}

/** Divides the clusters of lookout.yaml into those to read, and the checks of all others. */
export function plannedClusters(
  clusters: readonly ClusterConfiguration[],
  region: string,
): { readonly planned: readonly PlannedCluster[]; readonly others: readonly DeployCheck[] } {
  const planned = clusters.flatMap(({ name, eks, network }): readonly PlannedCluster[] => {
    if (eks === undefined || eks.roleArn !== undefined) return [];
    const place = { name, eksName: eks.name, region: eks.region ?? region, hasNetwork: network !== undefined };
    return [{ ...place, hasEntryOfStack: place.region === region && eks.accessEntry !== false }];
  });
  return { planned, others: clusters.flatMap(otherCluster) };
}

function otherCluster({ name, eks, inCluster }: ClusterConfiguration): readonly DeployCheck[] {
  const check = `cluster ${name}`;
  if (eks === undefined)
    return [
      {
        check,
        verdict: "doubtful",
        detail: `it has ${inCluster === true ? "inCluster" : "a kubeconfig"}, which a stack ignores`,
        remedy: "Write eks: {name: NAME} in lookout.yaml for an EKS cluster.",
      },
    ];
  if (eks.roleArn === undefined) return [];
  return [
    {
      check,
      verdict: "unchecked",
      detail: `not checked from here: only Lookout may assume ${eks.roleArn}`,
      remedy: "After the deployment:  lookout doctor --stack NAME",
    },
  ];
}

/** Returns a check for each finding of a cluster, or one check that passed. */
export function clusterBeforeDeploy(
  planned: PlannedCluster,
  { cluster, entry }: ClusterFacts,
  access: OwnAccess,
): readonly DeployCheck[] {
  const { name, eksName, region } = planned;
  const check = `cluster ${name}`;
  if (cluster.kind === "missing")
    return [
      {
        check,
        verdict: "wrong",
        detail: `this account has no EKS cluster ${eksName} in ${region}`,
        remedy: `To list the clusters:  aws eks list-clusters --region ${region} · Correct eks.name, eks.region or eks.roleArn in lookout.yaml.`,
      },
    ];
  if (cluster.kind !== "cluster") {
    const what = `the EKS cluster ${eksName}`;
    return [refusedCheck({ check, what, service: "EKS", region, right: "eks:DescribeCluster" }, cluster)];
  }
  const found = { planned, cluster, entry, access };
  const findings = [...statusFindings(found), ...endpointFindings(found), ...accessFindings(found)];
  if (findings.length > 0) return findings.map((finding) => ({ check, ...finding }));
  return [{ check, verdict: "well", detail: wellText(found) }];
}

interface Found {
  readonly planned: PlannedCluster;
  readonly cluster: Extract<ClusterFacts["cluster"], { kind: "cluster" }>;
  readonly entry: ClusterFacts["entry"];
  readonly access: OwnAccess;
}

type Finding = Omit<DeployCheck, "check">;

function wellText({
  planned: { eksName, hasNetwork },
  cluster: { authenticationMode: mode, hasPublicEndpoint },
}: Found) {
  const endpoint = hasNetwork ? "reached in its network" : hasPublicEndpoint ? "reached at its public endpoint" : "";
  return [
    `the EKS cluster ${eksName} is ACTIVE`,
    ...(mode === undefined ? [] : [`authentication mode ${mode}`]),
    endpoint,
  ]
    .filter((text) => text !== "")
    .join(", ");
}

function statusFindings({ planned: { eksName, region }, cluster: { status } }: Found): readonly Finding[] {
  if (status === "ACTIVE") return [];
  return [
    {
      verdict: status === "UPDATING" ? "doubtful" : "wrong",
      detail: `the EKS cluster ${eksName} is ${status}, not ACTIVE`,
      remedy: `To wait for it:  aws eks wait cluster-active --region ${region} --name ${eksName}`,
    },
  ];
}

const everyAddress = ["0.0.0.0/0", "::/0"];

function endpointFindings({ planned: { eksName, hasNetwork }, cluster }: Found): readonly Finding[] {
  if (hasNetwork) return [];
  const network = `network: {vpc: ${cluster.vpc ?? "VPC"}, subnets: [SUBNET, …]}`;
  const remedy = `Add ${network} to the cluster in lookout.yaml (docs/cluster-access.md).`;
  if (!cluster.hasPublicEndpoint)
    return [
      {
        verdict: "wrong",
        detail: `the API server of ${eksName} has no public endpoint, and no network is set`,
        remedy,
      },
    ];
  if (cluster.publicCidrs.length === 0 || cluster.publicCidrs.some((cidr) => everyAddress.includes(cidr))) return [];
  const shown = cluster.publicCidrs.slice(0, 3).join(", ") + (cluster.publicCidrs.length > 3 ? ", …" : "");
  return [
    {
      verdict: "doubtful",
      detail: `the public endpoint of ${eksName} admits only ${shown}, and functions outside a VPC have no fixed address`,
      remedy,
    },
  ];
}

function accessFindings(found: Found): readonly Finding[] {
  const { planned, entry } = found;
  if (entry !== undefined && entry.kind !== "there" && entry.kind !== "missing") {
    const { eksName, region } = planned;
    const what = `the access entry of ${eksName}`;
    const { check: _, ...finding } = refusedCheck(
      { check: "", what, service: "EKS", region, right: "eks:DescribeAccessEntry" },
      entry,
    );
    return [finding];
  }
  if (planned.hasEntryOfStack) return entryOfStackFindings(found);
  return entry?.kind === "missing" ? [missingEntry(found)] : [];
}

const awsAuth =
  "set accessEntry: false under eks: of the cluster, and add the stack's output LookoutAwsAuthEntry to mapRoles of the ConfigMap aws-auth";

/** Returns the findings of an entry that the stack creates. */
function entryOfStackFindings(found: Found): readonly Finding[] {
  const { planned, cluster, entry, access } = found;
  const owned = access.entriesOf?.has(planned.eksName);
  if (cluster.authenticationMode === "CONFIG_MAP") return [refusedEntry(planned)];
  if (entry?.kind === "there" && owned !== true) return [foreignEntry(found, owned)];
  return entry?.kind === "missing" && owned === true ? [lostEntry(found)] : [];
}

function refusedEntry({ eksName, region }: PlannedCluster): Finding {
  const allow = `aws eks update-cluster-config --region ${region} --name ${eksName} --access-config authenticationMode=API_AND_CONFIG_MAP`;
  return {
    verdict: "wrong",
    detail: `the authentication mode of ${eksName} is CONFIG_MAP, so EKS refuses the stack's access entry`,
    remedy: `To allow entries, which can't be undone:  ${allow} · Or ${awsAuth}.`,
  };
}

/** Returns the finding of an entry that is not of the stack, or whose owner is unknown. */
function foreignEntry(found: Found, owned: false | undefined): Finding {
  const { eksName } = found.planned;
  if (owned === undefined)
    return {
      verdict: "unchecked",
      detail: `${eksName} has an access entry for Lookout's role, and the owner of the entry is unknown`,
      remedy: "You need cloudformation:ListStackResources. Run the command again with this right.",
    };
  return {
    verdict: "wrong",
    detail: `${eksName} already has an access entry for Lookout's role that is not of the stack, so the deployment ends with 409`,
    remedy: `To keep the entry, set accessEntry: false under eks: of the cluster in lookout.yaml · Or delete it just before the deployment:  aws eks delete-access-entry ${entryFlags(found)}`,
  };
}

function lostEntry(found: Found): Finding {
  return {
    verdict: "wrong",
    detail: `${found.planned.eksName} lost the access entry of the stack, and a deployment does not create it again`,
    remedy: `To create it:  ${createEntry(found)}`,
  };
}

/** Returns the finding of an entry that a user has to create. */
function missingEntry(found: Found): Finding {
  const isNeeded = found.cluster.authenticationMode === "API";
  return {
    verdict: isNeeded ? "wrong" : "doubtful",
    detail: `${found.planned.eksName} has no access entry for Lookout's role, and the stack creates none for it`,
    remedy: `To create it:  ${createEntry(found)}${isNeeded ? "" : " · Nothing to do if the ConfigMap aws-auth maps the role."}`,
  };
}

function createEntry(found: Found): string {
  return `aws eks create-access-entry ${entryFlags(found)} --username ${accessName} --kubernetes-groups ${accessName}`;
}

function entryFlags({ planned: { eksName, region }, access: { accessRole = "ROLE" } }: Found): string {
  return `--region ${region} --cluster-name ${eksName} --principal-arn ${accessRole}`;
}
