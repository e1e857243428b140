import { describe, expect, it } from "vitest";
import { channelHandlers } from "#app/api/channels";
import { examine } from "#app/api/doctor";
import { explain as explainWorkload } from "#app/api/explain";
import type { Served } from "#app/api/handler";
import { minutes, toIso } from "#domain/shared/time";
import type { Channel, Channels } from "#ports/channels";
import { TransientError } from "#ports/errors";
import { serveApi } from "#runtime/api";
import { type Chat, chat } from "#test/app/notify/chat";
import { begins, trackApi, world, type World } from "#test/app/world";

const signal = new AbortController().signal;

async function worldWith(channels: Channels): Promise<World> {
  const lookout = world({}, new Map(), [], undefined, undefined, undefined, undefined, channels);
  await lookout.push("shop/api", "1.0.0", { quietly: true });
  return lookout;
}

const handlersOf = ({ ports }: World) => channelHandlers({ ports } as Served);
const list = (lookout: World) => handlersOf(lookout).listChannels({});
const test = (lookout: World, channel: string) =>
  handlersOf(lookout).testChannel({ params: { channel }, query: {}, body: undefined } as never);
const explain = (lookout: World, channel: string, fact: string, workload?: string) =>
  handlersOf(lookout).explainChannel({
    params: { channel },
    query: workload === undefined ? { fact } : { fact, workload },
  });

const stateOf = async (lookout: World) => {
  const { channels } = (await list(lookout)) as { readonly channels: readonly Record<string, unknown>[] };
  const { state, why, since, until, untold, toldAt } = channels[0]!;
  return JSON.parse(JSON.stringify({ state, why, since, until, untold, toldAt })) as object;
};

const checkOf = async (lookout: World) =>
  (await examine(lookout.ports, signal)).checks.find(({ check }) => check === "channel releases");

/** Pushes an update, and lets a chat tell it. */
async function told(of: Chat, lookout: World): Promise<void> {
  await trackApi(lookout);
  await lookout.push("shop/api", "1.1.0");
  await lookout.pass(minutes(2));
  expect(of.calls()).toBeGreaterThan(0);
}

const unusable = (why: string): Channels => {
  const [channel] = chat().channels.all();
  const broken: Channel = { ...channel!, open: () => Promise.resolve({ kind: "unusable", why }) };
  return { all: () => [broken], channel: (name) => (name === broken.name ? broken : undefined) };
};

