import { describe, expect, it } from "vitest";
import { clusterBeforeDeploy, type OwnAccess, type PlannedCluster, plannedClusters } from "#cli/answers/cluster-checks";
import type { ClusterFacts } from "#runtime/account-facts";

const region = "eu-central-1";
const accessRole = "arn:aws:iam::111122223333:role/Lookout-Access";
const prod: PlannedCluster = { name: "prod", eksName: "prod-1", region, hasEntryOfStack: true, hasNetwork: false };
const cluster = {
  kind: "cluster",
  status: "ACTIVE",
  authenticationMode: "API",
  hasPublicEndpoint: true,
  publicCidrs: ["0.0.0.0/0"],
  vpc: "vpc-1",
} as const satisfies ClusterFacts["cluster"];
const first: OwnAccess = { entriesOf: new Set() };
const deployed: OwnAccess = { accessRole, entriesOf: new Set(["prod-1"]) };
const create = `aws eks create-access-entry --region eu-central-1 --cluster-name prod-1 --principal-arn ${accessRole} --username lookout --kubernetes-groups lookout`;

describe("the clusters of lookout.yaml", () => {
  it("are read in this account, and get an entry of the stack in its region", () => {
    const { planned, others } = plannedClusters(
      [
        { name: "prod", eks: { name: "prod-1" } },
        { name: "same", eks: { name: "prod-2", region } },
        { name: "far", eks: { name: "prod-3", region: "us-west-2" } },
        { name: "old", eks: { name: "prod-4", ...{ accessEntry: false } } },
      ],
      region,
    );

    expect(others).toEqual([]);
    expect(planned.map(({ name, region: where, hasEntryOfStack }) => [name, where, hasEntryOfStack])).toEqual([
      ["prod", "eu-central-1", true],
      ["same", "eu-central-1", true],
      ["far", "us-west-2", false],
      ["old", "eu-central-1", false],
    ]);
  });

  it("of another account, and of a kubeconfig, are not read", () => {
    const roleArn = "arn:aws:iam::444455556666:role/lookout";
    const { planned, others } = plannedClusters(
      [
        { name: "there", eks: { name: "prod-1", roleArn } },
        { name: "kind", context: "kind" },
      ],
      region,
    );

    expect(planned).toEqual([]);
    expect(others).toEqual([
      {
        check: "cluster there",
        verdict: "unchecked",
        detail: `not checked from here: only Lookout may assume ${roleArn}`,
        remedy: "After the deployment:  lookout doctor --stack NAME",
      },
      {
        check: "cluster kind",
        verdict: "doubtful",
        detail: "it has a kubeconfig, which a stack ignores",
        remedy: "Write eks: {name: NAME} in lookout.yaml for an EKS cluster.",
      },
    ]);
  });
});

