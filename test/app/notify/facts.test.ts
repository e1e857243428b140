import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { httpPost } from "#adapters/http-post/post";
import { testChannel } from "#app/api/channels";
import { Channels as ChannelsSchema } from "#contracts/config/channels";
import { type DurationMs, hours, minutes, seconds } from "#domain/shared/time";
import { channelsOf } from "#runtime/channels";
import { type ScriptedAnswer, taken, tooMany } from "#test/channels/stand-ins/stand-in";
import { webhookStandIn, type WebhookStandIn } from "#test/channels/stand-ins/webhook";
import { type ByHand, lookoutByHand } from "../by-hand.ts";
import { host, installation, type World, worldWithApi } from "../world.ts";

const key = (digit: number): string => `whsec_${Buffer.alloc(32, digit).toString("base64")}`;

let world: World;
let audit: WebhookStandIn;
let team: WebhookStandIn;
/** The secrets of the channels, by the names of their entries. */
let secrets: Map<string, string>;
beforeEach(async () => {
  world = await worldWithApi();
  audit = await webhookStandIn({ clock: world.clock, secret: key(1) });
  team = await webhookStandIn({ clock: world.clock, secret: key(2) });
  secrets = new Map([
    ["audit", key(1)],
    ["team", key(2)],
  ]);
});
afterEach(async () => {
  await audit[Symbol.asyncDispose]();
  await team[Symbol.asyncDispose]();
});

interface Told extends ByHand {
  push(tag: string, pause?: DurationMs): Promise<void>;
  /** Lets time pass in steps of a minute. */
  wait(duration: DurationMs): Promise<void>;
}

async function told(): Promise<Told> {
  const entry = (name: string, { url }: WebhookStandIn) => ({
    ...{ name, kind: "webhook", address: `${url}/hook`, allowNetworks: ["127.0.0.0/8"] },
  });
  const channels = channelsOf(
    { channels: ChannelsSchema.parse([entry("audit", audit), entry("team", team)]) },
    {
      post: httpPost({ isServerless: false, timeoutMs: 10_000 }),
      postToAws: () => Promise.reject(new Error("nothing is sent to AWS")),
      readSecret: async ({ owner }) => {
        const value = secrets.get(owner);
        return value === undefined
          ? { kind: "missing", why: `the secret of ${owner} is not set` }
          : { kind: "secret", value };
      },
      installation: async () => installation,
    },
  );
  const { clock, cluster, registry } = world;
  world.deploy({ name: "api", image: `${host}/shop/api:1.0.0` });
  const lookout = lookoutByHand({ installation, clock, cluster, clusterName: "prod", registry, channels });
  lookout.send({ name: "SyncCluster", id: "1", cluster: "prod" });
  await lookout.pass(seconds(5));
  return {
    ...lookout,
    async push(tag, pause = minutes(2)) {
      const digest = await world.push("shop/api", tag, { quietly: true });
      await lookout.tell({ id: `push-${tag}`, registry: host, repository: "shop/api", tags: [tag], digest });
      await lookout.pass(pause);
    },
    async wait(duration) {
      for (let passed = 0; passed < duration; passed += minutes(1)) {
        clock.turn(minutes(1));
        await lookout.settle();
      }
    },
  };
}

const typesAt = ({ events }: WebhookStandIn) =>
  events.map(({ event }) => String(event["type"]).replace("dev.lookout.", ""));
const ofGoodPush = ["RolloutStarted", "WorkloadRunning", "RolloutSucceeded"];
const always = (count: number, answer: ScriptedAnswer) => Array.from({ length: count }, () => answer);

