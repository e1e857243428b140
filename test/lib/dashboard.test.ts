import { describe, expect, it } from "vitest";
import { metrics, metricsDimension, metricsNamespace } from "#contracts/aws/metrics";
import { deploy } from "./deployed.ts";

interface Widget {
  readonly type: string;
  readonly width: number;
  readonly properties: {
    readonly title: string;
    readonly query?: string;
    readonly metrics?: readonly (readonly unknown[])[];
  };
}

const { resources, text } = deploy();

const bodies = [...resources("AWS::CloudWatch::Dashboard").values()].map(
  ({ DashboardBody }) => JSON.parse(text(DashboardBody)) as { readonly widgets: readonly Widget[] },
);
const widgets = bodies.flatMap(({ widgets: all }) => all);

/** Namespace, name and dimensions of a series, without how it is drawn. */
const isText = (value: unknown): value is string => typeof value === "string";
const shown = widgets
  .flatMap(({ properties }) => properties.metrics ?? [])
  .map((metric) => metric.filter(isText))
  .filter(([namespace]) => namespace === metricsNamespace);

const alarmedOn = [
  ...JSON.stringify([...resources("AWS::CloudWatch::Alarm").values()]).matchAll(/"MetricName":"(\w+)"/g),
]
  .map(([, name = ""]) => name)
  .filter((name) => name in metrics);

describe("the dashboard", () => {
  it("has these widgets", () => {
    expect(bodies).toHaveLength(1);
    expect(widgets.map(({ properties }) => properties.title)).toEqual([
      "Alarms",
      "Push to running, without the wait at gates",
      "Push to running by step, p50",
      "From pushes to updates",
      "Waiting, by reason",
      "Longest wait, and overdue updates",
      "Age of the oldest message",
      "Failures and rollbacks",
      "Missed pushes, registry refusals, rejected webhooks",
      "Clusters",
      "Cost: functions",
      "Cost: table and queues",
    ]);
  });

  it("shows only metrics of Lookout's list", () => {
    expect(shown).not.toEqual([]);
    expect(shown.filter(([, name = ""]) => !(name in metrics))).toEqual([]);
  });

  it("shows every metric without an alarm", () => {
    const seen = new Set([...shown.map(([, name]) => name), ...alarmedOn]);

    expect(Object.keys(metrics).filter((name) => !seen.has(name))).toEqual([]);
  });

  it("reads reasons from the logs only by measured metrics", () => {
    const queries = widgets.flatMap(({ properties: { query } }) => (query === undefined ? [] : [query]));
    const names = queries.flatMap((query) => [...query.matchAll(/\b[A-Z]\w+\b/g)].map(([name]) => name));

    expect(queries).toHaveLength(1);
    expect([...new Set(names)].filter((name) => name in metrics)).toEqual(["UpdatesHeld", "HeldSeconds"]);
  });
});

describe("the series of an installation", () => {
  it("are twenty-three at most, with one dimension", () => {
    const dimensions = new Set(shown.map((series) => series.slice(2).join("=")));

    expect([...dimensions]).toEqual([`${metricsDimension}=Test`]);
    expect(Object.keys(metrics).length).toBeLessThanOrEqual(23);
  });
});
