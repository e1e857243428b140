import { PermanentError } from "#ports/errors";
import { describe, expect, it } from "vitest";
import { pushReceivers } from "#adapters/webhook/receivers";
import { publishPushes } from "#app/detect/publish-pushes";
import { syncDue } from "#app/detect/sync-cluster";
import { type Measurement, metrics, tierMetrics } from "#domain/update/effects/metrics";
import { hours, minutes, seconds } from "#domain/shared/time";
import type { PushReceivers } from "#ports/push-receiver";
import { onNotification } from "#runtime/request";
import { standingMetrics } from "#test/deploy/standing-metrics";
import { api, host, trackApi, type World, worldWithApi } from "../world.ts";
import { limitedRegistry } from "#app/shared/limited-registry";
import { rulesOf } from "#domain/registry/rules";
import type { Answer } from "#ports/channels";
import { chat } from "../notify/chat.ts";
import { stoppedClock } from "#test/stopped-clock";

interface Scenario {
  readonly what: string;
  readonly annotations?: Readonly<Record<string, string>>;
  /** What happens to the workload that was met before. */
  readonly play: (lookout: World) => Promise<unknown>;
  /** The answers of a chat to its messages. Absent without a chat. */
  readonly answers?: readonly Answer[];
  /** The beginning of the names of the compared metrics. Absent: all. */
  readonly only?: string;
  readonly measures: readonly Measurement[];
}

const in20Hours = { "lookout.dev/maintenance-window": "06:00-07:00" };
const workload = "prod/shop/deployment/api";
const repository = { registry: host, repository: "shop/api" };

/** One value of the update of that number. */
const ofUpdate = (
  name: Measurement["name"],
  value: number,
  about: Readonly<Record<string, string>> = {},
  seq = 1,
): Measurement => ({
  name,
  value,
  about: { workload, update: String(seq), source: "webhook distribution", ...about },
});

const received = (source = "webhook distribution"): Measurement => ({
  name: "PushesReceived",
  value: 1,
  about: { ...repository, source },
});
const closed = { reasons: "window-closed" };

