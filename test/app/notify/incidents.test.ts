import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { httpPost } from "#adapters/http-post/post";
import { deliver } from "#app/notify/deliver";
import { Channels as ChannelsSchema } from "#contracts/config/channels";
import type { ChannelState } from "#domain/notify/channel-state";
import type { Subject, ToldMessage } from "#domain/notify/told";
import { minutes, seconds } from "#domain/shared/time";
import type { Fact } from "#domain/update/events";
import type { Channels } from "#ports/channels";
import type { ChannelStates, ToldMessages } from "#ports/told";
import { channelsOf, noChannels } from "#runtime/channels";
import type { StatePorts } from "#runtime/local/state";
import { pagerDutyStandIn, type PagerDutyStandIn, throttled } from "#test/channels/stand-ins/pagerduty";
import { type ScriptedAnswer, taken } from "#test/channels/stand-ins/stand-in";
import { stateInMemory } from "#test/state";
import { type ByHand, lookoutByHand } from "../by-hand.ts";
import { host, installation, type World, worldWithApi } from "../world.ts";

let pager: PagerDutyStandIn;
beforeEach(async () => void (pager = await pagerDutyStandIn()));
afterEach(() => pager[Symbol.asyncDispose]());

/** The channel of a user who wrote only what is needed. */
function pagerChannel(given: object = {}): Channels {
  const entry = { name: "pager", kind: "pagerduty", address: pager.url, allowNetworks: ["127.0.0.0/8"], ...given };
  return channelsOf(
    { channels: ChannelsSchema.parse([entry]) },
    {
      post: httpPost({ isServerless: false, timeoutMs: 10_000 }),
      postToAws: () => Promise.reject(new Error("nothing is sent to AWS")),
      readSecret: async () => ({ kind: "secret", value: pager.routingKey }),
      installation: async () => installation,
    },
  );
}

interface Watched extends ByHand {
  readonly key: string;
  readonly world: World;
  /** Pushes a tag of `shop/api`, and waits until its update has ended. */
  push(tag: string, kind?: "good" | "broken"): Promise<void>;
}

async function watched(channels: Channels, given: Partial<StatePorts> = {}): Promise<Watched> {
  const world = await worldWithApi();
  const { clock, cluster, registry } = world;
  const key = world.deploy({ name: "api", image: `${host}/shop/api:1.0.0` });
  const state = { ...stateInMemory(installation), ...given };
  const lookout = lookoutByHand({ installation, clock, cluster, clusterName: "prod", registry, channels, state });
  lookout.send({ name: "SyncCluster", id: "1", cluster: "prod" });
  await lookout.pass(seconds(5));
  return {
    ...lookout,
    key,
    world,
    async push(tag, kind = "good") {
      const digest = await world.push("shop/api", tag, { quietly: true, broken: kind === "broken" });
      await lookout.tell({ id: `push-${tag}`, registry: host, repository: "shop/api", tags: [tag], digest });
      await lookout.pass(minutes(10));
    },
  };
}

const shown = () => pager.incidents.map(({ dedupKey, status, severity }) => ({ dedupKey, status, severity }));
const uidOf = async (lookout: Watched) => (await lookout.record(lookout.key)).uid;

