import { Duration, Stack } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { SnsAction, SsmAction, OpsItemSeverity } from "aws-cdk-lib/aws-cloudwatch-actions";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import { Topic } from "aws-cdk-lib/aws-sns";
import { describe, expect, it } from "vitest";
import { environment } from "#contracts/aws/environment";
import { functionName } from "#contracts/routes";
import { metrics, metricsDimension, metricsNamespace } from "#contracts/aws/metrics";
import { LookoutAlarms, type MonitoringProps } from "#lib/observability/alarms";
import { Lookout } from "#lib/stack/lookout";
import { Settings } from "#lib/stack/settings";
import { page } from "../docs/markdown.ts";
import {
  allRoutes,
  configured,
  deploy,
  errorsOf,
  functionNames,
  noCode,
  oneChannel,
  oneCheck,
  testApp,
} from "./deployed.ts";

interface MetricStat {
  readonly Namespace: string;
  readonly MetricName: string;
  readonly Dimensions: readonly { readonly Name: string; readonly Value: unknown }[];
}

interface AlarmProperties {
  readonly AlarmName: string;
  readonly Threshold: number;
  readonly AlarmDescription: string;
  readonly AlarmActions: readonly unknown[];
  readonly OKActions: readonly unknown[];
  readonly Metrics?: readonly { readonly Id: string; readonly MetricStat?: { readonly Metric: MetricStat } }[];
  readonly Namespace?: string;
  readonly MetricName?: string;
  readonly Dimensions?: MetricStat["Dimensions"];
  readonly TreatMissingData: string;
}

const { lookout, resources, function: deployed } = deploy();
const functions = [...lookout.functions.values()];
const alarms = [...resources("AWS::CloudWatch::Alarm").values()] as unknown as readonly AlarmProperties[];

const statsOf = ({ Metrics = [] }: AlarmProperties): readonly MetricStat[] =>
  Metrics.flatMap(({ MetricStat: stat }) => (stat === undefined ? [] : [stat.Metric]));

/** The section of the runbook: the name without the stack's and without the part. */
const sectionOf = ({ AlarmName }: AlarmProperties): string => AlarmName.replace(/^Test-/, "").replace(/-\d+$/, "");

/**
 * What of AWS's own metrics is alarmed on, as `namespace metric` with the logical id of the
 * resource.
 */
function watchedOf(namespace: string, metric: string): readonly unknown[] {
  return alarms
    .flatMap(statsOf)
    .filter(({ Namespace, MetricName }) => Namespace === namespace && MetricName === metric)
    .map(({ Dimensions: [dimension] }) => dimension?.Value);
}
const resolve = (value: string): unknown => Stack.of(lookout).resolve(value) as unknown;
const resolved = (values: readonly string[]): readonly unknown[] => values.map(resolve);

