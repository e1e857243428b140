import { describe, expect, it } from "vitest";
import { type AlarmText, type Asked, isRaised, periodMinutes, type World } from "./alarm-state.ts";
import { deploy, type Deployed } from "./deployed.ts";

const alarmsOf = ({ resources }: Deployed) =>
  [...resources("AWS::CloudWatch::Alarm").values()] as unknown as readonly AlarmText[];
const alarms = alarmsOf(deploy({ checks: [] }));
const raisedAt = (world: World, minute: number, of = alarms): readonly string[] =>
  of.filter((alarm) => isRaised(alarm, world, minute)).map(({ AlarmName }) => AlarmName.replace("Test-", ""));

const hour = 60;
/** True once in so many periods. */
const oncein = (periods: number, minute: number, minutes: number): boolean => (minute / minutes) % periods === 3;

/**
 * What a busy, healthy installation writes: forty updates an hour, and what goes wrong by itself
 * now and then.
 */
const healthy: Readonly<Record<string, World>> = {
  SweepsStarted: (_, __, minutes) => minutes / 5,
  PushesReceived: (_, __, minutes) => (60 * minutes) / hour,
  UpdatesSucceeded: (_, __, minutes) => (40 * minutes) / hour,
  // A bad image every third hour.
  UpdatesRolledBack: (_, minute) => ((minute / hour) % 3 === 1 ? 1 : undefined),
  // One rollout that waits for a node, among few.
  PushToRunningMs: (_, minute, minutes) => (oncein(40, minute, minutes) ? 900_000 : 45_000),
  ClusterUnreachableSeconds: (_, minute, minutes) => (oncein(100, minute, minutes) ? 180 : undefined),
  WebhooksRejected: (_, minute, minutes) => (oncein(7, minute, minutes) ? 3 : undefined),
  // An answer that did not come, twice in an hour for two minutes.
  MessagesFailed: (_, minute) => (minute % 30 < 2 ? 1 : undefined),
  // A timer of a quarter of an hour.
  ApproximateAgeOfOldestMessage: () => 900,
  ApproximateNumberOfMessagesVisible: () => undefined,
  IteratorAge: () => 250,
  // A run that a deployment ended.
  FailedRuns: (_, minute, minutes) => (oncein(50, minute, minutes) ? 1 : undefined),
  Throttles: () => 0,
  // A request that came while the table was away.
  "5xx": (_, minute, minutes) => (oncein(60, minute, minutes) ? 1 : 0),
};
const quiet: World = (metric, minute, minutes) => healthy[metric.name]?.(metric, minute, minutes);

/** The same, but for what a fault does from an instant on. */
const withFault =
  (fault: (metric: Asked, minutes: number) => number | undefined | "as before", from: number): World =>
  (metric, minute, minutes) => {
    const value = minute + minutes <= from ? "as before" : fault(metric, minutes);
    return value === "as before" ? quiet(metric, minute, minutes) : value;
  };

const only =
  (name: string, value: number | undefined, of?: string) =>
  (metric: Asked): number | undefined | "as before" =>
    metric.name === name && (of === undefined || metric.of.includes(of)) ? value : "as before";

describe("in a quiet month with ordinary failures", () => {
  it("no alarm is raised", () => {
    const raised = alarms.flatMap((alarm) => {
      const step = periodMinutes(alarm);
      const ends = Array.from({ length: (30 * 24 * hour) / step }, (_, index) => (index + 1) * step);
      return ends.filter((end) => end > 2 * step && isRaised(alarm, quiet, end)).map((end) => [alarm.AlarmName, end]);
    });

    expect(raised).toEqual([]);
  });
});