const scenarios: readonly Scenario[] = [
  {
    what: "a push that runs: its spans, and that it succeeded",
    play: async (lookout) => {
      await lookout.push("shop/api", "1.1.0");
      await lookout.pass(seconds(15));
    },
    measures: [
      received(),
      ofUpdate("PushToSelectedMs", 0),
      ofUpdate("ReleasedToPatchedMs", 0),
      ofUpdate("PatchedToRunningMs", 1_000),
      ofUpdate("PushToRunningMs", 1_000),
      ofUpdate("UpdatesSucceeded", 1),
    ],
  },
  {
    what: "a push that waits for its window: how long it waited, which is no part of its way",
    annotations: { "lookout.dev/maintenance-window": "12:00-13:00" },
    play: async (lookout) => {
      await lookout.push("shop/api", "1.1.0");
      await lookout.pass(minutes(121));
    },
    measures: [
      received(),
      ofUpdate("PushToSelectedMs", 0, closed),
      ofUpdate("UpdatesHeld", 1, closed),
      ofUpdate("HeldSeconds", 7_198),
      ofUpdate("ReleasedToPatchedMs", 0),
      ofUpdate("PatchedToRunningMs", 1_000),
      ofUpdate("PushToRunningMs", 1_000),
      ofUpdate("UpdatesSucceeded", 1),
    ],
  },
  {
    what: "a long wait: every six hours how long it is already, and for what",
    annotations: in20Hours,
    play: async (lookout) => {
      await lookout.push("shop/api", "1.1.0");
      await lookout.pass(minutes(361));
    },
    measures: [
      received(),
      ofUpdate("PushToSelectedMs", 0, closed),
      ofUpdate("UpdatesHeld", 1, closed),
      ofUpdate("HeldSeconds", 21_600, closed),
    ],
  },
  {
    what: "a look at a held update that changes nothing: how long it waits",
    annotations: in20Hours,
    play: async (lookout) => {
      await lookout.push("shop/api", "1.1.0");
      await lookout.pass(minutes(5));
      const { uid, seq, version, workload } = await lookout.record("prod/shop/deployment/api");
      await lookout.ports.queues.send([
        { command: { name: "Wake", workload, uid, seq, version, requestedBy: "a test" } },
      ]);
      await lookout.settle();
    },
    measures: [
      received(),
      ofUpdate("PushToSelectedMs", 0, closed),
      ofUpdate("UpdatesHeld", 1, closed),
      ofUpdate("HeldSeconds", 300, closed),
    ],
  },
  {
    what: "a push that a newer one supersedes",
    annotations: in20Hours,
    play: async (lookout) => {
      await lookout.push("shop/api", "1.1.0");
      await lookout.pass(minutes(5));
      await lookout.push("shop/api", "1.2.0");
      await lookout.settle();
    },
    measures: [
      received(),
      ofUpdate("PushToSelectedMs", 0, closed),
      ofUpdate("UpdatesHeld", 1, closed),
      received(),
      ofUpdate("UpdatesSuperseded", 1, { reasons: "superseded-by-a-newer-push" }),
      ofUpdate("PushToSelectedMs", 0, closed, 2),
      ofUpdate("UpdatesHeld", 1, closed, 2),
    ],
  },
  {
    what: "a push that does not run: that it was rolled back, and no time to running",
    play: async (lookout) => {
      await lookout.push("shop/api", "1.1.0", { broken: true });
      await lookout.pass(minutes(10));
    },
    measures: [
      received(),
      ofUpdate("PushToSelectedMs", 0),
      ofUpdate("ReleasedToPatchedMs", 0),
      ofUpdate("UpdatesRolledBack", 1, { reasons: "rollout-failed" }),
    ],
  },
  {
    what: "a push that does not run and may not be rolled back: that it failed",
    annotations: { "lookout.dev/auto-rollback": "false" },
    play: async (lookout) => {
      await lookout.push("shop/api", "1.1.0", { broken: true });
      await lookout.pass(minutes(10));
    },
    measures: [
      received(),
      ofUpdate("PushToSelectedMs", 0),
      ofUpdate("ReleasedToPatchedMs", 0),
      ofUpdate("UpdatesFailed", 1, { reasons: "rollout-failed" }),
    ],
  },
  {
    what: "a push that nobody told of: that the sweep found it",
    annotations: in20Hours,
    play: async (lookout) => {
      await lookout.push("shop/api", "1.1.0", { quietly: true });
      await lookout.sweep();
    },
    measures: [
      { name: "SweepsStarted", value: 1, about: {} },
      { name: "EventsMissed", value: 1, about: repository },
      received("sweep"),
      ofUpdate("PushToSelectedMs", 0, { source: "sweep", ...closed }),
      ofUpdate("UpdatesHeld", 1, { source: "sweep", ...closed }),
    ],
  },
  {
    what: "a sweep while the registry does not answer: which, and why",
    play: async (lookout) => {
      lookout.registry.unreachable(host, true);
      await lookout.sweep();
    },
    measures: [
      { name: "SweepsStarted", value: 1, about: {} },
      { name: "RegistryRefusals", value: 1, about: { ...repository, reason: "registry-unreachable" } },
    ],
  },
  {
    what: "a cluster that does not answer: since when, and how old the inventory is once a look is late",
    play: async (lookout) => {
      lookout.cluster.unreachable(true);
      await lookout.sync();
      await lookout.pass(minutes(1));
      await syncDue(lookout.ports);
      await lookout.settle();
      await lookout.pass(minutes(1));
      await syncDue(lookout.ports);
      await lookout.settle();
    },
    measures: [
      { name: "ClusterUnreachableSeconds", value: 0, about: { cluster: "prod", reason: "cluster-unreachable" } },
      { name: "ClusterUnreachableSeconds", value: 60, about: { cluster: "prod", reason: "cluster-unreachable" } },
      { name: "InventoryAgeSeconds", value: 120, about: { cluster: "prod" } },
      { name: "ClusterUnreachableSeconds", value: 120, about: { cluster: "prod", reason: "cluster-unreachable" } },
    ],
  },
  {
    what: "pods that run different digests of a tag: how many workloads have such pods, at each complete list",
    play: async (lookout) => {
      await lookout.push("shop/api", "1.0.0", { quietly: true });
      const { objects } = lookout.cluster;
      const stored = objects.find({ cluster: "prod", ...api });
      objects.deletePods(stored!, [stored!.pods[0]!.name]);
      lookout.cluster.annotate(api, { "lookout.dev/strategy": "tag" });
      for (let hour = 0; hour < 2; hour += 1) {
        lookout.clock.turn(hours(1));
        await lookout.sync();
      }
    },
    measures: [{ name: "WorkloadsDrifting", value: 1, about: { cluster: "prod" } }],
  },
  {
    what: "an update that was in nobody's hands: that the reaper found it",
    play: async (lookout) => {
      lookout.cluster.failNext({ kind: "unknown", detail: "the connection was lost" });
      await lookout.push("shop/api", "1.1.0");
      await lookout.settle();
      lookout.loseMessages();
      await lookout.pass(minutes(3));
      await lookout.reap();
    },
    measures: [
      received(),
      ofUpdate("PushToSelectedMs", 0),
      { name: "UpdatesOverdue", value: 1, about: {} },
      ofUpdate("ReleasedToPatchedMs", 180_000),
    ],
  },
  {
    what: "a message that failed five times: which, and why",
    play: async (lookout) => {
      const { clusterStates } = lookout.ports;
      const read = clusterStates.read.bind(clusterStates);
      let failures = 5;
      const failing: typeof read = (name) =>
        (failures -= 1) >= 0 ? Promise.reject(new Error("the table is away")) : read(name);
      Object.assign(clusterStates, { read: failing });
      await lookout.sync();
      await lookout.pass(seconds(5));
    },
    measures: [
      ...Array<Measurement>(5).fill({
        name: "MessagesFailed",
        value: 1,
        about: { stage: "detect", function: "detect/sync-cluster" },
      }),
      { name: "MessagesDeadLettered", value: 1, about: { message: "SyncCluster", why: "Error: the table is away" } },
      { name: "ClusterUnreachableSeconds", value: 0, about: { cluster: "prod", reason: "cluster-unreachable" } },
    ],
  },
  {
    what: "a message that no retry can help: why",
    play: async (lookout) => {
      const installation = () => Promise.reject(new PermanentError("denied"));
      Object.assign(lookout.ports, { store: { ...lookout.ports.store, installation } });
      lookout.deploy({ name: "other", image: `${host}/shop/api:1.0.0` });
      await lookout.sync();
    },
    measures: [
      { name: "MessagesDeadLettered", value: 1, about: { message: "EvaluateWorkload", why: "denied" } },
      { name: "MessagesKept", value: 1, about: { why: "denied" } },
    ],
  },
  {
    what: "a push of a tag that its registry does not have: that the registry disagrees, and who told",
    play: async (lookout) => {
      await lookout.tell({ id: "p1", registry: host, repository: "shop/api", tags: ["9.9.9"] });
      await lookout.settle();
    },
    measures: [
      received(),
      {
        ...{ name: "PushesDisputed", value: 1 },
        about: { registry: host, repository: "shop/api", source: "webhook distribution" },
      },
    ],
  },
  {
    what: "a registry that asks for a pause, and one that fails for the fifth time",
    play: async ({ ports, registry }) => {
      const answer = { kind: "unreachable", detail: "it answered 429", isOutage: true } as const;
      const answers = { [host]: { ...answer, retryAfterMs: 30_000 }, "other.test": answer };
      const gate = limitedRegistry({
        registry: {
          ...registry,
          tags: async ({ registry: asked }) => answers[asked as keyof typeof answers],
          answers: async () => ({ kind: "no-answer" }),
        },
        registryLimits: ports.registryLimits,
        rulesOf: (of) => rulesOf(of, []),
        clock: ports.clock,
        pause: async () => undefined,
      })(ports.metrics);
      const { signal } = new AbortController();
      for (const asked of [host, ...Array<string>(5).fill("other.test")])
        await gate.tags({ registry: asked, repository: "api" }, signal);
    },
    measures: [
      { name: "RegistryRefusals", value: 1, about: { registry: host, reason: "registry-throttled" } },
      {
        name: "RegistryRefusals",
        value: 1,
        about: { registry: "other.test", reason: "registry-circuit-open", openSeconds: "0" },
      },
    ],
  },
  {
    what: "notifications that nobody takes: which receiver, and why",
    play: async (lookout) => {
      const receivers = pushReceivers(
        [{ name: "build", kind: "generic", secret: "s3cret-of-the-build", registry: host }],
        stoppedClock,
      );
      for (const name of ["build", "nobody"]) await notify(name, receivers, lookout);
    },
    measures: [
      { name: "WebhooksRejected", value: 1, about: { reason: "unauthorized", receiver: "build" } },
      { name: "WebhooksRejected", value: 1, about: { reason: "unknown-receiver" } },
    ],
  },
  {
    what: "a channel that fails, that takes a message, and that refuses its secret",
    annotations: { "lookout.dev/approval-required": "true" },
    answers: [
      { kind: "later", why: "429" },
      { kind: "told", reference: "0" },
      { kind: "off", why: "invalid_auth" },
    ],
    play: async (lookout) => {
      await lookout.push("shop/api", "1.1.0");
      await lookout.pass(seconds(10));
      await lookout.push("shop/api", "1.2.0");
      await lookout.pass(seconds(3));
    },
    only: "Channel",
    measures: ["ChannelFailed", "ChannelTold", "ChannelFailed", "ChannelUntold", "ChannelUntold"].map((name) => ({
      ...{ name: name as Measurement["name"], value: 1 },
      about: { channel: "releases", kind: "chat" },
    })),
  },
];

