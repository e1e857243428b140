import { describe, expect, it } from "vitest";
import { metrics, metricsDimension, metricsNamespace } from "#contracts/aws/metrics";
import { functionName } from "#contracts/routes";
import { allRoutes, deploy, type Deployed, functionNames } from "./deployed.ts";

interface Widget {
  readonly type: string;
  readonly width: number;
  readonly properties: {
    readonly title: string;
    readonly query?: string;
    readonly metrics?: readonly (readonly unknown[])[];
  };
}

const bodiesOf = ({ resources, text }: Deployed) =>
  [...resources("AWS::CloudWatch::Dashboard").values()].map(
    ({ DashboardBody }) => JSON.parse(text(DashboardBody)) as { readonly widgets: readonly Widget[] },
  );

const deployed = deploy({ tiers: [{ name: "dev" }, { name: "prod" }] });
const bodies = bodiesOf(deployed);
const widgets = bodies.flatMap(({ widgets: all }) => all);

/** The properties of the widget with a title. */
function titled(title: string, of = deployed): Widget["properties"] {
  const all = bodiesOf(of).flatMap((body) => body.widgets);
  const found = all.find(({ properties }) => properties.title === title);
  if (found === undefined) throw new Error(`no widget ${title}`);
  return found.properties;
}

/** The metrics of Lookout in a query, each once. */
const measuredIn = (query: string): readonly string[] => [
  ...new Set([...query.matchAll(/\b[A-Z]\w+\b/g)].map(([name]) => name).filter((name) => name in metrics)),
];

/** Namespace, name and dimensions of a series, without how it is drawn. */
const isText = (value: unknown): value is string => typeof value === "string";
const shown = widgets
  .flatMap(({ properties }) => properties.metrics ?? [])
  .map((metric) => metric.filter(isText))
  .filter(([namespace]) => namespace === metricsNamespace);

const alarmedOn = [
  ...JSON.stringify([...deployed.resources("AWS::CloudWatch::Alarm").values()]).matchAll(/"MetricName":"(\w+)"/g),
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
      "Failures by workload",
      "Waiting for approval, by workload",
      "Problems by cluster",
      "Failed messages by function",
      "Tiers: the group with the most",
      "Tiers by group",
      "Channels",
      "Failures by channel",
      "Throttles of functions, and kept messages",
      "Refused and failed requests",
      "Failed rules and schedules",
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

  it("reads names and reasons from the logs only by measured metrics", () => {
    const queries = widgets.flatMap(({ properties: { title, query } }) =>
      query === undefined ? [] : [[title, ...measuredIn(query)]],
    );

    expect(queries).toEqual([
      ["Waiting, by reason", "UpdatesHeld", "HeldSeconds"],
      ["Failures by workload", "UpdatesFailed", "UpdatesRolledBack"],
      ["Waiting for approval, by workload", "UpdatesHeld", "HeldSeconds"],
      ["Problems by cluster", "ClusterUnreachableSeconds", "InventoryAgeSeconds"],
      ["Failed messages by function", "MessagesFailed"],
      [
        "Tiers by group",
        "TierCurrent",
        "TierMembersAtLatest",
        "TierMembersToUpdate",
        "TierMembersSuspended",
        "TierUpgradingSeconds",
      ],
      ["Failures by channel", "ChannelFailed", "ChannelUntold"],
    ]);
  });

  it.each([
    { title: "Failures by workload", logs: 1, by: "workload" },
    { title: "Waiting for approval, by workload", logs: 2, by: "workload" },
    { title: "Problems by cluster", logs: 3, by: "cluster, reason" },
    { title: "Tiers by group", logs: 1, by: "group" },
    { title: "Failures by channel", logs: 1, by: "channel, kind" },
    { title: "Failed messages by function", logs: functionNames.length, by: "stage, function" },
  ])("names the culprits in $title", ({ title, logs, by }) => {
    const { query = "" } = titled(title);

    expect(query.match(/SOURCE '/g)).toHaveLength(logs);
    expect(/ by (.*)$/m.exec(query)?.[1]).toBe(by);
  });

  it("shows throttles by function, also of copies in VPCs, and the kept messages", () => {
    const network = { vpc: "vpc-0a1b2c3d", subnets: ["subnet-0a1b2c3d"] };
    const placed = deploy({ clusters: [{ name: "prod", eks: { name: "prod" }, network }] });
    const { metrics: lines = [] } = titled("Throttles of functions, and kept messages", placed);
    const labels = lines.map((line) => (line.at(-1) as { readonly label: string }).label);
    const inVpc = allRoutes.filter(({ reaches }) => reaches.includes("clusters")).map(functionName);

    expect(labels).toEqual([
      ...functionNames.flatMap((name) => [name, ...(inVpc.includes(name) ? [`${name} in vpc-0a1b2c3d`] : [])]),
      "kept messages",
    ]);
  });

  it("shows requests, rules and schedules that failed", () => {
    // Logical ids and names end in a hash.
    const shownIn = (title: string) =>
      titled(title).metrics?.map((line) =>
        line
          .filter(isText)
          .join(" ")
          .replaceAll(/[0-9A-F]{8}\b/g, ""),
      );
    const group = "ScheduleGroup Test-Lookout-Timers-Group-";

    expect(shownIn("Refused and failed requests")).toEqual([
      "AWS/ApiGateway 4xx ApiId <LookoutHttpApi>",
      "AWS/ApiGateway 5xx ApiId <LookoutHttpApi>",
    ]);
    expect(shownIn("Failed rules and schedules")).toEqual([
      "AWS/Events FailedInvocations RuleName <LookoutImagePushesOwnAccount.Arn>[1]",
      "AWS/Events FailedInvocations EventBusName <LookoutBus> RuleName <LookoutImagePushesForwarded.Arn>[2]",
      "AWS/Events FailedInvocations EventBusName <LookoutBus> RuleName <LookoutImagePushesPublished.Arn>[2]",
      "AWS/Events FailedInvocations EventBusName <LookoutBus> RuleName <LookoutChannelsaudit.Arn>[2]",
      `AWS/Scheduler TargetErrorCount ${group}`,
      `AWS/Scheduler InvocationDroppedCount ${group}`,
    ]);
  });
});

describe("the dashboard without tiers", () => {
  it("has no row of tiers", () => {
    expect(bodiesOf(deploy()).flatMap((body) => body.widgets.map(({ properties }) => properties.title))).toEqual(
      widgets.map(({ properties }) => properties.title).filter((title) => !title.startsWith("Tiers")),
    );
  });
});

describe("the series of an installation", () => {
  it("are twenty-four at most, three of channels and five of tiers, with one dimension", () => {
    const dimensions = new Set(shown.map((series) => series.slice(2).join("=")));

    expect([...dimensions]).toEqual([`${metricsDimension}=Test`]);
    const ofChannels = Object.keys(metrics).filter((name) => name.startsWith("Channel"));
    expect(ofChannels).toEqual(["ChannelTold", "ChannelFailed", "ChannelUntold"]);
    const ofTiers = Object.keys(metrics).filter((name) => name.startsWith("Tier"));
    expect(ofTiers).toHaveLength(5);
    expect(Object.keys(metrics).length - ofChannels.length - ofTiers.length).toBeLessThanOrEqual(24);
  });
});
