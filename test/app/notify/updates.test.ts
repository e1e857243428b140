import { describe, expect, it } from "vitest";
import { minutes, seconds } from "#domain/shared/time";
import { readWindow } from "#domain/schedule/window";
import { trackApi, world, type World } from "#test/app/world";
import { type Chat, chat } from "./chat.ts";

async function worldWith(of: Chat): Promise<World> {
  const lookout = world({}, new Map(), [], undefined, undefined, undefined, undefined, of.channels);
  await lookout.push("shop/api", "1.0.0", { quietly: true });
  return lookout;
}

async function tracked(of: Chat, annotations: Readonly<Record<string, string>> = {}): Promise<World> {
  const lookout = await worldWith(of);
  await trackApi(lookout, annotations);
  return lookout;
}

describe("a channel with messages that change", () => {
  it("shows one update as one message, which ends as the update ends", async () => {
    const told = chat();
    const lookout = await tracked(told);
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(2));
    expect(told.messages()).toEqual([{ text: "api 1.1.0 succeeded", edits: 1 }]);
  });

  it("tells a failure at once, and its end in the same message", async () => {
    const told = chat();
    const lookout = await tracked(told);
    await lookout.push("shop/api", "1.1.0", { broken: true });
    await lookout.pass(seconds(2));
    expect(told.messages()).toEqual([{ text: "api 1.1.0 failed", edits: 0 }]);
    await lookout.pass(minutes(30));
    expect(told.messages()).toEqual([{ text: "api 1.1.0 rolled-back", edits: 1 }]);
  });

  it("tells a failure in the thread of a message that nobody looks at any more", async () => {
    const told = chat();
    const lookout = await tracked(told);
    await lookout.push("shop/api", "1.1.0", { pulled: { afterMs: 3_600_000, because: "denial" } });
    await lookout.pass(minutes(60));
    expect(told.messages()).toEqual([
      { text: "api 1.1.0 rolled-back", edits: 2 },
      { text: "api failed", edits: 0, thread: "api 1.1.0 failed" },
    ]);
  });

  it("asks for an approval at once", async () => {
    const told = chat();
    const lookout = await tracked(told, { "lookout.dev/approval-required": "true" });
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(2));
    expect(told.messages()).toEqual([{ text: "api 1.1.0 waiting", edits: 0 }]);
  });

  it("does not tell a wait again that is only written again", async () => {
    const told = chat();
    const lookout = await tracked(told, { "lookout.dev/maintenance-window": "22:00-23:00" });
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(2));
    for (let times = 0; times < 3; times += 1) {
      await lookout.sync();
      await lookout.reap();
      await lookout.pass(minutes(1));
    }
    expect(told.messages()).toEqual([{ text: "api 1.1.0 waiting", edits: 0 }]);
    expect(told.calls()).toBe(1);
  });

  it("sends a message again whose answer was lost, and one at most", async () => {
    const told = chat();
    const lookout = await tracked(told);
    told.answerNext("crash");
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(5));
    expect(told.messages()).toHaveLength(2);
    expect(told.messages().at(-1)?.text).toBe("api 1.1.0 succeeded");
  });

  it("waits as long as a server asks, and then shows the present state", async () => {
    const told = chat();
    const lookout = await tracked(told);
    told.answerNext({ kind: "later", why: "429", after: seconds(90) });
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(80));
    expect(told.messages()).toEqual([]);
    await lookout.pass(minutes(2));
    expect(told.messages()).toEqual([{ text: "api 1.1.0 succeeded", edits: 0 }]);
  });

  it("posts a new message if the old one is gone", async () => {
    const told = chat();
    const lookout = await tracked(told);
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(11));
    told.answerNext({ kind: "gone", why: "message_not_found" });
    await lookout.pass(minutes(2));
    expect(told.messages().map(({ text }) => text)).toEqual(["api 1.1.0 in-progress", "api 1.1.0 succeeded"]);
  });

  it("shows a push of many updates as one message, and few changes of it", async () => {
    const told = chat();
    const lookout = await worldWith(told);
    for (let index = 0; index < 40; index += 1)
      lookout.deploy({ name: `api-${index}`, image: "registry.test/shop/api:1.0.0" });
    await lookout.pass(seconds(2));
    await lookout.sync();
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(5));
    expect(told.messages().map(({ text }) => text)).toEqual(["40 updates: 40 succeeded"]);
    expect(told.calls()).toBeLessThanOrEqual(8);
  });

  it("tells only ends and problems where messages can't change", async () => {
    const told = chat({ edits: false });
    const lookout = await tracked(told);
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(2));
    await lookout.push("shop/api", "1.2.0", { broken: true });
    await lookout.pass(minutes(30));
    expect(told.messages().map(({ text }) => text)).toEqual([
      "api 1.1.0 succeeded",
      "api 1.2.0 failed",
      "api 1.2.0 rolled-back",
    ]);
  });

  it("tells successes of quiet hours together when they end, and failures at once", async () => {
    const quiet = readWindow({ effect: "deny", start: "09:00", end: "11:00", timeZone: "UTC" });
    if (!quiet.ok) throw new Error(quiet.problem.message);
    const told = chat({ quiet: [quiet.value], events: ["rollouts", "failures"] });
    const lookout = await tracked(told);
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(5));
    expect(told.messages()).toEqual([]);
    await lookout.push("shop/api", "1.2.0", { broken: true });
    await lookout.pass(minutes(20));
    expect(told.messages().map(({ text }) => text)).toContain("api 1.2.0 rolled-back");
    await lookout.pass(minutes(50));
    expect(told.messages().at(-1)?.text).toBe("2 updates: 1 rolled-back, 1 succeeded");
  });

  it("tells nothing while it is off, and goes on with another secret", async () => {
    const told = chat();
    const lookout = await tracked(told);
    told.answerNext({ kind: "off", why: "invalid_auth" });
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(2));
    await lookout.push("shop/api", "1.2.0");
    await lookout.pass(minutes(2));
    expect([told.messages(), told.calls()]).toEqual([[], 1]);
    expect(await lookout.ports.channelStates.list()).toMatchObject([{ channel: "releases", why: "invalid_auth" }]);
    told.setStamp("second");
    await lookout.push("shop/api", "1.3.0");
    await lookout.pass(minutes(2));
    expect(told.messages().map(({ text }) => text)).toEqual(["api 1.3.0 succeeded"]);
  });

  it("corrects its message once a person has replaced the secret, without another fact", async () => {
    const told = chat();
    const lookout = await tracked(told);
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(11));
    told.answerNext({ kind: "off", why: "token_revoked" });
    await lookout.pass(minutes(5));
    expect(told.messages()).toEqual([{ text: "api 1.1.0 in-progress", edits: 0 }]);
    told.setStamp("second");
    await lookout.pass(minutes(16));
    expect(told.messages()).toEqual([{ text: "api 1.1.0 succeeded", edits: 1 }]);
  });

  it("posts few messages about a push where messages can't change", async () => {
    const told = chat({ edits: false });
    const lookout = await worldWith(told);
    for (let index = 0; index < 40; index += 1)
      lookout.deploy({
        name: `api-${index}`,
        image: "registry.test/shop/api:1.0.0",
        ...(index === 0 ? { annotations: { "lookout.dev/approval-required": "true" } } : {}),
      });
    await lookout.pass(seconds(2));
    await lookout.sync();
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(5));
    expect(told.calls()).toBeLessThanOrEqual(2);
  });
});
