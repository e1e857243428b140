import { App, Stack } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { describe, expect, it } from "vitest";
import { clusterManifests, accessEntrySubjects } from "#cli/manifests/cluster-manifests";
import { ClusterAccess } from "../../lib/access/cluster-access.ts";

const roleArn = "arn:aws:iam::111122223333:role/Lookout-AccessRole";

describe("access to an EKS cluster", () => {
  it("is an entry with a user and a group, and no rights of EKS", () => {
    const stack = new Stack(new App({ analyticsReporting: false }), "Test");
    new ClusterAccess(stack, "Access", { clusterName: "prod", roleArn });

    expect(Object.values(Template.fromStack(stack).findResources("AWS::EKS::AccessEntry"))).toEqual([
      {
        Type: "AWS::EKS::AccessEntry",
        Properties: {
          ClusterName: "prod",
          PrincipalArn: roleArn,
          Username: "lookout",
          KubernetesGroups: ["lookout"],
        },
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
