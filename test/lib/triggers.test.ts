import { describe, expect, it } from "vitest";
import { ecrPushPattern, ecrPushTransform, imagePushedPattern } from "#contracts/messages/events";
import { functionName } from "#contracts/routes";
import { allRoutes, deploy, type Properties } from "./deployed.ts";

const members = ["210987654321", "310987654321"];
const alone = deploy();
const receivers = [{ name: "builds", kind: "generic", secretId: "lookout/builds" }];
const stack = deploy({ accounts: members, receivers });
const here = { Ref: "AWS::AccountId" };

const rulesOf = ({ resources }: typeof stack): readonly Properties[] => [...resources("AWS::Events::Rule").values()];
const described = (text: string): Properties => rulesOf(stack).find(({ Description }) => Description === text) ?? {};
const targetOf = (rule: Properties): Properties => (rule["Targets"] as readonly Properties[])[0] ?? {};
const arnOf = (part: string) => ({ "Fn::GetAtt": [expect.stringContaining(part) as string, "Arn"] });

/**
 * EventBridge reads the template of a transform as text; here its tokens are put in as
 * CloudFormation will.
 */
const transformOf = (rule: Properties): unknown => {
  const { InputPathsMap, InputTemplate } = targetOf(rule)["InputTransformer"] as Properties;
  return { paths: InputPathsMap, template: stack.text(InputTemplate).replace("<AWS::URLSuffix>", "amazonaws.com") };
};

describe("a push to ECR", () => {
  it("of this account comes from its default bus", () => {
    const rule = described("Pushes to ECR of this account");

    expect(rule).toMatchObject({ State: "ENABLED", EventPattern: { ...ecrPushPattern(["here"]), account: [here] } });
    expect(rule).not.toHaveProperty("EventBusName");
  });

  it("of another region, or of a listed account, comes from Lookout's bus", () => {
    const forwarded = (of: typeof stack) =>
      rulesOf(of).find(({ Description: text }) => text === "Pushes to ECR of other regions and accounts");
    const { account, ...pattern } = ecrPushPattern(["here", ...members]);

    expect(forwarded(stack)).toMatchObject({
      EventBusName: { Ref: expect.stringContaining("Bus") as string },
      EventPattern: { ...pattern, account: [here, ...account.slice(1)] },
    });
    expect(forwarded(alone)).toMatchObject({ EventPattern: { ...pattern, account: [here] } });
  });

  it.each(["Pushes to ECR of this account", "Pushes to ECR of other regions and accounts"])(
    "is transformed without code: %s",
    (text) => {
      expect(transformOf(described(text))).toEqual(ecrPushTransform("amazonaws.com"));
    },
  );
});

describe("a published push", () => {
  it("is accepted from this account alone, and its detail is the message", () => {
    const rule = described("Pushes of webhooks and sweeps");

    expect(rule).toMatchObject({ EventPattern: { ...imagePushedPattern("here"), account: [here] } });
    expect(targetOf(rule)).toMatchObject({ InputPath: "$.detail" });
  });
});

describe("every rule", () => {
  it("shares the queue fairly, by account, by registry or by channel", () => {
    const groups = rulesOf(stack).map(({ Description: text, ...rule }) => [text, targetOf(rule)["SqsParameters"]]);

    expect(Object.fromEntries(groups)).toEqual({
      "Pushes to ECR of this account": { MessageGroupId: "$.account" },
      "Pushes to ECR of other regions and accounts": { MessageGroupId: "$.account" },
      "Pushes of webhooks and sweeps": { MessageGroupId: "$.detail.registry" },
      "Facts for the channel audit": { MessageGroupId: "audit" },
    });
  });

  it("sends events to the queue of its function, and keeps undeliverable events", () => {
    const targetIn = (queue: string) => ({
      Arn: arnOf(queue),
      DeadLetterConfig: { Arn: arnOf("Kept") },
      RetryPolicy: { MaximumEventAgeInSeconds: 86_400 },
    });

    expect(rulesOf(stack).map(targetOf)).toMatchObject(
      ["QueuesImagePushed", "QueuesImagePushed", "QueuesImagePushed", "QueuesDeliver"].map(targetIn),
    );
  });
});