describe("two periods after its beginning", () => {
  it.each([
    {
      fault: "a message that nobody can read",
      does: only("ApproximateNumberOfMessagesVisible", 1),
      raises: ["messages-kept"],
    },
    { fault: "a function that fails, or can't begin", does: only("FailedRuns", 12), raises: ["function-errors"] },
    { fault: "an account without free concurrency", does: only("Throttles", 5), raises: ["function-errors"] },
    { fault: "requests that can't be done", does: only("5xx", 3), raises: ["function-errors"] },
    { fault: "a queue that nobody works off", does: only("ApproximateAgeOfOldestMessage", 2_000), raises: ["backlog"] },
    { fault: "a stream that nobody reads", does: only("IteratorAge", 2_000_000), raises: ["backlog"] },
    { fault: "work that fails, and is repeated", does: only("MessagesFailed", 1), raises: ["messages-failed"] },
    { fault: "work that fails every time", does: only("MessagesDeadLettered", 1), raises: ["messages-dead-lettered"] },
    { fault: "a damaged record", does: only("RecordsUnreadable", 1), raises: ["records-unreadable"] },
    { fault: "pods that take long", does: only("PushToRunningMs", 700_000), raises: ["slow-updates"] },
    { fault: "a bad base image", does: only("UpdatesRolledBack", 12), raises: ["failing-updates"] },
    { fault: "one workload that is left broken", does: only("UpdatesFailed", 1), raises: ["failing-updates"] },
    { fault: "a cluster that is away", does: only("ClusterUnreachableSeconds", 700), raises: ["cluster-unreachable"] },
    {
      fault: "looks that are no longer taken",
      does: only("InventoryAgeSeconds", 700),
      raises: ["cluster-unreachable"],
    },
    { fault: "a broken rule of events", does: only("EventsMissed", 5), raises: ["events-missed"] },
    { fault: "a schedule that is off", does: only("SweepsStarted", undefined), raises: ["sweep-silent"] },
    { fault: "a secret that changed on one side", does: only("WebhooksRejected", 40), raises: ["webhooks-rejected"] },
  ])("$fault raises $raises and no other", ({ does, raises }) => {
    const from = 7 * 24 * hour;
    const longest = Math.max(
      ...alarms.filter(({ AlarmName }) => raises.includes(AlarmName.replace("Test-", ""))).map(periodMinutes),
    );

    expect(raisedAt(withFault(does, from), from + 2 * longest)).toEqual(raises);
  });
});

describe("with higher thresholds in lookout.yaml", () => {
  const thresholds = {
    backlog: "1h",
    messagesFailed: 10,
    messagesDeadLettered: 2,
    slowUpdates: "20m",
    failingUpdatesPercent: 25,
    clusterUnreachable: "30m",
    eventsMissedPercent: 10,
    webhooksRejected: 50,
  };
  const tolerant = alarmsOf(deploy({ checks: [], alarms: { thresholds } }));

  it.each([
    ["ApproximateAgeOfOldestMessage", 2_000, 4_000, "backlog"],
    ["IteratorAge", 2_000_000, 4_000_000, "backlog"],
    ["MessagesFailed", 10, 11, "messages-failed"],
    ["MessagesDeadLettered", 2, 3, "messages-dead-lettered"],
    ["PushToRunningMs", 700_000, 1_300_000, "slow-updates"],
    ["UpdatesRolledBack", 12, 20, "failing-updates"],
    ["ClusterUnreachableSeconds", 700, 1_900, "cluster-unreachable"],
    ["EventsMissed", 5, 10, "events-missed"],
    ["WebhooksRejected", 40, 60, "webhooks-rejected"],
  ] as const)("%s of %d raises no alarm any more, and %d raises %s", (name, tolerated, much, raises) => {
    const from = 7 * 24 * hour;
    const raisedBy = (value: number, of: readonly AlarmText[]) =>
      raisedAt(withFault(only(name, value), from), from + 2 * hour, of);

    expect(raisedBy(tolerated, alarms)).toEqual([raises]);
    expect(raisedBy(tolerated, tolerant)).toEqual([]);
    expect(raisedBy(much, tolerant)).toEqual([raises]);
  });
});
