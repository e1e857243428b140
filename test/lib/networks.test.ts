import { Stack } from "aws-cdk-lib";
import { describe, expect, it } from "vitest";
import { functionName } from "#contracts/routes";
import { Lookout } from "#lib/stack/lookout";
import { Settings } from "#lib/stack/settings";
import { allRoutes, deploy, noCode, type Properties, testApp } from "./deployed.ts";

const inA = { vpc: "vpc-0a1b2c3d", subnets: ["subnet-0a1b2c3d", "subnet-1a1b2c3d"], securityGroups: ["sg-0a1b2c3d"] };
const inB = { vpc: "vpc-1b1b2c3d", subnets: ["subnet-0b1b2c3d"] };
const cluster = (name: string, network?: object) => ({
  name,
  eks: { name },
  ...(network === undefined ? {} : { network }),
});
const stack = deploy({ clusters: [cluster("prod", inA), cluster("stage", inB), cluster("test")] });

const reaching = allRoutes.filter(({ reaches }) => reaches.includes("clusters"));
const commands = reaching.flatMap(({ trigger }) => (trigger.kind === "command" ? [trigger.command] : []));
const lambdas = stack.resources("AWS::Lambda::Function");
const idIn = (value: unknown): string => stack.text(value).replaceAll(/[<>]|\.Arn/g, "");

/** The functions in a VPC by their handlers. */
function placedIn(vpc: string): ReadonlyMap<string, { readonly id: string; readonly lambda: Properties }> {
  const placed = [...lambdas].filter(([, { Description }]) => String(Description).endsWith(` in ${vpc}`));
  return new Map(placed.map(([id, lambda]) => [String(lambda["Handler"]), { id, lambda }]));
}

