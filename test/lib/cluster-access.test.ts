import { App, Stack } from "aws-cdk-lib";
import { AccountRootPrincipal, PolicyStatement, Role } from "aws-cdk-lib/aws-iam";
import { Template } from "aws-cdk-lib/assertions";
import { describe, expect, it } from "vitest";
import { clusterManifests, accessEntrySubjects } from "#cli/manifests/cluster-manifests";
import { ClusterAccess } from "../../lib/access/cluster-access.ts";

describe("access to an EKS cluster", () => {
  it("is an entry with a user and a group, after the role and its policies, and without rights of EKS", () => {
    const stack = new Stack(new App({ analyticsReporting: false }), "Test");
    const role = new Role(stack, "Role", { assumedBy: new AccountRootPrincipal() });
    new ClusterAccess(stack, "Access", { clusterName: "prod", role });
    role.addToPolicy(new PolicyStatement({ actions: ["eks:DescribeCluster"], resources: ["*"] }));
    const idOf = (type: string) => Object.keys(Template.fromStack(stack).findResources(type))[0] ?? "";

    expect(Object.values(Template.fromStack(stack).findResources("AWS::EKS::AccessEntry"))).toEqual([
      {
        Type: "AWS::EKS::AccessEntry",
        Properties: {
          ClusterName: "prod",
          PrincipalArn: { "Fn::GetAtt": [idOf("AWS::IAM::Role"), "Arn"] },
          Username: "lookout",
          KubernetesGroups: ["lookout"],
        },
        DependsOn: [idOf("AWS::IAM::Policy"), idOf("AWS::IAM::Role")],
      },
    ]);
  });

  it("has the names of the printed manifests", () => {
    const binding = clusterManifests({ subjects: accessEntrySubjects, deletePods: false, readNodes: false }).find(
      ({ object }) => object["kind"] === "ClusterRoleBinding",
    );

    expect(binding?.object["subjects"]).toMatchObject([
      { kind: "User", name: "lookout" },
      { kind: "Group", name: "lookout" },
    ]);
  });
});