describe("beside the bus", () => {
  it("is an archive of thirty days of all events", () => {
    expect([...stack.resources("AWS::Events::Archive").values()]).toEqual([
      expect.objectContaining({ RetentionDays: 30, EventPattern: { account: [{ exists: true }] } }),
    ]);
  });

  it("is a policy for ECR events of the listed accounts, and none without them", () => {
    const [policy] = stack.resources("AWS::Events::EventBusPolicy").values();

    expect(policy?.["Statement"]).toEqual({
      Effect: "Allow",
      Action: "events:PutEvents",
      Resource: arnOf("Bus"),
      Principal: "*",
      Condition: {
        StringEquals: { "aws:PrincipalAccount": members },
        "ForAllValues:StringEquals": { "events:source": "aws.ecr" },
      },
    });
    expect(alone.resources("AWS::Events::EventBusPolicy").size).toBe(0);
  });
});

describe("a schedule", () => {
  const schedules = [...stack.resources("AWS::Scheduler::Schedule").values()];
  const scheduled = allRoutes.flatMap(({ trigger, ...route }) =>
    trigger.kind === "schedule" ? [{ name: functionName(route), minutes: trigger.everyMs / 60_000 }] : [],
  );

  it.each(scheduled)("starts $name every $minutes min, and keeps a failed start", ({ name, minutes }) => {
    const own = name.replaceAll(/[/-]/g, "");

    expect(schedules.filter(({ Description }) => Description === `Starts ${name}`)).toEqual([
      expect.objectContaining({
        ScheduleExpression: minutes === 1 ? "rate(1 minute)" : `rate(${minutes} minutes)`,
        FlexibleTimeWindow: { Mode: "OFF" },
        State: "ENABLED",
        GroupName: "Test-Lookout-Timers-Group-1B943F8D",
        Target: expect.objectContaining({
          Arn: arnOf(`${own}Function`),
          RoleArn: arnOf("TimersStarter"),
          DeadLetterConfig: { Arn: arnOf("Kept") },
        }) as unknown,
      }),
    ]);
  });

  it("is created after its group", () => {
    const made = Object.values(stack.template.findResources("AWS::Scheduler::Schedule"));

    expect(made.map(({ DependsOn }) => DependsOn as unknown)).toEqual(
      made.map(() => expect.arrayContaining([expect.stringContaining("TimersGroup")]) as unknown),
    );
  });

  it("starts nothing else", () => {
    expect(schedules).toHaveLength(scheduled.length);
  });
});

describe("the HTTP API", () => {
  const routesOf = ({ resources }: typeof stack) =>
    [...resources("AWS::ApiGatewayV2::Route").values()].map(
      ({ RouteKey, AuthorizationType }) => `${String(RouteKey)} ${String(AuthorizationType)}`,
    );

  it("has the routes of the table: all of /v1 behind IAM, and only the webhooks open", () => {
    expect(routesOf(stack)).toEqual([
      "POST /webhooks/{receiver} NONE",
      "OPTIONS /webhooks/{receiver} NONE",
      "ANY /v1/{proxy+} AWS_IAM",
    ]);
  });

  it("has no open route without a receiver", () => {
    expect(routesOf(alone)).toEqual(["ANY /v1/{proxy+} AWS_IAM"]);
  });

  it("has an access log whose name needs no room in the account's policy of logs", () => {
    const names = [...stack.resources("AWS::Logs::LogGroup").values()].map(({ LogGroupName }) => LogGroupName);

    expect(names.filter((name) => name !== undefined)).toEqual([
      expect.stringMatching(/^\/aws\/vendedlogs\/Test-AccessLog-[0-9a-f]{8}$/),
    ]);
  });

  it("is throttled, and logs callers and requests as JSON, without bodies", () => {
    const [stage] = stack.resources("AWS::ApiGatewayV2::Stage").values();
    const { Format } = (stage as { AccessLogSettings: { Format: string } }).AccessLogSettings;

    expect(stage).toMatchObject({
      StageName: "$default",
      AutoDeploy: true,
      DefaultRouteSettings: { ThrottlingRateLimit: 50, ThrottlingBurstLimit: 100 },
      AccessLogSettings: { DestinationArn: arnOf("HttpApiAccessLog") },
    });
    expect(Object.keys(JSON.parse(Format) as object)).toEqual([
      ...["requestId", "requestTime", "sourceIp", "caller", "method", "route", "path", "status", "responseLatency"],
      "integrationError",
    ]);
  });
});
