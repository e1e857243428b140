import type { App } from "aws-cdk-lib";
import { aws_cloudwatch as cloudwatch, Stack } from "aws-cdk-lib";
import { Match, Template } from "aws-cdk-lib/assertions";
import { Certificate } from "aws-cdk-lib/aws-certificatemanager";
import { DomainName } from "aws-cdk-lib/aws-apigatewayv2";
import { TableV2 } from "aws-cdk-lib/aws-dynamodb";
import { Port, SecurityGroup, Vpc } from "aws-cdk-lib/aws-ec2";
import { Cluster as EksCluster } from "aws-cdk-lib/aws-eks";
import { SnsTopic } from "aws-cdk-lib/aws-events-targets";
import { ManagedPolicy, Role } from "aws-cdk-lib/aws-iam";
import { Key } from "aws-cdk-lib/aws-kms";
import { Tracing } from "aws-cdk-lib/aws-lambda";
import { RetentionDays } from "aws-cdk-lib/aws-logs";
import { Topic } from "aws-cdk-lib/aws-sns";
import { describe, expect, it } from "vitest";
import { ReceiverKind } from "#lib/messaging/added-receivers";
import { Cluster } from "#lib/stack/cluster";
import { Lookout } from "#lib/stack/lookout";
import { LookoutStack } from "#lib/stack/lookout-stack";
import { Settings } from "#lib/stack/settings";
import { errorsOf, flat, noCode, testApp } from "./deployed.ts";

const env = { account: "111122223333", region: "eu-central-1" };
const base = { settings: Settings.of({}), functions: noCode };

function stackOf(app: App = testApp()): Stack {
  return new Stack(app, "Shop", { env });
}

/** A resource of a template. */
interface Found<Properties> {
  readonly Properties: Properties;
}

interface Joined {
  readonly "Fn::Join": readonly [string, readonly unknown[]];
}

const certificateArn = "arn:aws:acm:eu-central-1:111122223333:certificate/1";