describe("the list of channels, and doctor's check of each", () => {
  it("say that a channel works before it told anything, and after", async () => {
    const of = chat();
    const lookout = await worldWith(of.channels);
    expect(await stateOf(lookout)).toEqual({ state: "well", untold: 0 });
    expect(await checkOf(lookout)).toEqual({
      check: "channel releases",
      verdict: "well",
      detail: "it told nothing yet",
    });
    await told(of, lookout);
    const { toldAt } = (await stateOf(lookout)) as { readonly toldAt: string };
    expect(Date.parse(toldAt)).toBeGreaterThan(begins);
    expect(await checkOf(lookout)).toMatchObject({ verdict: "well", detail: `it told something at ${toldAt}` });
  });

  it("show what a channel tells, and where", async () => {
    const scope = { clusters: ["prod"], namespaces: { allow: ["shop-*"], deny: ["shop-test"] }, onlyNamed: true };
    const lookout = await worldWith(chat({ events: ["RolledBack"], filter: scope }).channels);

    expect(await list(lookout)).toEqual({
      at: toIso(begins),
      channels: [
        {
          ...{ name: "releases", kind: "chat", form: "updates", events: ["RolledBack"], minSeverity: "info" },
          ...{ clusters: ["prod"], namespaces: ["shop-*", "!shop-test"], onlyNamed: true, state: "well", untold: 0 },
        },
      ],
    });
  });

  it("say why a channel fails", async () => {
    const of = chat();
    const lookout = await worldWith(of.channels);
    of.answerNext({ kind: "later", why: "the server answered 500" });
    await trackApi(lookout);
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(0.2));

    expect(await stateOf(lookout)).toMatchObject({ state: "failing", why: "the server answered 500", untold: 0 });
    expect(await checkOf(lookout)).toEqual({
      check: "channel releases",
      verdict: "doubtful",
      detail: "it is failing: the server answered 500",
      remedy: "To try it now: lookout channel test releases",
    });
  });

  it("say until when a channel that failed often is paused", async () => {
    const of = chat();
    const lookout = await worldWith(of.channels);
    of.answerNext(...Array.from({ length: 40 }, () => ({ kind: "later", why: "the server answered 503" }) as const));
    await trackApi(lookout);
    await lookout.push("shop/api", "1.1.0");
    for (let steps = 0; steps < 60 && ((await stateOf(lookout)) as { state: string }).state !== "paused"; steps++)
      await lookout.pass(minutes(1));
    const state = (await stateOf(lookout)) as { readonly until: string };

    expect(state).toMatchObject({ state: "paused", why: "the server answered 503" });
    expect(Date.parse(state.until)).toBeGreaterThan(lookout.ports.clock.now());
    expect(await checkOf(lookout)).toMatchObject({
      verdict: "doubtful",
      detail: `it is paused, until ${state.until}: the server answered 503`,
    });
  });

  it("say that a channel is off and what it did not tell, until it has another secret", async () => {
    const of = chat();
    const lookout = await worldWith(of.channels);
    of.answerNext({ kind: "off", why: "the server answered 401" });
    await trackApi(lookout);
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(0.2));
    const { untold } = (await stateOf(lookout)) as { readonly untold: number };

    expect(await stateOf(lookout)).toMatchObject({ state: "off", why: "the server answered 401" });
    expect(untold).toBeGreaterThan(0);
    expect(await checkOf(lookout)).toEqual({
      check: "channel releases",
      verdict: "wrong",
      detail: `it is off: the server answered 401, and ${untold} ${untold === 1 ? "fact was" : "facts were"} not told`,
      remedy: "Correct this, then try it: lookout channel test releases",
    });
    of.setStamp("second");
    expect(await stateOf(lookout)).toMatchObject({ state: "well" });
  });

  it("say why a channel can't be used", async () => {
    const lookout = await worldWith(unusable("the variable HOOK is not set"));

    expect(await stateOf(lookout)).toEqual({ state: "unusable", why: "the variable HOOK is not set", untold: 0 });
    expect(await checkOf(lookout)).toMatchObject({
      verdict: "wrong",
      detail: "it is unusable: the variable HOOK is not set",
    });
  });
});

describe("the test of a channel", () => {
  it("is an answer of the API", async () => {
    const { ports } = await worldWith(chat().channels);
    const ask = async (name: string) => {
      const request = new Request(`http://localhost/v1/channels/${name}/test`, { method: "POST" });
      const response = await serveApi(request, ports, signal);
      return [response.status, await response.json()];
    };

    expect(await ask("releases")).toEqual([200, { name: "releases", outcome: "told" }]);
    expect(await ask("release")).toMatchObject([404, { code: "not-found" }]);
  });

  it("tells what the channel's server answered", async () => {
    const of = chat();
    const lookout = await worldWith(of.channels);
    const about = { name: "releases" };

    expect(await test(lookout, "releases")).toEqual({ ...about, outcome: "told" });
    of.answerNext({ kind: "refused", why: "the server answered 400" });
    expect(await test(lookout, "releases")).toEqual({ ...about, outcome: "refused", why: "the server answered 400" });
    of.answerNext({ kind: "later", why: "the server answered 503" });
    expect(await test(lookout, "releases")).toEqual({ ...about, outcome: "later", why: "the server answered 503" });
    of.answerNext({ kind: "off", why: "the server answered 403" });
    expect(await test(lookout, "releases")).toEqual({ ...about, outcome: "off", why: "the server answered 403" });
  });

  it("tells why the channel can't be used", async () => {
    const lookout = await worldWith(unusable("the file hook is empty"));
    expect(await test(lookout, "releases")).toEqual({
      ...{ name: "releases", outcome: "off", why: "the file hook is empty" },
    });
  });

  it("tells that the secret can't be read now", async () => {
    const [channel] = chat().channels.all();
    const failing: Channel = { ...channel!, open: () => Promise.reject(new TransientError("SSM did not answer")) };
    const lookout = await worldWith({ all: () => [failing], channel: () => failing });
    const why = "its secret can't be read now: SSM did not answer";

    expect(await test(lookout, "releases")).toEqual({ name: "releases", outcome: "off", why });
    expect(await stateOf(lookout)).toEqual({ state: "unusable", why, untold: 0 });
  });

  it("names the nearest channel for an unknown one", async () => {
    const lookout = await worldWith(chat().channels);
    const none = await worldWith({ all: () => [], channel: () => undefined });

    expect(await test(lookout, "release")).toEqual({
      kind: "not-found",
      detail: "no channel is called release; known are releases; did you mean releases?",
    });
    expect(await test(none, "releases")).toEqual({
      kind: "not-found",
      detail: "no channel is called releases; lookout.yaml has no channels",
    });
  });
});