describe("a broken push", () => {
  it("that is rolled back opens one incident, and the next good push resolves it", async () => {
    const lookout = await watched(pagerChannel());
    await lookout.push("1.1.0", "broken");
    const dedupKey = `lookout/${installation}/${await uidOf(lookout)}`;

    expect((await lookout.record(lookout.key)).last).toMatchObject({ status: "rolled-back" });
    expect(shown()).toEqual([{ dedupKey, status: "triggered", severity: "error" }]);
    expect(pager.incidents[0]!.summary).toBe(
      "prod/shop/api: rolled back to 1.0.0; 1.1.0 is blocked here until lookout unblock shop/api",
    );

    await lookout.push("1.2.0");
    expect((await lookout.record(lookout.key)).last).toMatchObject({ status: "succeeded" });
    expect(shown()).toEqual([{ dedupKey, status: "resolved", severity: "error" }]);
    expect([pager.received.length, pager.dropped, lookout.failures]).toEqual([2, [], []]);
  });

  it("after another broken push tells of the newer one in the same incident", async () => {
    const lookout = await watched(pagerChannel());
    await lookout.push("1.1.0", "broken");
    await lookout.push("1.2.0", "broken");

    expect(shown()).toMatchObject([{ status: "triggered" }]);
    expect(pager.incidents[0]!.events.map(({ action }) => action)).toEqual(["trigger", "trigger"]);
  });

  it("opens a new incident after the old one was resolved", async () => {
    const lookout = await watched(pagerChannel());
    await lookout.push("1.1.0", "broken");
    await lookout.push("1.2.0");
    await lookout.push("1.3.0", "broken");

    expect(shown().map(({ status }) => status)).toEqual(["resolved", "triggered"]);
  });

  it.each([
    { what: "another cluster", given: { clusters: ["stage"] } },
    { what: "other namespaces", given: { namespaces: { deny: ["sh*"] } } },
    { what: "failed rollbacks only", given: { minSeverity: "critical" } },
    { what: "workloads that name the channel", given: { workloads: "named" } },
  ])("opens no incident at a channel for $what", async ({ given }) => {
    const lookout = await watched(pagerChannel(given));
    await lookout.push("1.1.0", "broken");
    await lookout.push("1.2.0");

    expect([pager.received, lookout.failures]).toEqual([[], []]);
  });

  it("opens no incident while all pushes are good", async () => {
    const lookout = await watched(pagerChannel());
    await lookout.push("1.1.0");
    await lookout.push("1.2.0");

    expect(pager.received).toEqual([]);
  });
});

describe("deliveries that come late, twice and in another order", () => {
  const again = async (lookout: Watched, facts: readonly Fact[]) => {
    for (const fact of facts) lookout.send({ name: "Deliver", channel: "pager", fact });
    await lookout.pass(minutes(2));
  };

  it("change nothing after they were told", async () => {
    const lookout = await watched(pagerChannel());
    await lookout.push("1.1.0", "broken");
    await again(lookout, [...lookout.facts, ...lookout.facts.toReversed()]);
    expect(pager.received).toHaveLength(1);

    await lookout.push("1.2.0");
    await again(lookout, [...lookout.facts.toReversed(), ...lookout.facts]);
    expect(pager.received).toHaveLength(2);
    expect(shown()).toMatchObject([{ status: "resolved" }]);
  });

  it("open one incident while the workload is in trouble, in each order", async () => {
    const lookout = await watched(noChannels);
    await lookout.push("1.1.0", "broken");
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray([...lookout.facts, ...lookout.facts], { minLength: lookout.facts.length * 2 }),
        async (facts) => {
          const { told, channelStates } = stateInMemory(installation);
          const before = pager.received.length;
          const ports = { ...lookout.ports, told, channelStates, channels: pagerChannel() };
          for (const fact of facts) await deliver({ name: "Deliver", channel: "pager", fact }, ports);

          expect(
            pager.received.slice(before).map(({ body }) => (JSON.parse(body) as { event_action: string }).event_action),
          ).toEqual(["trigger"]);
        },
      ),
      { numRuns: 30 },
    );
  });

  it("open none if the workload is well again when they come", async () => {
    const lookout = await watched(noChannels);
    await lookout.push("1.1.0", "broken");
    await lookout.push("1.2.0");
    const ports = { ...lookout.ports, channels: pagerChannel() };
    for (const fact of lookout.facts.toReversed()) await deliver({ name: "Deliver", channel: "pager", fact }, ports);

    expect(pager.received).toEqual([]);
  });
});

