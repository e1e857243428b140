import { Stack } from "aws-cdk-lib";
import { describe, expect, it } from "vitest";
import { environment } from "#contracts/aws/environment";
import { functionName } from "#contracts/routes";
import { metrics, metricsDimension, metricsNamespace } from "#contracts/aws/metrics";
import { page } from "../docs/markdown.ts";
import { allRoutes, deploy, functionNames } from "./deployed.ts";

interface MetricStat {
  readonly Namespace: string;
  readonly MetricName: string;
  readonly Dimensions: readonly { readonly Name: string; readonly Value: unknown }[];
}

interface AlarmProperties {
  readonly AlarmName: string;
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
  it("are twelve at most, of ten metrics each", () => {
    expect(alarms.length).toBeLessThanOrEqual(12);
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

    expect([single.length, inExpressions.length]).toEqual([6, 7]);
    expect(told).toMatchObject(told.map(() => ({ Variables: { [environment.stack]: "Test" } })));
    expect(series).toEqual(series.map(() => [{ Name: metricsDimension, Value: "Test" }]));
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