describe("functions that reach clusters", () => {
  it("are deployed outside of any VPC and in each VPC of lookout.yaml, unlike other functions", () => {
    const handlers = reaching.map((route) => `${functionName(route)}.handler`).toSorted();

    expect(lambdas.size).toBe(allRoutes.length + 2 * reaching.length);
    expect([...lambdas.values()].filter(({ VpcConfig }) => VpcConfig === undefined)).toHaveLength(allRoutes.length);
    expect([...placedIn(inA.vpc).keys()].toSorted()).toEqual(handlers);
    expect([...placedIn(inB.vpc).keys()].toSorted()).toEqual(handlers);
  });

  it("are in the subnets of their clusters, with the named security groups", () => {
    for (const { lambda } of placedIn(inA.vpc).values())
      expect(lambda["VpcConfig"]).toEqual({ SubnetIds: inA.subnets, SecurityGroupIds: inA.securityGroups });
  });

  it("have a security group without ingress if lookout.yaml names none", () => {
    expect([...stack.resources("AWS::EC2::SecurityGroup").values()]).toEqual([
      {
        GroupDescription: "Functions of Lookout that reach clusters",
        SecurityGroupEgress: [expect.objectContaining({ CidrIp: "0.0.0.0/0", IpProtocol: "-1" })],
        VpcId: inB.vpc,
      },
    ]);
  });

  it("share role, log, dead letters and variables everywhere", () => {
    for (const route of reaching) {
      const name = functionName(route);
      const { Description, VpcConfig, ...here } = placedIn(inA.vpc).get(`${name}.handler`)?.lambda ?? {};
      const { Description: outside, ...there } = stack.function(name);

      expect(Description).toBe(`${String(outside)} in ${inA.vpc}`);
      expect(VpcConfig).toBeDefined();
      expect(here).toEqual(there);
    }
  });

  it("are connected by Lambda, which alone may handle network interfaces", () => {
    const ofNetworks = [...stack.resources("AWS::IAM::Policy").values()].flatMap(({ PolicyDocument, Roles }) => {
      const { Statement } = PolicyDocument as { readonly Statement: readonly Properties[] };
      const found = Statement.filter(({ Action }) => JSON.stringify(Action).includes("ec2:"));
      return found.length === 0 ? [] : [[stack.text((Roles as readonly unknown[])[0]), found]];
    });
    const roles = reaching.map((route) => idIn(stack.function(functionName(route))["Role"]));
    const Action = ["Assign", "Create", "Delete", "Describe", "Describe", "Unassign"].map(
      (verb) => expect.stringMatching(`^ec2:${verb}`) as unknown,
    );

    expect(ofNetworks).toEqual(
      roles.map((role) => [
        `<${role}>`,
        [
          { Effect: "Allow", Action, Resource: "*" },
          { Effect: "Deny", Action, Resource: "*", Condition: { Null: { "lambda:SourceFunctionArn": "false" } } },
        ],
      ]),
    );
  });

  it("have the stack's security group beside the named groups if a cluster names none", () => {
    const { vpc, subnets } = inA;
    const shared = deploy({ clusters: [cluster("prod", inA), cluster("stage", { vpc, subnets })] });
    const [placed] = [...shared.resources("AWS::Lambda::Function").values()].flatMap(
      ({ VpcConfig }) => VpcConfig ?? [],
    );

    expect((placed as Properties)["SecurityGroupIds"]).toEqual([
      "sg-0a1b2c3d",
      { "Fn::GetAtt": [expect.stringContaining("Functions"), "GroupId"] },
    ]);
  });

  it("are rejected with more subnets or security groups than Lambda's limit", () => {
    const ids = (prefix: string, count: number) =>
      Array.from({ length: count }, (_, index) => `${prefix}-0000000${index.toString(16)}`);
    const inOne = (subnets: readonly string[], securityGroups: readonly string[]) =>
      deploy({ clusters: [cluster("prod", { vpc: inA.vpc, subnets, securityGroups })] }).errors;

    expect(inOne(ids("subnet", 16), ids("sg", 5))).toEqual([]);
    expect(inOne([...ids("subnet", 16), "subnet-0a1b2c3d"], ids("sg", 6))).toEqual([
      `the functions in ${inA.vpc} would have 17 subnets, and Lambda allows 16: name fewer subnets for prod (clusters in one VPC share subnets and security groups)`,
      `the functions in ${inA.vpc} would have 6 securityGroups, and Lambda allows 5: name fewer securityGroups for prod (clusters in one VPC share subnets and security groups)`,
    ]);
  });

  it("send no request to AWS during synthesis, also with a known account", () => {
    const app = testApp();
    const known = new Stack(app, "Known", { env: { account: "123456789012", region: "eu-central-1" } });
    new Lookout(known, "Lookout", {
      settings: Settings.of({ clusters: [cluster("prod", inA)] }),
      functions: noCode,
    });

    expect(app.synth().manifest.missing).toBeUndefined();
  });

  it("share a VPC that several clusters name, with the subnets of all", () => {
    const other = { ...inA, subnets: ["subnet-2a1b2c3d", "subnet-0a1b2c3d"] };
    const shared = deploy({ clusters: [cluster("prod", inA), cluster("stage", other)] });
    const placed = [...shared.resources("AWS::Lambda::Function").values()].filter(({ VpcConfig }) => VpcConfig);

    expect(placed.map(({ VpcConfig }) => VpcConfig)).toEqual(
      reaching.map(() => ({
        SubnetIds: [...inA.subnets, "subnet-2a1b2c3d"],
        SecurityGroupIds: inA.securityGroups,
      })),
    );
  });

  it("are in eight VPCs at most, and more are rejected with a remedy", () => {
    const inVpc = (index: number) => cluster(`c${index}`, { vpc: `vpc-0000000${index}`, subnets: ["subnet-0a1b2c3d"] });
    const eight = Array.from({ length: 8 }, (_, index) => inVpc(index));

    expect(deploy({ clusters: eight }).errors).toEqual([]);
    expect(deploy({ clusters: [...eight, inVpc(9)] }).errors).toEqual([
      "the clusters of lookout.yaml are in 9 VPCs, and a stack can use 8: " +
        "use one VPC that reaches several clusters, or deploy a second stack (LOOKOUT_STACK)",
    ]);
  });

  it("are in no VPC without a cluster there", () => {
    const without = deploy({ clusters: [cluster("prod")] });

    expect(without.resources("AWS::Lambda::Function").size).toBe(allRoutes.length);
    expect(without.resources("AWS::EC2::SecurityGroup").size).toBe(0);
  });
});