describe("a delivery that is killed", () => {
  /** Dies once, at the call of a port for which this returns true. */
  const dyingAt = (isPlace: (call: string, count: number, given: unknown) => boolean): Partial<StatePorts> => {
    const { told, channelStates } = stateInMemory(installation);
    let isAlive = true;
    let count = 0;
    const mortal =
      <Args extends readonly unknown[], Result>(call: string, doing: (...args: Args) => Promise<Result>) =>
      async (...args: Args): Promise<Result> => {
        count += 1;
        if (isAlive && isPlace(call, count, args[0])) {
          isAlive = false;
          throw new Error(`killed at ${call}`);
        }
        return doing(...args);
      };
    const mortalTold: ToldMessages = {
      read: mortal("told.read", (channel: string, subject: Subject) => told.read(channel, subject)),
      write: mortal("told.write", (message: ToldMessage) => told.write(message)),
    };
    const mortalStates: ChannelStates = {
      ...channelStates,
      read: mortal("states.read", (channel: string) => channelStates.read(channel)),
      write: mortal("states.write", (state: ChannelState) => channelStates.write(state)),
    };
    return { told: mortalTold, channelStates: mortalStates };
  };

  it.each(Array.from({ length: 12 }, (_, index) => index + 1))(
    "at its call %i of a port ends in the same incident, with at most one repeat",
    async (place) => {
      const lookout = await watched(
        pagerChannel(),
        dyingAt((_, count) => count === place),
      );
      await lookout.push("1.1.0", "broken");
      const dedupKey = `lookout/${installation}/${await uidOf(lookout)}`;
      expect(shown()).toEqual([{ dedupKey, status: "triggered", severity: "error" }]);

      await lookout.push("1.2.0");
      expect(shown()).toEqual([{ dedupKey, status: "resolved", severity: "error" }]);
      const keys = pager.received.map(({ body }) => (JSON.parse(body) as { dedup_key: string }).dedup_key);
      expect(keys.length).toBeLessThanOrEqual(3);
      expect(new Set(keys)).toEqual(new Set([dedupKey]));
    },
  );

  it("between the sending and its mark sends the same incident again", async () => {
    const isMark = (call: string, _: number, given: unknown) =>
      call === "told.write" && (given as ToldMessage).shows > 0;
    const lookout = await watched(pagerChannel(), dyingAt(isMark));
    await lookout.push("1.1.0", "broken");

    expect(lookout.failures).toEqual(["Error: killed at told.write"]);
    expect(shown()).toMatchObject([{ status: "triggered" }]);
    expect(pager.incidents[0]!.events).toHaveLength(2);
    expect(pager.received[1]!.body).toBe(pager.received[0]!.body);
  });
});

describe("a PagerDuty that fails", () => {
  it.each<{ what: string; replies: readonly ScriptedAnswer[] }>([
    { what: "is away for a while", replies: [{ status: 503 }, "cut", { status: 500 }] },
    { what: "has too many requests", replies: [throttled(20), throttled()] },
    { what: "takes the event, and its answer is lost", replies: [taken("cut")] },
  ])("and $what gets the incident later", async ({ replies }) => {
    const lookout = await watched(pagerChannel());
    pager.answerNext(...replies);
    await lookout.push("1.1.0", "broken");

    expect(shown()).toMatchObject([{ status: "triggered" }]);
    expect(await lookout.ports.channelStates.read("pager")).toMatchObject({ failures: 0, untold: 0 });
  });

  it("and refuses the event is not asked again, and resolves nothing that it does not have", async () => {
    const lookout = await watched(pagerChannel());
    pager.answerNext({ status: 400, body: '{"status":"invalid event","errors":["\'payload\' is invalid"]}' });
    await lookout.push("1.1.0", "broken");
    await lookout.pass(minutes(60));

    expect(pager.received).toHaveLength(1);
  });

  it("and does not know the key is off, which the state of the channel tells", async () => {
    const lookout = await watched(pagerChannel());
    const errors = '{"status":"invalid event","errors":["Invalid routing key"]}';
    pager.answerNext({ status: 400, body: errors });
    await lookout.push("1.1.0", "broken");
    await lookout.push("1.2.0", "broken");

    expect(pager.received).toHaveLength(1);
    const state = await lookout.ports.channelStates.read("pager");
    expect(state).toMatchObject({ why: "PagerDuty refuses the integration key", untold: 1 });
    expect(JSON.stringify([state, lookout.failures, lookout.kept])).not.toContain(pager.routingKey);
  });
});