describe("a CDK app", () => {
  it("uses everything of the construct", () => {
    const stack = stackOf();
    const oncall = new Topic(stack, "Oncall");
    const release = Role.fromRoleArn(stack, "Release", "arn:aws:iam::111122223333:role/release");
    const vpc = Vpc.fromVpcAttributes(stack, "Vpc", {
      vpcId: "vpc-0a1b2c3d",
      availabilityZones: ["eu-central-1a"],
      privateSubnetIds: ["subnet-0a1b2c3d"],
    });
    const group = SecurityGroup.fromSecurityGroupId(stack, "Nodes", "sg-0a1b2c3d");
    const prod = EksCluster.fromClusterAttributes(stack, "Prod", {
      clusterName: "prod",
      vpc,
      securityGroupIds: [group.securityGroupId],
    });
    const lookout = new Lookout(stack, "Lookout", {
      ...base,
      clusters: [Cluster.eks(prod, { vpc }), Cluster.named("old", { accessEntry: false })],
      encryptionKey: new Key(stack, "Key"),
      domain: new DomainName(stack, "Domain", {
        domainName: "lookout.example.com",
        certificate: Certificate.fromCertificateArn(stack, "Certificate", certificateArn),
      }),
      logRetention: RetentionDays.THREE_MONTHS,
      tracing: Tracing.ACTIVE,
      permissionsBoundary: ManagedPolicy.fromManagedPolicyName(stack, "Boundary", "boundary"),
    });
    const { secret, url } = lookout.addReceiver("harbor", { kind: ReceiverKind.HARBOR });
    lookout.grantApprove(release, { namespaces: ["prod/shop"] });
    lookout.grantRead(release);
    lookout.grantOperate(release);
    lookout.onUpdateFailed("Page", { target: new SnsTopic(oncall) });
    for (const on of ["onRolledBack", "onUpdateSucceeded", "onApprovalRequested"] as const) lookout[on](on);
    const slow = { threshold: 600_000, evaluationPeriods: 2 };
    lookout.metricPushToRunning({ statistic: cloudwatch.Stats.p(99) }).createAlarm(stack, "Slow", slow);
    prod.connections.allowFrom(lookout, Port.tcp(443));

    expect(errorsOf(stack)).toEqual([]);
    expect(flat(stack.resolve(url))).toMatch(/^https:\/\/<Domain\w+>\/webhooks\/harbor$/);
    const template = Template.fromStack(stack);
    template.hasResourceProperties("AWS::EKS::AccessEntry", { ClusterName: "prod" });
    template.resourceCountIs("AWS::EKS::AccessEntry", 1);
    template.hasResourceProperties("AWS::DynamoDB::GlobalTable", {
      SSESpecification: Match.objectLike({ SSEEnabled: true, SSEType: "KMS" }),
    });
    template.allResourcesProperties("AWS::Logs::LogGroup", { RetentionInDays: 90 });
    template.allResourcesProperties("AWS::Lambda::Function", { TracingConfig: { Mode: "Active" } });
    template.allResourcesProperties("AWS::IAM::Role", { PermissionsBoundary: Match.anyValue() });
    template.hasResourceProperties("AWS::ApiGatewayV2::ApiMapping", { Stage: "$default" });
    template.hasResourceProperties("AWS::ApiGatewayV2::Route", { RouteKey: "POST /webhooks/{receiver}" });
    template.hasResourceProperties("AWS::Events::Rule", {
      EventPattern: { source: ["lookout"], "detail-type": ["RolloutFailed", "RollbackFailed"] },
    });
    template.hasResourceProperties("AWS::EC2::SecurityGroupIngress", { FromPort: 443, GroupId: "sg-0a1b2c3d" });
    template.hasResourceProperties("AWS::CloudWatch::Alarm", { Metrics: Match.absent(), ExtendedStatistic: "p99" });
    const [webhook] = Object.values(
      template.findResources("AWS::Lambda::Function", { Properties: { Handler: "detect/registry-webhook.handler" } }),
    ) as unknown as readonly Found<{ readonly Environment: { readonly Variables: Record<string, unknown> } }>[];
    const added = flat(stack.resolve(webhook?.Properties.Environment.Variables["LOOKOUT_ADDED_RECEIVERS"]));
    expect(JSON.parse(added)).toEqual([
      { name: "harbor", kind: "harbor", secretId: expect.stringMatching(/^<LookoutReceivers/) as string },
    ]);
    expect(stack.resolve(secret.secretArn)).toEqual({ Ref: expect.stringContaining("Receivers") as string });
  });

  it("gives people the paths of their namespaces alone", () => {
    const stack = stackOf();
    const role = new Role(stack, "Release", {
      assumedBy: Role.fromRoleArn(stack, "Any", "arn:aws:iam::111122223333:role/any"),
    });
    const lookout = new Lookout(stack, "Lookout", base);
    lookout.grantApprove(role, { namespaces: ["prod/shop"] });

    const [policy] = Object.values(
      Template.fromStack(stack).findResources("AWS::IAM::Policy", {
        Properties: { PolicyDocument: { Statement: [{ Action: "execute-api:Invoke" }] } },
      }),
    ) as unknown as readonly Found<{
      readonly PolicyDocument: { readonly Statement: readonly { readonly Resource: readonly Joined[] }[] };
    }>[];
    const paths = policy?.Properties.PolicyDocument.Statement[0]?.Resource.map(({ "Fn::Join": [, parts] }) =>
      parts.at(-1),
    );

    expect(paths).toEqual([
      ...["GET/v1/me", "GET/v1/approvals", "GET/v1/workloads", "GET/v1/workloads/*"].map((path) => `/$default/${path}`),
      ...["approval", "rejection", "approval-request"].map((what) => `/$default/POST/v1/workloads/prod/shop/*/${what}`),
    ]);
  });

  it("uses the key of a restored table, and not the key of new secrets", () => {
    const stack = stackOf();
    const tableArn = "arn:aws:dynamodb:eu-central-1:111122223333:table/restored";
    const keyArn = (id: string) => `arn:aws:kms:eu-central-1:111122223333:key/${id}`;
    const table = TableV2.fromTableAttributes(stack, "Restored", {
      tableArn,
      tableStreamArn: `${tableArn}/stream/1`,
      encryptionKey: Key.fromKeyArn(stack, "TableKey", keyArn("of-the-table")),
    });
    new Lookout(stack, "Lookout", {
      ...base,
      table,
      encryptionKey: Key.fromKeyArn(stack, "Key", keyArn("of-secrets")),
    });
    const text = JSON.stringify(Template.fromStack(stack).findResources("AWS::IAM::Policy"));

    expect([text.includes(keyArn("of-the-table")), text.includes(keyArn("of-secrets"))]).toEqual([true, false]);
  });

  it("uses a restored table, and creates none", () => {
    const stack = stackOf();
    const tableArn = "arn:aws:dynamodb:eu-central-1:111122223333:table/restored";
    const table = TableV2.fromTableAttributes(stack, "Restored", { tableArn, tableStreamArn: `${tableArn}/stream/1` });
    new Lookout(stack, "Lookout", { ...base, table });

    const template = Template.fromStack(stack);
    template.resourceCountIs("AWS::DynamoDB::GlobalTable", 0);
    template.hasResourceProperties("AWS::Lambda::EventSourceMapping", { EventSourceArn: `${tableArn}/stream/1` });
    expect(errorsOf(stack)).toEqual([]);
  });

  it.each([
    {
      what: "a restored table without a stream",
      make: (stack: Stack) => ({ table: TableV2.fromTableName(stack, "Restored", "restored") }),
      says: "the table has no stream: enable its stream with new images, and name tableStreamArn (docs/restore.md)",
    },
    {
      what: "an EKS cluster whose name CloudFormation chooses",
      make: (stack: Stack) => ({
        clusters: [
          Cluster.eks(
            EksCluster.fromClusterAttributes(stack, "Prod", { clusterName: new Topic(stack, "T").topicName }),
          ),
        ],
      }),
      says: "before the deployment, Lookout must know the name of the EKS cluster: use Cluster.named with its name",
    },
    {
      what: "a cluster that the settings have",
      make: () => ({
        settings: Settings.of({ clusters: [{ name: "prod", eks: { name: "a" } }] }),
        clusters: [Cluster.named("prod")],
      }),
      says: "the settings have a cluster prod already",
    },
    {
      what: "settings with an unknown key",
      make: () => ({ settings: Settings.of({ cluster: [] }) }),
      says: expect.stringContaining("cluster") as string,
    },
  ])("is refused with $what", ({ make, says }) => {
    const stack = stackOf();
    new Lookout(stack, "Lookout", { ...base, ...make(stack) });

    expect(errorsOf(stack)).toEqual([says]);
  });

  it("is refused with two receivers of one name", () => {
    const stack = stackOf();
    const lookout = new Lookout(stack, "Lookout", {
      ...base,
      settings: Settings.of({ receivers: [{ name: "builds", kind: "generic", secretId: "x" }] }),
    });
    lookout.addReceiver("builds", { kind: ReceiverKind.GENERIC });

    expect(errorsOf(stack)).toEqual(["the receiver builds exists already"]);
  });

  it("deploys a stack with the properties of a stack", () => {
    const stack = new LookoutStack(testApp(), "Lookout", {
      ...base,
      env,
      description: "Ours",
      tags: { team: "platform" },
    });

    expect([stack.region, stack.templateOptions.description, stack.tags.tagValues()]).toEqual([
      "eu-central-1",
      "Ours",
      expect.objectContaining({ team: "platform" }),
    ]);
  });
});