describe("commands for clusters in a VPC", () => {
  const queues = stack.resources("AWS::SQS::Queue");
  const mappings = [...stack.resources("AWS::Lambda::EventSourceMapping").values()];

  it.each(commands)("have their own queue and function: %s", (command) => {
    const route = reaching.find(({ trigger }) => trigger.kind === "command" && trigger.command === command);
    const placed = placedIn(inB.vpc).get(`${route === undefined ? "" : functionName(route)}.handler`);
    const sources = mappings.filter(({ FunctionName }) => idIn(FunctionName) === placed?.id);
    const [queue] = sources.map(({ EventSourceArn }) => queues.get(idIn(EventSourceArn)));
    const [outside] = [...queues].filter(([id]) => new RegExp(`^LookoutQueues${command}[0-9A-F]{8}$`).test(id));

    expect(sources).toHaveLength(1);
    expect(queue).toEqual({ ...outside?.[1], QueueName: `Test-${command}-${inB.vpc}` });
  });

  it("are rejected with a remedy when the queue's name is too long", () => {
    const named = { clusters: [cluster("prod", inA)] };

    expect(deploy(named).errors).toEqual([]);
    expect(deploy(named, "T".repeat(52)).errors).toEqual([
      `the name of the queue ${"T".repeat(52)}-EvaluateWorkload-${inA.vpc} has over 80 characters: ` +
        "give the stack a shorter name (LOOKOUT_STACK)",
    ]);
  });
});

describe("an API request about a cluster in a VPC", () => {
  it("is answered in that VPC, and other requests outside, all behind IAM", () => {
    const integrations = stack.resources("AWS::ApiGatewayV2::Integration");
    const routes = [...stack.resources("AWS::ApiGatewayV2::Route").values()].map(({ RouteKey, Target, ...route }) => {
      const integration = [...integrations].find(([id]) => stack.text(Target).includes(`<${id}>`))?.[1] ?? {};
      const place = /vpc[0-9a-f]{8}/.exec(stack.text(integration["IntegrationUri"]))?.[0] ?? "outside";
      return [RouteKey, place, route["AuthorizationType"]];
    });

    expect(routes.filter(([key]) => !String(key).includes("/webhooks/")).toSorted()).toEqual([
      ["ANY /v1/{proxy+}", "outside", "AWS_IAM"],
      ["GET /v1/doctor/clusters/prod", "vpc0a1b2c3d", "AWS_IAM"],
      ["GET /v1/doctor/clusters/stage", "vpc1b1b2c3d", "AWS_IAM"],
      ["POST /v1/clusters/prod/check", "vpc0a1b2c3d", "AWS_IAM"],
      ["POST /v1/clusters/stage/check", "vpc1b1b2c3d", "AWS_IAM"],
    ]);
  });
});

describe("an HTTP API with many clusters in a VPC", () => {
  it("needs one permission of the function there", () => {
    const many = Array.from({ length: 30 }, (_, index) => cluster(`c${index}`, inB));
    const permissions = [...deploy({ clusters: many }).resources("AWS::Lambda::Permission").values()];

    expect(permissions.filter(({ FunctionName }) => idIn(FunctionName).includes("vpc1b1b2c3d"))).toHaveLength(1);
  });
});

describe("the alarms over several VPCs", () => {
  it("cover every queue, with CloudWatch's limit of metrics in each", () => {
    const backlog = [...stack.resources("AWS::CloudWatch::Alarm").values()].filter(({ AlarmName }) =>
      String(AlarmName).includes("-backlog"),
    );
    const watched = backlog.map(
      ({ Metrics }) => (Metrics as readonly { readonly MetricStat?: unknown }[]).filter((one) => one.MetricStat).length,
    );

    expect(backlog.map(({ AlarmName }) => AlarmName)).toEqual(["Test-backlog-1", "Test-backlog-2"]);
    expect(watched).toEqual([10, stack.lookout.queues.all.length + 1 - 10]);
  });
});