describe("the explanation of a channel", () => {
  const works = { check: "state", isPassed: true, detail: "the channel works" };

  it("says of a fact's name whether the channel tells it", async () => {
    const lookout = await worldWith(chat({ events: ["failures"] }).channels);

    expect(await explain(lookout, "releases", "RolledBack")).toEqual({
      ...{ name: "releases", fact: "RolledBack", verdict: "opens" },
      checks: [{ check: "event", isPassed: true, detail: "events has RolledBack" }, works],
    });
    expect(await explain(lookout, "releases", "RolloutSucceeded")).toMatchObject({ verdict: "follows" });
    expect(await explain(lookout, "releases", "TagSkipped")).toEqual({
      ...{ name: "releases", fact: "TagSkipped", verdict: "ignored" },
      checks: [{ check: "event", isPassed: false, detail: "events lacks TagSkipped" }, works],
    });
  });

  it("says of a fact's id each thing that was asked, and what was told", async () => {
    const of = chat({ filter: { minSeverity: "error", clusters: ["prod"], namespaces: { deny: ["shop"] } } });
    const lookout = await worldWith(of.channels);
    await trackApi(lookout);
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(2));
    const { id } = lookout.facts.find(({ name }) => name === "RolloutSucceeded")!;

    expect(await explain(lookout, "releases", id)).toEqual({
      ...{ name: "releases", fact: "RolloutSucceeded", verdict: "ignored" },
      checks: [
        { check: "event", isPassed: true, detail: "events has RolloutSucceeded" },
        { check: "severity", isPassed: false, detail: "the severity is info, and the channel tells from error on" },
        { check: "cluster", isPassed: true, detail: "the cluster is prod, and the channel tells of prod" },
        { check: "namespace", isPassed: false, detail: "the namespace is shop" },
        works,
      ],
    });
  });

  it("says what was told of a fact's update", async () => {
    const of = chat();
    const lookout = await worldWith(of.channels);
    await told(of, lookout);
    const { id } = lookout.facts.find(({ name }) => name === "RolloutSucceeded")!;

    expect(await explain(lookout, "releases", id)).toMatchObject({
      verdict: "opens",
      told: { shows: of.calls(), reference: "0" },
    });
  });

  it("knows the facts of approvals by id and by name, and what a workload without a fact could have", async () => {
    const lookout = await worldWith(chat({ filter: { minSeverity: "error" } }).channels);
    const key = await trackApi(lookout, { "lookout.dev/approval-required": "true" });
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(1));
    const { id } = lookout.facts.find(({ name }) => name === "ApprovalRequested")!;

    for (const verdict of [
      await explain(lookout, "releases", id),
      await explain(lookout, "releases", "ApprovalRequested", key),
    ])
      expect(verdict).toMatchObject({
        verdict: "opens",
        checks: [{ check: "event" }, { check: "severity", detail: expect.stringContaining("action") as string }, works],
      });
    expect(await explain(lookout, "releases", "RolloutFailed", key)).toMatchObject({
      verdict: "opens",
      checks: [{ check: "event" }, { check: "severity", detail: expect.stringContaining("is error") as string }, works],
    });
  });

  it("says of a workload whether its annotations name the channel", async () => {
    const lookout = await worldWith(chat({ filter: { onlyNamed: true } }).channels);
    const named = await trackApi(lookout, { "lookout.dev/notify-slack": "releases" });

    expect(await explain(lookout, "releases", "WorkloadTracked", named)).toMatchObject({
      checks: [
        { check: "event", isPassed: false },
        { check: "severity" },
        { check: "named", isPassed: true, detail: "an annotation names the channel" },
        works,
      ],
    });
  });

  it("refuses what Lookout does not know, with the nearest", async () => {
    const lookout = await worldWith(chat().channels);
    await trackApi(lookout);
    const { uid } = lookout.facts[0]!;

    expect(await explain(lookout, "release", "RolledBack")).toMatchObject({ kind: "not-found" });
    expect(await explain(lookout, "releases", "RoledBack")).toEqual({
      kind: "bad-request",
      detail: "no fact is called RoledBack; did you mean RolledBack?",
    });
    expect(await explain(lookout, "releases", "nobody/1/1/RolledBack")).toEqual({
      kind: "not-found",
      detail: "no workload has the uid nobody",
    });
    expect(await explain(lookout, "releases", `${uid}/7/99/RolledBack`)).toMatchObject({
      kind: "not-found",
      detail: expect.stringContaining(`has no fact ${uid}/7/99/RolledBack`) as string,
    });
    expect(await explain(lookout, "releases", "RolledBack", "prod/shop/deployment/web")).toEqual({
      kind: "not-found",
      detail: "no workload is called prod/shop/deployment/web",
    });
  });
});

