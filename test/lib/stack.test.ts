import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CfnOutput, Stack, Validations } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { AwsSolutionsChecks, ServerlessChecks } from "cdk-nag";
import { Construct } from "constructs";
import { parse } from "yaml";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { acknowledged, wildcards } from "#lib/shared/acknowledged";
import { Lookout } from "#lib/stack/lookout";
import { LookoutStack, type LookoutStackProps } from "#lib/stack/lookout-stack";
import { Settings } from "#lib/stack/settings";
import { findingsOf } from "./findings.ts";
import { errorsOf, flat, infosOf, noCode, testApp, warningsOf } from "./deployed.ts";

const folder = mkdtempSync(join(tmpdir(), "lookout-stack-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** One receiver, as lookout.yaml names it. */
const receivers = [{ name: "builds", kind: "generic", secretId: "lookout/builds" }];

/** A fleet with everything that lookout.yaml can name on AWS. */
const everything = readFileSync(join(import.meta.dirname, "everything.yaml"), "utf8");

/** The stack that is made from a lookout.yaml. */
function stackOf(text: string, app = testApp(), more: Partial<LookoutStackProps> = {}): LookoutStack {
  const file = join(folder, "lookout.yaml");
  writeFileSync(file, text);
  return new LookoutStack(app, "Lookout", { functions: noCode, settings: Settings.fromFile(file), ...more });
}

/** The EKS names of the clusters with an access entry, by the entry's logical id. */
function entriesOf(stack: Stack): ReadonlyMap<string, string> {
  const found = Template.fromStack(stack).findResources("AWS::EKS::AccessEntry");
  return new Map(
    Object.entries(found as Record<string, { readonly Properties: { readonly ClusterName: string } }>).map(
      ([id, { Properties }]) => [id, Properties.ClusterName],
    ),
  );
}

/** What the outputs of a stack are called. */
const outputsOf = (stack: Stack): readonly string[] => Object.keys(Template.fromStack(stack).findOutputs("*"));

const lookoutsOutputs = [
  "LookoutApiUrl",
  "LookoutWebhookUrl",
  "LookoutBusArn",
  "LookoutTableName",
  "LookoutAccessRoleArn",
  "LookoutRegistryRoleArn",
  "LookoutKeptQueueUrl",
  "LookoutAwsAuthEntry",
  "LookoutAlarmTopicArn",
  "LookoutReceiverSecrets",
  "LookoutManifestsCommand",
];

describe("the stack of a lookout.yaml", () => {
  it("has outputs for everything that users and tools need", () => {
    expect(outputsOf(stackOf(everything))).toEqual(lookoutsOutputs);
  });

  const inFrankfurt = { env: { region: "eu-central-1", account: "111122223333" } };

  it.each([
    { eks: {}, of: "the stack's account and region", enters: true },
    { eks: { region: "eu-central-1" }, of: "a region that the stack does not know", enters: false },
    { eks: { region: "eu-central-1" }, more: inFrankfurt, of: "the stack's named region", enters: true },
    { eks: { region: "eu-west-1" }, more: inFrankfurt, of: "another region", enters: false },
    { eks: { roleArn: "arn:aws:iam::210987654321:role/lookout" }, of: "another account", enters: false },
    { eks: { accessEntry: false }, of: "a cluster without access entries", enters: false },
  ])("has an access entry for a cluster of $of: $enters", ({ eks, more, enters }) => {
    const clusters = [{ name: "prod", eks: { name: "prod-1", ...eks } }];
    const stack = stackOf(JSON.stringify({ clusters }), testApp(), more);

    expect([...entriesOf(stack).values()]).toEqual(enters ? ["prod-1"] : []);
    expect([...errorsOf(stack), ...warningsOf(stack)]).toEqual([]);
  });

  it("keeps an access entry when its cluster has another name in lookout.yaml, or names its region", () => {
    const entriesWith = (cluster: string) => entriesOf(stackOf(`clusters: [${cluster}]`, testApp(), inFrankfurt));

    const before = entriesWith("{name: prod, eks: {name: prod-1}}");
    expect(entriesWith("{name: live, eks: {name: prod-1, region: eu-central-1}}")).toEqual(before);
    expect(before.size).toBe(1);
  });

  it("shows for a cluster without access entries how to give access with aws-auth", () => {
    const stack = stackOf("clusters: [{name: old, eks: {name: old-1, accessEntry: false}}]");
    const { Value } = Template.fromStack(stack).findOutputs("LookoutAwsAuthEntry")["LookoutAwsAuthEntry"] ?? {};

    expect(infosOf(stack)).toEqual([
      "the stack creates no access entry in old-1 (accessEntry: false): add the output LookoutAwsAuthEntry to mapRoles of aws-auth there, or create the access entry yourself",
    ]);
    expect(parse(flat(Value))).toEqual([
      {
        rolearn: expect.stringMatching(/^arn:.*:role\/<LookoutAccessRole\w+>$/) as string,
        username: "lookout",
        groups: ["lookout"],
      },
    ]);
  });

  it.each([
    "{name: b, eks: {name: prod, region: eu-central-1}}",
    '{name: b, eks: {name: prod, roleArn: "arn:aws:iam::111122223333:role/lookout"}}',
  ])("is rejected with two entries of one EKS cluster: %s", (other) => {
    const stack = stackOf(`clusters: [{name: a, eks: {name: prod}}, ${other}]`, testApp(), inFrankfurt);

    expect(errorsOf(stack)).toEqual([
      "the clusters a and b of lookout.yaml are the same EKS cluster: remove one of them",
    ]);
  });

  it("is the same without a change", () => {
    const template = JSON.stringify(Template.fromStack(stackOf(everything)).toJSON(), undefined, 1);

    expect(template.replaceAll(/"[0-9a-f]{64}\.zip"/g, '"<code>.zip"')).toMatchSnapshot();
  });

  it("has no warning when everything in it is usable", () => {
    expect(warningsOf(stackOf(everything))).toEqual([]);
  });

  it("skips clusters of a kubeconfig, with a remedy", () => {
    const stack = stackOf("clusters: [{name: laptop}, {name: prod, eks: {name: prod}}]");

    expect(warningsOf(stack)).toEqual([
      "the cluster laptop has a kubeconfig, which functions can't use, so the stack ignores it. Write eks: {name: NAME} instead",
    ]);
    expect(stack.lookout.configuration.clusters.map(({ name }) => name)).toEqual(["prod"]);
  });

  it("is rejected with line and column of every fault", () => {
    const wrong =
      "clusters:\n  - name: prod\n    eks: {name: prod, region: mars}\naccounts: [12345]\nreceivers:\n  - {name: a, kind: generic}\n";

    const [error = ""] = errorsOf(stackOf(wrong));

    expect(error.replaceAll(folder, "").split("\n")).toEqual([
      "the configuration /lookout.yaml has 3 problems:",
      '  /lookout.yaml:3:23  clusters[0].eks.region "mars": expected a region, such as "eu-central-1"',
      '  /lookout.yaml:4:12  accounts[0] 12345: expected an account id of twelve digits in quotes, such as "123456789012"',
      "  /lookout.yaml:6:5  receivers[0]: needs one of secretEnv, secretFile, secretParameter, secretId, or tokens",
    ]);
  });

  it.each(["nowhere.yaml", folder])("is rejected when the named path is no file: %s", (named) => {
    const stack = new LookoutStack(testApp(), "Lookout", { functions: noCode, settings: Settings.fromFile(named) });

    expect(errorsOf(stack)).toEqual([
      `the configuration ${named} is not a file: name a file with -c lookout:config=FILE or LOOKOUT_CONFIG=FILE`,
    ]);
  });

  it("is within CloudFormation's megabyte, with the most accounts and VPCs", () => {
    const accounts = Array.from({ length: 600 }, (_, index) => `"${210_000_000_000 + index}"`);
    const clusters = Array.from(
      { length: 8 },
      (_, index) =>
        `  - {name: c${index}, eks: {name: c${index}}, network: {vpc: vpc-0a1b2c3${index}, subnets: [subnet-0a1b2c3${index}]}}`,
    );
    const app = testApp();
    const stack = stackOf(`accounts: [${accounts.join(", ")}]\nclusters:\n${clusters.join("\n")}\n`, app);
    const { templateFullPath } = app.synth().getStackByName(stack.stackName);

    expect(statSync(templateFullPath).size).toBeLessThan(1_000_000);
    expect([...errorsOf(stack), ...warningsOf(stack)]).toEqual([]);
  });

  it.each([
    { where: "outside of any VPC", vpcs: 0, room: 357, full: "501 resources, and AWS allows 500", entries: true },
    { where: "in one VPC", vpcs: 1, room: 112, full: "503 resources, and AWS allows 500", entries: true },
    { where: "in eight VPCs", vpcs: 8, room: 64, full: "503 resources, and AWS allows 500", entries: true },
    {
      ...{ where: "in one VPC, without entries", vpcs: 1, room: 148, entries: false },
      full: "301 routes of its HTTP API, and AWS allows 300",
    },
  ])("has room for $room clusters $where, and rejects more with a remedy", ({ vpcs, room, full, entries }) => {
    const networkOf = (index: number) =>
      vpcs === 0 ? {} : { network: { vpc: `vpc-0a1b2c3${index % vpcs}`, subnets: ["subnet-0a1b2c3d"] } };
    const errorsWith = (count: number) => {
      const clusters = Array.from({ length: count }, (_, index) => ({
        ...{ name: `c${index}`, eks: { name: `c${index}`, ...(entries ? {} : { accessEntry: false }) } },
        ...networkOf(index),
      }));
      return errorsOf(stackOf(JSON.stringify({ clusters, receivers })));
    };

    expect(errorsWith(room)).toEqual([]);
    expect(errorsWith(room + 1)).toEqual([
      `with the clusters of lookout.yaml the stack has ${full}: deploy a second stack for some clusters (LOOKOUT_STACK)` +
        (entries ? ", or create the access entries of some clusters yourself (accessEntry: false)" : ""),
    ]);
  });

  it("counts all resources of CloudFormation, with managed policies", () => {
    const clusters = Array.from({ length: 100 }, (_, index) => {
      const vpc = `vpc-0123456789abcdef${index % 8}`;
      return { name: `c${index}`, eks: { name: `c${index}` }, network: { vpc, subnets: ["subnet-0a1b2c3d"] } };
    });
    const stack = stackOf(JSON.stringify({ clusters }));
    const resources = Object.keys(Template.fromStack(stack).toJSON()["Resources"] as object);

    expect(resources.filter((id) => id.includes("OverflowPolicy"))).not.toEqual([]);
    expect(errorsOf(stack)[0]).toContain(`has ${resources.length} resources`);
  });

  it.each(["a_b", "1st", "näme", "n".repeat(129)])("rejects an invalid name: %s", (name) => {
    const file = join(folder, "named.yaml");
    writeFileSync(file, "accounts: []\n");
    const stack = new LookoutStack(testApp(), name, { functions: noCode, settings: Settings.fromFile(file) });

    expect(errorsOf(stack)).toEqual([
      `a stack can't be named ${name}: letters, digits and dashes, at most 128, with a letter first ` +
        "(-c lookout:stack=NAME or LOOKOUT_STACK=NAME)",
    ]);
  });

  it("has no clusters without a file, and shows how to add clusters", () => {
    const stack = new LookoutStack(testApp(), "Lookout", { functions: noCode });

    expect(warningsOf(stack)).toEqual([
      "there is no lookout.yaml: the stack has no clusters; `lookout cluster add` registers clusters later",
    ]);
  });

  it.each(["", "# clusters come later\n", "---\n"])("has no clusters with an empty file either: %j", (text) => {
    expect(warningsOf(stackOf(text)).map((warning) => warning.replace(folder, ""))).toEqual([
      "/lookout.yaml is empty: the stack has no clusters; `lookout cluster add` registers clusters later",
    ]);
  });
});

describe("a Lookout in another stack", () => {
  const settings = Settings.of({});

  it("has its own outputs beside the outputs of the enclosing stack", () => {
    const stack = new Stack(testApp(), "Shop");
    new CfnOutput(stack, "ApiUrl", { value: "https://shop.example.com" });
    new Lookout(new Construct(stack, "Updates"), "Images", { settings, functions: noCode });

    expect(outputsOf(stack)).toEqual(["ApiUrl", ...lookoutsOutputs]);
    expect(errorsOf(stack)).toEqual([]);
  });

  it("is rejected beside another Lookout, with a remedy", () => {
    const stack = new Stack(testApp(), "Shop");
    for (const id of ["First", "Second"]) new Lookout(stack, id, { settings, functions: noCode });

    expect(errorsOf(stack)).toEqual([
      "the stack Shop already has a Lookout: put the second Lookout into another stack",
    ]);
    expect(outputsOf(stack)).toEqual(lookoutsOutputs);
  });
});

describe("cdk synth", () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it("uses nothing that is deprecated in the CDK", () => {
    vi.stubEnv("JSII_DEPRECATED", "fail");
    const app = testApp();
    stackOf(everything, app);
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));

    expect(() => app.synth()).not.toThrow();
  });
});

describe("cdk-nag", () => {
  it("finds no problem without an acknowledgement", () => {
    const app = testApp();
    stackOf(everything, app);

    expect(findingsOf(app)).toEqual([]);
  });

  it("finds no problem with accounts that need managed policies", () => {
    const app = testApp();
    stackOf(
      `accounts: ${JSON.stringify(Array.from({ length: 250 }, (_, index) => String(210_000_000_000 + index)))}`,
      app,
    );

    expect(findingsOf(app)).toEqual([]);
  });

  it("finds every acknowledged rule", () => {
    const app = testApp();
    const settings = Settings.of({ receivers, alarms: { email: ["ops@example.com"] } });
    new Lookout(new Stack(app, "Test"), "Lookout", { settings, functions: noCode });

    expect(
      findingsOf(app)
        .map((id) => id.replace(/^\w+::/, ""))
        .toSorted(),
    ).toEqual(acknowledged.map(({ id }) => id).toSorted());
  });

  it("has at most eight acknowledged rules, each with a reason", () => {
    expect(acknowledged.length + 1).toBeLessThanOrEqual(8);
    expect(
      [...acknowledged.map(({ reason }) => reason), ...Object.values(wildcards)].filter((reason) => reason === ""),
    ).toEqual([]);
  });
});