const notify = (name: string, receivers: PushReceivers, { ports }: World): Promise<Response> => {
  const nothing = async (): Promise<void> => undefined;
  return onNotification(publishPushes)(
    new Request(`http://localhost/webhooks/${name}`, { method: "POST", body: "{}" }),
    {
      ports,
      receivers,
      setAside: { deadLetter: nothing, keep: nothing },
      log: { outcome: () => undefined, failure: () => undefined },
      signal: new AbortController().signal,
    },
  );
};

/** What a scenario measures; uids of objects differ from world to world. */
async function measure({ annotations, play, answers, only = "" }: Scenario): Promise<readonly Measurement[]> {
  const told = answers === undefined ? undefined : chat({ events: ["ApprovalRequested"] });
  told?.answerNext(...(answers ?? []));
  const lookout = await worldWithApi(undefined, undefined, told?.channels);
  const { uid } = await lookout.record(await trackApi(lookout, annotations));
  await play(lookout);
  const compared = lookout.measurements.filter(({ name }) => name.startsWith(only));
  return compared.map(({ about, ...value }) => ({
    ...value,
    about: about["update"] === undefined ? about : { ...about, update: about["update"].split(uid).join("uid") },
  }));
}

describe("the metrics of", () => {
  it.each(scenarios)("$what", async (scenario) => {
    expect(await measure(scenario)).toEqual(scenario.measures);
  });
});

describe("minutes without a push", () => {
  it("measure only what AWS bills for all month", async () => {
    const lookout = await worldWithApi();
    await trackApi(lookout);
    await lookout.sync();
    await syncDue(lookout.ports);
    await lookout.sweep();
    await lookout.reap();

    const measured = lookout.measurements.map(({ name }) => name);
    expect([...new Set(measured)].toSorted()).toEqual(standingMetrics);
  });
});

describe("the list of metrics", () => {
  it("has exactly the measured metrics", async () => {
    const measured = (await Promise.all(scenarios.map(measure))).flat().map(({ name }) => name);

    // The reads of stored items measure what they can't read. test/app/notify/tier-progress.test.ts measures tiers.
    const elsewhere = ["RecordsUnreadable", ...tierMetrics];
    expect([...new Set([...measured, ...elsewhere])].toSorted()).toEqual(Object.keys(metrics).toSorted());
  });
});