describe("the alarms", () => {
  it("are twelve at most and one of channels, of ten metrics each, and one more with checks beside channels", () => {
    const without = [
      ...deploy({ checks: [] }).resources("AWS::CloudWatch::Alarm").values(),
    ] as unknown as readonly AlarmProperties[];
    expect(without.filter((alarm) => sectionOf(alarm) !== "channel-untold").length).toBeLessThanOrEqual(12);
    expect(alarms.length - without.length).toBe(1);
    expect(alarms.filter((alarm) => statsOf(alarm).length > 10)).toEqual([]);
  });

  it("notify the one topic when they begin and when they end", () => {
    const topic = [{ Ref: [...resources("AWS::SNS::Topic").keys()][0] }];

    expect(alarms.map(({ AlarmActions, OKActions }) => ({ AlarmActions, OKActions }))).toEqual(
      alarms.map(() => ({ AlarmActions: topic, OKActions: topic })),
    );
  });

  it("cover failed runs, kept messages, failed requests and unnoticed throttles of every function", () => {
    const unnoticed = allRoutes.filter(({ trigger }) => trigger.kind === "changes").map(functionName);
    const filters = [...resources("AWS::Logs::MetricFilter").values()];

    expect(filters).toEqual(
      functions.map(({ log }, index) => ({
        LogGroupName: resolve(log.logGroupName),
        FilterPattern: '{ ($.type = "platform.report") && ($.record.status != "success") }',
        MetricTransformations: [
          { MetricNamespace: "Lookout/Test", MetricName: "FailedRuns", MetricValue: String(index + 1) },
        ],
      })),
    );
    expect(alarms.flatMap(statsOf).filter(({ Namespace }) => Namespace === "Lookout/Test")).toEqual([
      { Namespace: "Lookout/Test", MetricName: "FailedRuns" },
    ]);
    expect(
      alarms
        .filter(({ MetricName }) => MetricName === "ApproximateNumberOfMessagesVisible")
        .map(({ Dimensions: [dimension] = [] }) => dimension?.Value),
    ).toEqual(resolved([lookout.kept.queueName]));
    expect(watchedOf("AWS/ApiGateway", "5xx")).toEqual(resolved([lookout.httpApi.api.apiId]));
    expect(watchedOf("AWS/Lambda", "Throttles")).toEqual(
      resolved(functions.filter(({ name }) => unnoticed.includes(name)).map(({ lambda }) => lambda.functionName)),
    );
  });

  it("cover the wait in every queue and in the stream", () => {
    const reader = functions.find(({ name }) => name === "notify/state-changed");

    expect(watchedOf("AWS/SQS", "ApproximateAgeOfOldestMessage")).toEqual(
      resolved(lookout.queues.all.map(({ queueName }) => queueName)),
    );
    expect(watchedOf("AWS/Lambda", "IteratorAge")).toEqual(resolved([reader?.lambda.functionName ?? ""]));
  });

  it("name the function of each value in their text", () => {
    const [alarm] = alarms.filter((one) => sectionOf(one) === "function-errors");
    const numbers = functions.map(({ name }, index) => `${index + 1} ${name}`).join(", ");
    const numbered = (alarm?.Metrics ?? []).flatMap(({ Id, MetricStat: stat }) =>
      stat?.Metric.Dimensions === undefined ? [] : [[Id, stat.Metric.MetricName, stat.Metric.Dimensions[0]?.Value]],
    );
    const reader = functions.findIndex(({ name }) => name === "notify/state-changed");

    expect(alarm?.AlarmDescription).toContain(`${numbers}, ${functions.length + 1} requests with a 5xx answer.`);
    expect(numbered).toEqual([
      [`m${reader + 1}`, "Throttles", resolve(functions[reader]?.lambda.functionName ?? "")],
      [`m${functions.length + 1}`, "5xx", resolve(lookout.httpApi.api.apiId)],
    ]);
  });

  it("treat missing data as healthy, except for the sweep's", () => {
    const silent = alarms.filter(({ TreatMissingData }) => TreatMissingData === "breaching");

    expect(silent.map(({ AlarmName }) => AlarmName)).toEqual(["Test-sweep-silent"]);
    expect(new Set(alarms.map(({ TreatMissingData }) => TreatMissingData))).toEqual(
      new Set(["breaching", "notBreaching"]),
    );
  });

  it("use metrics of Lookout that are on its list", () => {
    const own = [
      ...alarms.flatMap(statsOf).filter(({ Namespace }) => Namespace === metricsNamespace),
      ...alarms.filter(({ Namespace }) => Namespace === metricsNamespace),
    ].map(({ MetricName }) => MetricName ?? "");

    expect(own).not.toEqual([]);
    expect(own.filter((name) => !(name in metrics))).toEqual([]);
  });

  it("read the series that every function writes", () => {
    const told = functionNames.map((name) => deployed(name)["Environment"]);
    const single = alarms.filter(({ Namespace }) => Namespace === metricsNamespace);
    const inExpressions = alarms.flatMap(statsOf).filter(({ Namespace }) => Namespace === metricsNamespace);
    const series = [...single, ...inExpressions].map(({ Dimensions }) => Dimensions);

    expect([single.length, inExpressions.length]).toEqual([7, 7]);
    expect(told).toMatchObject(told.map(() => ({ Variables: { [environment.stack]: "Test" } })));
    expect(series).toEqual(series.map(() => [{ Name: metricsDimension, Value: "Test" }]));
  });

  it("name a function, or the place that names it", () => {
    const places = /\b(detect|gate)\/[a-z-]+|The dashboard names|The message names its function|lookout doctor names/;

    expect(
      alarms.filter(({ AlarmDescription }) => !places.test(AlarmDescription)).map(({ AlarmName }) => AlarmName),
    ).toEqual(["Test-slow-updates"]);
  });

  it("describe the fault within CloudWatch's limit, and link to the runbook", () => {
    expect(alarms.filter(({ AlarmDescription }) => AlarmDescription.length > 1_024)).toEqual([]);
    expect(alarms.filter((alarm) => !alarm.AlarmDescription.endsWith(`docs/runbook.md#${sectionOf(alarm)}`))).toEqual(
      [],
    );
  });
});