describe("the facts of a push", () => {
  it("arrive at each channel once, in their order, and verified", async () => {
    const lookout = await told();
    await lookout.push("1.1.0");

    expect([typesAt(audit), typesAt(team)]).toEqual([ofGoodPush, ofGoodPush]);
    expect([audit.received.length, team.received.length, audit.warnings, lookout.failures]).toEqual([3, 3, [], []]);
    expect(await lookout.ports.channelStates.list()).toMatchObject([
      { channel: "audit", failures: 0, untold: 0 },
      { channel: "team", failures: 0, untold: 0 },
    ]);
  });

  it("arrive twice if an answer is lost, with an id that tells it", async () => {
    const lookout = await told();
    audit.answerNext(taken("cut"), taken({ status: 502 }));
    await lookout.push("1.1.0");

    expect(typesAt(audit)).toEqual(ofGoodPush);
    expect([audit.received.length, audit.warnings]).toEqual([5, []]);
  });

  it("arrive at one channel on time while another one is dead", async () => {
    const lookout = await told();
    audit.answerNext(...always(8, "cut"));
    await lookout.push("1.1.0", seconds(20));

    expect([typesAt(audit), typesAt(team)]).toEqual([[], ofGoodPush]);
  });

  it("arrive after hours in which the receiver was away, and few requests asked for it", async () => {
    const lookout = await told();
    audit.answerNext(...always(18, { status: 503 }));
    await lookout.push("1.1.0");
    await lookout.wait(hours(10));

    expect(typesAt(audit).toSorted()).toEqual(ofGoodPush.toSorted());
    expect(audit.received.length).toBeLessThanOrEqual(21);
    expect(await lookout.ports.channelStates.read("audit")).toMatchObject({ failures: 0, untold: 0 });
  });

  it("wait as long as the receiver asks for", async () => {
    const lookout = await told();
    audit.answerNext(tooMany(1_800));
    await lookout.push("1.1.0");
    await lookout.wait(minutes(25));
    expect(audit.received).toHaveLength(1);

    await lookout.wait(minutes(20));
    expect(typesAt(audit).toSorted()).toEqual(ofGoodPush.toSorted());
  });

  it("are given up after a day, counted, and not replayed", async () => {
    const lookout = await told();
    audit.answerNext(...always(10_000, { status: 404 }));
    await lookout.push("1.1.0");
    await lookout.wait(hours(26));
    expect(await lookout.ports.channelStates.read("audit")).toMatchObject({
      untold: 3,
      why: "the server answered 404",
    });
    const asked = audit.received.length;
    expect(asked).toBeLessThan(60);

    await lookout.wait(hours(10));
    expect(audit.received).toHaveLength(asked);
    expect(typesAt(team)).toEqual(ofGoodPush);
  });
});

describe("a receiver that is gone", () => {
  it("gets nothing more, until its secret changes", async () => {
    const lookout = await told();
    audit.answerNext({ status: 410 });
    await lookout.push("1.1.0");
    await lookout.push("1.2.0");
    expect(audit.received).toHaveLength(1);
    expect(await lookout.ports.channelStates.read("audit")).toMatchObject({ why: "the server answered 410" });

    // The receiver knows both keys.
    secrets.set("audit", `${key(3)} ${key(1)}`);
    await lookout.push("1.3.0");
    expect(typesAt(audit)).toEqual(ofGoodPush);
    expect(await lookout.ports.channelStates.read("audit")).not.toHaveProperty("offWith");
  });
});

describe("a test of a channel", () => {
  it("that arrives lets a channel that was off tell again", async () => {
    const lookout = await told();
    audit.answerNext({ status: 403 });
    await lookout.push("1.1.0");
    expect(await testChannel("audit", lookout.ports)).toEqual({ name: "audit", outcome: "told" });
    await lookout.push("1.2.0");

    expect(typesAt(audit)).toEqual(["ChannelTested", ...ofGoodPush]);
  });

  it("that fails changes nothing", async () => {
    const lookout = await told();
    audit.answerNext({ status: 403 }, { status: 503 });
    await lookout.push("1.1.0");

    const why = "the server answered 503";
    expect(await testChannel("audit", lookout.ports)).toEqual({
      name: "audit",
      outcome: "later",
      why,
    });
    await lookout.push("1.2.0");
    expect(audit.received).toHaveLength(2);
  });
});

describe("a secret", () => {
  it("that is missing stops its channel alone, and the reason says which one", async () => {
    secrets.delete("audit");
    const lookout = await told();
    await lookout.push("1.1.0");

    expect([audit.received.length, typesAt(team)]).toEqual([0, ofGoodPush]);
    expect(await lookout.ports.channelStates.read("audit")).toMatchObject({ why: "the secret of audit is not set" });

    secrets.set("audit", key(1));
    await lookout.push("1.2.0");
    expect(typesAt(audit)).toEqual(ofGoodPush);
  });

  it("that is no key stops its channel alone, and shows nowhere", async () => {
    secrets.set("audit", "canary-s3cret");
    const lookout = await told();
    await lookout.push("1.1.0");

    expect([audit.received.length, typesAt(team)]).toEqual([0, ofGoodPush]);
    const state = await lookout.ports.channelStates.read("audit");
    expect(state?.why).toMatch(/^the secret is not whsec_/);
    const all = [state, lookout.failures, lookout.kept, lookout.facts, lookout.logged, lookout.measurements];
    expect(JSON.stringify(all)).not.toContain("canary");
  });

  it("of another receiver is refused, and its channel is off with the reason", async () => {
    secrets.set("audit", key(9));
    const lookout = await told();
    await lookout.push("1.1.0");

    expect(audit.received.map(({ refused }) => refused)).toEqual(["no signature matches"]);
    const state = await lookout.ports.channelStates.read("audit");
    expect(state).toMatchObject({ why: "the server answered 401" });
    expect(JSON.stringify(state)).not.toContain(key(9));
  });
});