describe("the explanation of a workload", () => {
  const noticesOf = async (lookout: World, annotations: Readonly<Record<string, string>>) => {
    const key = await trackApi(lookout, annotations);
    return (await explainWorkload(key, lookout.ports, signal))?.notices;
  };

  it("says nothing of an annotation that names a channel", async () => {
    const lookout = await worldWith(chat().channels);
    expect(await noticesOf(lookout, { "lookout.dev/notify-slack": "#releases" })).toEqual([]);
  });

  it("names the channels that an annotation names and lookout.yaml lacks, and holds nothing", async () => {
    const lookout = await worldWith(chat().channels);
    const named = { "lookout.dev/notify-slack": "release, ops", "lookout.dev/notify-webhook": "releases" };

    expect(await noticesOf(lookout, named)).toEqual([
      "lookout.dev/notify-slack names the channel release, which lookout.yaml lacks; known are releases; did you mean releases?",
      "lookout.dev/notify-slack names the channel ops, which lookout.yaml lacks; known are releases.",
    ]);
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(2));
    expect(lookout.image("prod/shop/deployment/api")).toContain("1.1.0");
  });

  it("says so if lookout.yaml has no channels", async () => {
    const lookout = await worldWith({ all: () => [], channel: () => undefined });
    expect(await noticesOf(lookout, { "lookout.dev/notify-slack": "releases" })).toEqual([
      "lookout.dev/notify-slack names the channel releases, and lookout.yaml has no channels.",
    ]);
  });

  it("says so if the channel leaves the workload out", async () => {
    const lookout = await worldWith(chat({ filter: { namespaces: { deny: ["shop"] } } }).channels);
    expect(await noticesOf(lookout, { "lookout.dev/notify-slack": "releases" })).toEqual([
      "lookout.dev/notify-slack names the channel releases, whose clusters or namespaces in lookout.yaml leave this workload out.",
    ]);
  });
});