describe("a cluster", () => {
  it.each([
    { because: "before the first deployment", facts: { cluster }, access: first },
    {
      because: "with the stack's entry",
      facts: { cluster, entry: { kind: "there" } },
      access: deployed,
    },
    {
      because: "that the next deployment gives an entry",
      facts: { cluster, entry: { kind: "missing" } },
      access: { accessRole, entriesOf: new Set<string>() },
    },
  ] as const)("is well $because", ({ facts, access }) => {
    expect(clusterBeforeDeploy(prod, facts, access)).toEqual([
      {
        check: "cluster prod",
        verdict: "well",
        detail: "the EKS cluster prod-1 is ACTIVE, authentication mode API, reached at its public endpoint",
      },
    ]);
  });

  it.each([
    {
      because: "EKS does not know it",
      facts: { cluster: { kind: "missing" } },
      expected: {
        verdict: "wrong",
        detail: "this account has no EKS cluster prod-1 in eu-central-1",
        remedy:
          "To list the clusters:  aws eks list-clusters --region eu-central-1 · Correct eks.name, eks.region or eks.roleArn in lookout.yaml.",
      },
    },
    {
      because: "the caller may not read it",
      facts: { cluster: { kind: "denied", detail: "not you" } },
      expected: {
        verdict: "unchecked",
        detail: "AWS does not let you read the EKS cluster prod-1: not you",
        remedy: "You need eks:DescribeCluster. Run the command again with this right.",
      },
    },
    {
      because: "it is being created",
      facts: { cluster: { ...cluster, status: "CREATING" } },
      expected: {
        verdict: "wrong",
        detail: "the EKS cluster prod-1 is CREATING, not ACTIVE",
        remedy: "To wait for it:  aws eks wait cluster-active --region eu-central-1 --name prod-1",
      },
    },
    {
      because: "it refuses access entries",
      facts: { cluster: { ...cluster, authenticationMode: "CONFIG_MAP" } },
      expected: {
        verdict: "wrong",
        detail: "the authentication mode of prod-1 is CONFIG_MAP, so EKS refuses the stack's access entry",
        remedy:
          "To allow entries, which can't be undone:  aws eks update-cluster-config --region eu-central-1 --name prod-1 --access-config authenticationMode=API_AND_CONFIG_MAP" +
          " · Or set accessEntry: false under eks: of the cluster, and add the stack's output LookoutAwsAuthEntry to mapRoles of the ConfigMap aws-auth.",
      },
    },
    {
      because: "its API server is private",
      facts: { cluster: { ...cluster, hasPublicEndpoint: false } },
      expected: {
        verdict: "wrong",
        detail: "the API server of prod-1 has no public endpoint, and no network is set",
        remedy:
          "Add network: {vpc: vpc-1, subnets: [SUBNET, …]} to the cluster in lookout.yaml (docs/cluster-access.md).",
      },
    },
    {
      because: "its endpoint admits few networks",
      facts: { cluster: { ...cluster, publicCidrs: ["192.0.2.0/24", "a", "b", "c"] } },
      expected: {
        verdict: "doubtful",
        detail:
          "the public endpoint of prod-1 admits only 192.0.2.0/24, a, b, …, and functions outside a VPC have no fixed address",
        remedy:
          "Add network: {vpc: vpc-1, subnets: [SUBNET, …]} to the cluster in lookout.yaml (docs/cluster-access.md).",
      },
    },
    {
      because: "another one created its entry",
      facts: { cluster, entry: { kind: "there" } },
      access: { accessRole, entriesOf: new Set<string>() },
      expected: {
        verdict: "wrong",
        detail:
          "prod-1 already has an access entry for Lookout's role that is not of the stack, so the deployment ends with 409",
        remedy: `To keep the entry, set accessEntry: false under eks: of the cluster in lookout.yaml · Or delete it just before the deployment:  aws eks delete-access-entry --region eu-central-1 --cluster-name prod-1 --principal-arn ${accessRole}`,
      },
    },
    {
      because: "the owner of its entry is unknown",
      facts: { cluster, entry: { kind: "there" } },
      access: { accessRole },
      expected: {
        verdict: "unchecked",
        detail: "prod-1 has an access entry for Lookout's role, and the owner of the entry is unknown",
        remedy: "You need cloudformation:ListStackResources. Run the command again with this right.",
      },
    },
    {
      because: "it was created again, and lost its entry",
      facts: { cluster, entry: { kind: "missing" } },
      access: deployed,
      expected: {
        verdict: "wrong",
        detail: "prod-1 lost the access entry of the stack, and a deployment does not create it again",
        remedy: `To create it:  ${create}`,
      },
    },
    {
      because: "its entry can't be read",
      facts: { cluster, entry: { kind: "denied", detail: "not you" } },
      access: deployed,
      expected: {
        verdict: "unchecked",
        detail: "AWS does not let you read the access entry of prod-1: not you",
        remedy: "You need eks:DescribeAccessEntry. Run the command again with this right.",
      },
    },
  ] as const satisfies readonly {
    readonly because: string;
    readonly facts: ClusterFacts;
    readonly access?: OwnAccess;
    readonly expected: object;
  }[])("is reported when $because", ({ facts, expected, ...rest }) => {
    const access = "access" in rest ? rest.access : first;

    expect(clusterBeforeDeploy(prod, facts, access)).toEqual([{ check: "cluster prod", ...expected }]);
  });

  it("has a check for each of its findings", () => {
    const facts = { cluster: { ...cluster, authenticationMode: "CONFIG_MAP", hasPublicEndpoint: false } };

    expect(clusterBeforeDeploy(prod, facts, first).map(({ verdict }) => verdict)).toEqual(["wrong", "wrong"]);
  });

  it("with a network may be private", () => {
    const facts = { cluster: { ...cluster, hasPublicEndpoint: false } };

    expect(clusterBeforeDeploy({ ...prod, hasNetwork: true }, facts, first)).toEqual([
      {
        check: "cluster prod",
        verdict: "well",
        detail: "the EKS cluster prod-1 is ACTIVE, authentication mode API, reached in its network",
      },
    ]);
  });
});

describe("a cluster whose entry a user creates", () => {
  const own = { ...prod, hasEntryOfStack: false };

  it.each([
    { mode: "API", verdict: "wrong", more: "" },
    {
      mode: "API_AND_CONFIG_MAP",
      verdict: "doubtful",
      more: " · Nothing to do if the ConfigMap aws-auth maps the role.",
    },
  ])("is $verdict without an entry in the mode $mode", ({ mode, verdict, more }) => {
    const facts = { cluster: { ...cluster, authenticationMode: mode }, entry: { kind: "missing" } } as const;

    expect(clusterBeforeDeploy(own, facts, deployed)).toEqual([
      {
        check: "cluster prod",
        verdict,
        detail: "prod-1 has no access entry for Lookout's role, and the stack creates none for it",
        remedy: `To create it:  ${create}${more}`,
      },
    ]);
  });

  it("is well in the mode CONFIG_MAP, and with an entry", () => {
    const verdictOf = (facts: ClusterFacts) => clusterBeforeDeploy(own, facts, deployed).map(({ verdict }) => verdict);

    expect(verdictOf({ cluster: { ...cluster, authenticationMode: "CONFIG_MAP" } })).toEqual(["well"]);
    expect(verdictOf({ cluster, entry: { kind: "there" } })).toEqual(["well"]);
  });
});
