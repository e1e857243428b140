import { describe, expect, it } from "vitest";
import { deployedRoutes, functionName } from "#contracts/routes";
import { deploy, oneChannel, type Properties } from "./deployed.ts";

const ruleOf = ({ resources }: ReturnType<typeof deploy>, channel: string): Properties => {
  const all = [...resources("AWS::Events::Rule").values()];
  const found = all.find(({ Description }) => Description === `Facts for the channel ${channel}`);
  if (found === undefined) throw new Error(`no rule for ${channel}`);
  return found;
};

describe("a stack without a channel", () => {
  const stack = deploy({ channels: [], checks: [] });
  const whole = stack.template.toJSON();

  it("has no rule, queue, function, alarm or widget of channels", () => {
    const handlers = [...stack.resources("AWS::Lambda::Function").values()].map(({ Handler }) => Handler);
    const routes = deployedRoutes({ channels: [], checks: [], tiers: [] });

    expect(handlers.toSorted()).toEqual(routes.map((route) => `${functionName(route)}.handler`).toSorted());
    expect(routes.filter(({ reaches }) => reaches.includes("told"))).toEqual([]);
    expect(JSON.stringify(whole)).not.toMatch(/Deliver|[Cc]hannel|notify\/deliver/);
  });

  it("differs from one with a channel only in what the channel needs", () => {
    const ids = (of: ReturnType<typeof deploy>) =>
      Object.keys((of.template.toJSON() as { readonly Resources: object }).Resources);
    const own = new Set(ids(stack));
    const more = ids(deploy({ checks: [] })).filter((id) => !own.has(id));

    expect(more.map((id) => id.replace(/[0-9A-F]{8}$/, "").replace(/[0-9A-F]{8}$/, "")).toSorted()).toEqual([
      "LookoutAlarmschanneluntold",
      "LookoutChannelsaudit",
      "LookoutQueuesDeliver",
      "LookoutQueuesDeliverPolicy",
      "LookoutnotifydeliverFunction",
      "LookoutnotifydeliverFunctionSqsEventSourceTestLookoutQueuesDeliver",
      "LookoutnotifydeliverLog",
      "LookoutnotifydeliverLogFailedRuns",
      "LookoutnotifydeliverRole",
      "LookoutnotifydeliverRoleDefaultPolicy",
    ]);
  });
});

describe("a channel of lookout.yaml", () => {
  const entry = { ...oneChannel, name: "shop", events: ["failures"], minSeverity: "error", clusters: ["prod"] };
  const stack = deploy({ channels: [entry, oneChannel] });
  const rule = ruleOf(stack, "shop");

  it("has a rule on Lookout's bus, whose pattern is its filter", () => {
    expect(rule["EventPattern"]).toEqual({
      source: ["lookout"],
      account: [{ Ref: "AWS::AccountId" }],
      "detail-type": ["RolloutFailed", "RollbackStarted", "RolledBack", "RollbackFailed", "RevertedByUser"],
      detail: {
        severity: ["error", "critical", "action"],
        again: [{ exists: false }],
        workload: { cluster: ["prod"] },
      },
    });
    expect(stack.text(rule["EventBusName"])).toMatch(/^<LookoutBus\w+>$/);
  });

  it("gets facts as commands of its own group, and what EventBridge can't deliver is kept", () => {
    const [target] = rule["Targets"] as readonly [Readonly<Record<string, unknown>>];
    const { Arn, DeadLetterConfig, Id: _, ...others } = target;

    expect(stack.text(Arn)).toMatch(/^<LookoutQueuesDeliver\w+\.Arn>$/);
    expect(stack.text((DeadLetterConfig as { readonly Arn: unknown }).Arn)).toMatch(/^<LookoutKept\w+\.Arn>$/);
    expect(others).toEqual({
      InputTransformer: {
        InputPathsMap: { fact: "$.detail" },
        InputTemplate: '{"name":"Deliver","channel":"shop","fact":<fact>}',
      },
      RetryPolicy: { MaximumEventAgeInSeconds: 86_400 },
      SqsParameters: { MessageGroupId: "shop" },
    });
  });

  it("is refused with a filter that is too long for a rule", () => {
    const clusters = Array.from({ length: 40 }, (_, index) => `${"c".repeat(50)}-${index}`);

    expect(deploy({ channels: [{ ...oneChannel, clusters }] }).errors).toEqual([
      expect.stringMatching(
        /^the filter of channel audit in lookout\.yaml is too long for a rule of EventBridge \(2,?\d+ of 2048 characters\): name fewer clusters or namespaces, or several with one \*$/,
      ),
    ]);
  });
});

describe("twenty channels", () => {
  const channels = Array.from({ length: 20 }, (_, index) => ({ ...oneChannel, name: `channel-${index}` }));
  const stack = deploy({ channels });

  it("share one statement in the policy of each queue, because AWS allows twenty", () => {
    const policies = [...stack.resources("AWS::SQS::QueuePolicy").values()];
    const statements = policies.map(
      ({ PolicyDocument }) => (PolicyDocument as { Statement: readonly object[] }).Statement,
    );
    const fromRules = statements.flat().filter((one) => JSON.stringify(one).includes("LookoutChannels"));

    expect(Math.max(...statements.map(({ length }) => length))).toBeLessThanOrEqual(20);
    expect(fromRules).toHaveLength(2);
    expect(fromRules).toMatchObject(
      fromRules.map(() => ({
        Action: "sqs:SendMessage",
        Principal: { Service: "events.amazonaws.com" },
        Condition: { ArnEquals: { "aws:SourceArn": { length: 20 } } },
      })),
    );
  });
});
