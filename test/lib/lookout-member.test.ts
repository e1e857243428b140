import { App, Stack } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { beforeAll, describe, expect, it } from "vitest";
import { LookoutMember, type LookoutMemberProps } from "../../lib/stack/lookout-member.ts";

const installation = {
  busArn: "arn:aws:events:eu-central-1:111122223333:event-bus/LookoutBus",
  accessRoleArn: "arn:aws:iam::111122223333:role/Lookout-AccessRole",
  registryRoleArn: "arn:aws:iam::111122223333:role/Lookout-RegistryRole",
};

let template: Template;
let withClusters: Template;

beforeAll(() => {
  template = templateOf({});
  withClusters = templateOf({ clusterNames: ["prod", "stage"] });
});

function templateOf(props: Partial<LookoutMemberProps>): Template {
  const app = new App({ analyticsReporting: false, context: { "aws:cdk:disable-stack-trace": true } });
  const stack = new Stack(app, "Member", { env: { account: "444455556666", region: "eu-west-1" } });
  new LookoutMember(stack, "Lookout", { ...installation, ...props });
  return Template.fromStack(stack);
}

interface Statement {
  readonly Action: string | readonly string[];
  readonly Resource?: unknown;
  readonly Principal?: unknown;
}

interface Resource {
  readonly Properties: Readonly<Record<string, unknown>> & {
    readonly AssumeRolePolicyDocument?: { readonly Statement: readonly Statement[] };
    readonly PolicyDocument?: { readonly Statement: readonly Statement[] };
  };
}

function resources(template: Template, type: string): readonly Resource[] {
  return Object.values(template.findResources(type)) as Resource[];
}

/** What each policy allows, and to what. */
function allowed(template: Template): readonly unknown[] {
  return resources(template, "AWS::IAM::Policy").flatMap(
    ({ Properties }) =>
      Properties.PolicyDocument?.Statement.map(({ Action, Resource }) => ({ Action, Resource: text(Resource) })) ?? [],
  );
}

/** Whom each role trusts. */
function trusted(template: Template): readonly unknown[] {
  return resources(template, "AWS::IAM::Role").flatMap(
    ({ Properties }) =>
      Properties.AssumeRolePolicyDocument?.Statement.map((statement) => ({
        ...statement,
        Principal: text(statement.Principal),
      })) ?? [],
  );
}

/** What is put together when it is deployed, as one text. */
function text(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(text);
  if (typeof value !== "object" || value === null) return value;
  const joined = (value as { readonly "Fn::Join"?: readonly [string, readonly unknown[]] })["Fn::Join"];
  if (joined !== undefined) return joined[1].map((part) => (typeof part === "string" ? part : "aws")).join(joined[0]);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, text(member)]));
}

const forwards = { Action: "events:PutEvents", Resource: installation.busArn };
const reads = [
  {
    Action: ["ecr:BatchGetImage", "ecr:ListImages"],
    Resource: "arn:aws:ecr:*:444455556666:repository/*",
  },
];

describe("an account of another account's installation", () => {
  it("forwards its own pushes to ECR to that installation's bus, and nothing else", () => {
    const [rule, ...others] = resources(template, "AWS::Events::Rule");

    expect(others).toEqual([]);
    expect(rule?.Properties).toMatchObject({
      EventPattern: {
        source: ["aws.ecr"],
        "detail-type": ["ECR Image Action", "ECR Replication Action", "ECR Pull Through Cache Action"],
        account: ["444455556666"],
      },
      State: "ENABLED",
      Targets: [
        {
          Arn: installation.busArn,
          DeadLetterConfig: { Arn: { "Fn::GetAtt": [expect.stringContaining("Rejected") as string, "Arn"] } },
        },
      ],
    });
    expect(rule?.Properties).not.toHaveProperty("EventBusName");
  });

  it("lets one role of that installation read its repositories, and nobody else", () => {
    expect(allowed(template)).toEqual([forwards, ...reads]);
    expect(trusted(template)).toEqual([
      {
        Action: "sts:AssumeRole",
        Effect: "Allow",
        Principal: { Service: "events.amazonaws.com" },
        Condition: { StringEquals: { "aws:SourceAccount": "444455556666" } },
      },
      {
        Action: "sts:AssumeRole",
        Effect: "Allow",
        Principal: { AWS: installation.registryRoleArn },
      },
    ]);
  });

  it("lets this role read the configurations of images only with readsLayers", () => {
    const [, read] = allowed(templateOf({ readsLayers: true }));

    expect(read).toMatchObject({ Action: ["ecr:BatchGetImage", "ecr:ListImages", "ecr:GetDownloadUrlForLayer"] });
  });

  it("has no role for clusters without a cluster", () => {
    expect(resources(template, "AWS::EKS::AccessEntry")).toEqual([]);
  });

  it("lets the access role assume the role of its clusters", () => {
    expect(resources(withClusters, "AWS::EKS::AccessEntry").map(({ Properties }) => Properties["ClusterName"])).toEqual(
      ["prod", "stage"],
    );
    expect(allowed(withClusters)).toEqual([
      forwards,
      ...reads,
      {
        Action: "eks:DescribeCluster",
        Resource: ["prod", "stage"].map((name) => `arn:aws:eks:eu-west-1:444455556666:cluster/${name}`),
      },
    ]);
    expect(trusted(withClusters)[2]).toEqual({
      Action: "sts:AssumeRole",
      Effect: "Allow",
      Principal: { AWS: installation.accessRoleArn },
    });
  });

  it("names in its outputs the rejected pushes, and the roles for lookout.yaml", () => {
    const described = (of: Template) =>
      Object.values(of.findOutputs("*")).map(({ Description }) => Description as unknown);
    const rejected = "The pushes of the last 14 days that Lookout's bus rejected";
    const read = "The roleArn of this account's registry in lookout.yaml";

    expect(described(template)).toEqual([rejected, read]);
    expect(described(withClusters)).toEqual([
      rejected,
      read,
      "The eks.roleArn of this account's clusters in lookout.yaml",
    ]);
  });

  it("has no access entry in a cluster with aws-auth, and names in an output how to give access there", () => {
    const old = templateOf({ clusterNames: ["prod"], clusterNamesWithoutEntry: ["old"] });
    const entries = resources(old, "AWS::EKS::AccessEntry").map(({ Properties }) => Properties["ClusterName"]);
    const [, , , awsAuth] = Object.values(old.findOutputs("*"));

    expect(entries).toEqual(["prod"]);
    expect(allowed(old)).toContainEqual({
      Action: "eks:DescribeCluster",
      Resource: ["prod", "old"].map((name) => `arn:aws:eks:eu-west-1:444455556666:cluster/${name}`),
    });
    // aws-auth accepts no path, and the role's path is /lookout/.
    expect(awsAuth).toEqual({
      Description: "The entry for mapRoles of aws-auth, in clusters without access entries",
      Value: {
        "Fn::Join": [
          "",
          [
            '- {rolearn: "arn:',
            { Ref: "AWS::Partition" },
            ":iam::444455556666:role/",
            { Ref: expect.stringContaining("ClusterRole") as string },
            '", username: lookout, groups: [lookout]}',
          ],
        ],
      },
    });
  });

  it("has the role of its clusters under the path that the installation may assume", () => {
    const paths = resources(withClusters, "AWS::IAM::Role").map(({ Properties }) => Properties["Path"]);

    expect(paths.filter((path) => path !== undefined)).toEqual(["/lookout/"]);
  });
});