describe("the runbook", () => {
  const [, ...sections] = page("docs/runbook.md").text.split(/^## /m);
  const titles = sections.map((section) => section.split("\n", 1)[0]);

  it("has one section for each alarm, in the order of the alarms", () => {
    expect(titles).toEqual([...new Set(alarms.map(sectionOf))]);
  });

  it.each(sections.map((section) => ({ title: section.split("\n", 1)[0], section })))(
    "describes $title: its meaning, a command, and a remedy",
    ({ section }) => {
      const parts = [...section.matchAll(/^\*\*(What it means|Look here|Do this)\.\*\*/gm)].map(([, part]) => part);

      expect(parts).toEqual(["What it means", "Look here", "Do this"]);
      expect(section).toMatch(/\*\*Look here\.\*\*[\s\S]*```sh\n[\s\S]*\*\*Do this\.\*\*/);
    },
  );

  it("names each threshold with its default", () => {
    const named = sections.flatMap((section) => [...section.matchAll(/`(\w+): (\w+)`/g)]);
    const written = Object.fromEntries(
      named.map(([, key = "", value = ""]) => [key, /^\d+$/.test(value) ? Number(value) : value]),
    );
    const defaults = configured({ alarms: {} }).alarms?.thresholds;

    expect(configured({ alarms: { thresholds: written } }).alarms?.thresholds).toEqual(defaults);
    expect(Object.keys(written).toSorted()).toEqual(Object.keys(defaults ?? {}).toSorted());
  });
});

describe("the topic of alarms", () => {
  it("accepts messages of CloudWatch in this account alone, and only with TLS", () => {
    const [policy] = [...resources("AWS::SNS::TopicPolicy").values()] as unknown as readonly {
      readonly PolicyDocument: { readonly Statement: readonly object[] };
    }[];

    expect(policy?.PolicyDocument.Statement).toMatchObject([
      { Effect: "Deny", Principal: "*", Condition: { Bool: { "aws:SecureTransport": "false" } } },
      {
        Effect: "Allow",
        Principal: { Service: "cloudwatch.amazonaws.com" },
        Action: "sns:Publish",
        Condition: { StringEquals: { "aws:SourceAccount": { Ref: "AWS::AccountId" } } },
      },
    ]);
  });
});

const thresholdsOf = (all: readonly AlarmProperties[]) =>
  Object.fromEntries(all.map((alarm) => [sectionOf(alarm), alarm.Threshold]));

describe("the thresholds of the alarms", () => {
  it("are those of lookout.yaml, and stand in the texts", () => {
    const thresholds = {
      backlog: "1h30m",
      messagesFailed: 3,
      messagesDeadLettered: 2,
      slowUpdates: "20m",
      failingUpdatesPercent: 10,
      clusterUnreachable: "30m",
      eventsMissedPercent: 7.5,
      webhooksRejected: 50,
    };
    const edited = [
      ...deploy({ alarms: { thresholds } }).resources("AWS::CloudWatch::Alarm").values(),
    ] as unknown as readonly AlarmProperties[];
    const texts = Object.fromEntries(edited.map((alarm) => [sectionOf(alarm), alarm.AlarmDescription]));
    const inTexts = {
      backlog: "1 hour 30 minutes",
      "messages-failed": "more than 3 in two minutes",
      "messages-dead-lettered": "more than 2 in five minutes",
      "slow-updates": "20 minutes",
      "failing-updates": "10 %",
      "cluster-unreachable": "30 minutes",
      "events-missed": "7.5 %",
      "webhooks-rejected": "More than 50 ",
    };

    expect(thresholdsOf(edited)).toEqual({
      ...thresholdsOf(alarms),
      backlog: 5_400,
      "messages-failed": 3,
      "messages-dead-lettered": 2,
      "slow-updates": 1_200_000,
      "failing-updates": 10,
      "cluster-unreachable": 1_800,
      "events-missed": 7.5,
      "webhooks-rejected": 50,
    });
    expect(Object.entries(inTexts).filter(([section, text]) => texts[section]?.includes(text) !== true)).toEqual([]);
  });

  it("are without lookout.yaml as before", () => {
    expect(thresholdsOf(alarms)).toEqual({
      "messages-kept": 0,
      "function-errors": 0,
      backlog: 1_800,
      "messages-failed": 0,
      "messages-dead-lettered": 0,
      "records-unreadable": 0,
      "slow-updates": 600_000,
      "failing-updates": 5,
      "cluster-unreachable": 600,
      "events-missed": 1,
      "sweep-silent": 1,
      "webhooks-rejected": 20,
      "channel-untold": 0,
    });
  });
});

/** The alarms of a CDK app with its own receivers and thresholds, beside those of a lookout.yaml. */
function monitored(monitoring: (stack: Stack) => MonitoringProps, file: unknown = {}) {
  const stack = new Stack(testApp(), "Test");
  const other = new Lookout(stack, "Lookout", {
    settings: Settings.of({ channels: [oneChannel], checks: [oneCheck] }),
    functions: noCode,
  });
  const own = new LookoutAlarms(stack, "Own", {
    watched: {
      functions: [...other.functions.values()].map(({ route, name, lambda, placed, lambdas }) => ({
        ...{ route, name, lambda, placed, lambdas },
        log: new LogGroup(stack, `Log-${name}`),
      })),
      queues: other.queues.all,
      kept: other.kept,
      httpApi: other.httpApi,
    },
    configured: configured({ alarms: file }).alarms,
    ...monitoring(stack),
  });
  const template = Template.fromStack(stack);
  const all = Object.entries(template.findResources("AWS::CloudWatch::Alarm"))
    .filter(([id]) => id.startsWith("Own"))
    .map(([, { Properties }]) => Properties as AlarmProperties);
  const emails = Object.values(template.findResources("AWS::SNS::Subscription")).map(
    ({ Properties }) => Properties as unknown,
  );
  return { all, emails, topic: stack.resolve(own.topic.topicArn) as unknown, errors: errorsOf(stack) };
}

describe("the receivers of the alarms", () => {
  const opsItem = "arn:aws:ssm:eu-central-1:123456789012:opsitem:2";
  const responsePlan = "arn:aws:ssm-incidents::123456789012:response-plan/images";
  const onCall = "arn:aws:sns:eu-central-1:123456789012:on-call";
  const pageFunction = "arn:aws:lambda:eu-central-1:123456789012:function:ssm:live";

  it("are the addresses and actions of lookout.yaml, and OpsItems and incidents are opened only at the start", () => {
    const { all, emails, topic } = monitored(() => ({}), {
      email: ["ops@example.com", "ops@example.com", "oncall@example.com"],
      actions: [onCall, opsItem, responsePlan, pageFunction],
    });

    expect(emails).toEqual(
      ["ops@example.com", "oncall@example.com"].map((Endpoint) => ({ Endpoint, Protocol: "email", TopicArn: topic })),
    );
    expect(all.map(({ AlarmActions, OKActions }) => ({ AlarmActions, OKActions }))).toEqual(
      alarms.map(() => ({
        AlarmActions: [topic, onCall, opsItem, responsePlan, pageFunction],
        OKActions: [topic, onCall, pageFunction],
      })),
    );
  });

  it("are also those of a CDK app, whose thresholds replace those of lookout.yaml", () => {
    const { all, emails, topic, errors } = monitored(
      (stack) => ({
        actions: [
          new SnsAction(new Topic(stack, "Pager", { topicName: "pager" })),
          new SsmAction(OpsItemSeverity.HIGH),
        ],
        email: ["ops@example.com", "team@example.com"],
        thresholds: { backlog: Duration.hours(2), eventsMissedPercent: 100 },
      }),
      { email: ["ops@example.com"], actions: [onCall, onCall], thresholds: { backlog: "1h", webhooksRejected: 50 } },
    );
    const pager = { Ref: expect.stringMatching(/^Pager/) as string };
    const [first] = all;

    expect(emails).toMatchObject([{ Endpoint: "ops@example.com" }, { Endpoint: "team@example.com" }]);
    expect(first?.AlarmActions).toMatchObject([topic, onCall, pager, { "Fn::Join": ["", expect.anything()] }]);
    expect(first?.OKActions).toEqual([topic, onCall, pager]);
    expect(thresholdsOf(all)).toEqual({
      ...thresholdsOf(alarms),
      backlog: 7_200,
      "events-missed": 100,
      "webhooks-rejected": 50,
    });
    expect(errors).toEqual([]);
  });

  it("are refused beyond CloudWatch's limit, and thresholds out of their range", () => {
    const { errors } = monitored(
      (stack) => ({
        actions: ["A", "B", "C", "D"].map((id) => new SnsAction(new Topic(stack, id))),
        thresholds: { backlog: Duration.minutes(1), failingUpdatesPercent: 100 },
      }),
      { actions: [onCall] },
    );

    expect(errors).toEqual([
      "the alarms have 5 actions beside their topic, but CloudWatch allows 4: remove some from alarms.actions of lookout.yaml, or subscribe them to the topic",
      "monitoring.thresholds.backlog: expected 20m to 12h, such as 30m",
      "monitoring.thresholds.failingUpdatesPercent: expected a number from 0 to 99",
    ]);
  });
});
