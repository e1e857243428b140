import { describe, expect, it } from "vitest";
import { deliver } from "#app/notify/deliver";
import { readWindow } from "#domain/schedule/window";
import { type DurationMs, epochMs, hours, minutes, seconds } from "#domain/shared/time";
import type { Deliver } from "#domain/update/commands";
import type { Channel, Channels } from "#ports/channels";
import { TransientError } from "#ports/errors";
import type { World } from "#test/app/world";
import { chat } from "./chat.ts";
import { onlyChannel, pager } from "./receivers.ts";
import { fails, followPush, publish, succeeds, versionsOf, worldOf, type What } from "./updates-by-hand.ts";

/** Lets hours pass in steps of five minutes. */
async function skip(lookout: World, duration: DurationMs): Promise<void> {
  for (let left = duration; left > 0; left = (left - minutes(5)) as DurationMs) {
    lookout.clock.turn(minutes(5));
    await lookout.settle();
  }
}

const taken = { kind: "told" } as const;

const texts = (told: ReturnType<typeof chat>) => told.messages().map(({ text }) => text);

describe("a message of a channel", () => {
  it("shows the end if the news of a wait comes after it", async () => {
    const told = chat();
    const lookout = worldOf(told.channels);
    const [held, ...others] = versionsOf("api", ["held", ...succeeds], { lookout });
    await publish(others, lookout);
    await lookout.pass(minutes(1));
    await publish([held!], lookout);
    await lookout.pass(minutes(1));
    expect(told.messages()).toEqual([{ text: "api 1.1.0 succeeded", edits: 0 }]);
  });

  it("comes once for facts that come three times", async () => {
    const told = chat();
    const lookout = worldOf(told.channels);
    const all = versionsOf("api", succeeds, { lookout });
    for (let times = 0; times < 3; times += 1) await publish(all, lookout);
    await lookout.pass(minutes(1));
    await publish(all, lookout);
    await lookout.pass(minutes(1));
    expect([told.messages(), told.calls()]).toEqual([[{ text: "api 1.1.0 succeeded", edits: 0 }], 1]);
  });

  it("comes once if two runs tell of its update at once", async () => {
    const told = chat({ events: ["failures"] });
    const lookout = worldOf(told.channels);
    await publish(versionsOf("api", ["released", "failing"], { lookout }).slice(0, 1), lookout);
    const { ports } = lookout;
    const bus = { publish: async () => undefined };
    const failing = versionsOf("api", ["released", "failing"], { lookout }).slice(1);
    const other = { ...lookout, ports: { ...ports, bus } };
    await publish(failing, other);
    const [row] = await ports.ledger.read("prod/shop/deployment/api", 1);
    const command = commandOf(row!);
    await Promise.all([deliver(command, ports), deliver(command, ports), deliver(command, ports)]);
    await lookout.pass(minutes(1));
    expect([told.messages(), told.calls()]).toEqual([[{ text: "api 1.1.0 failed", edits: 0 }], 1]);
  });

  it("is repeated at most once if a sending takes longer than its claim", async () => {
    const told = chat({ events: ["failures", "rollouts"] });
    const [channel] = told.channels.all();
    let slow = true;
    // The first post arrives at once, and its answer comes after 90 s.
    const slowly: Channels = onlyChannel({
      ...channel!,
      async open() {
        const opened = await channel!.open();
        if (opened.kind !== "open" || opened.sender.form !== "updates") return opened;
        const { sender } = opened;
        const post: typeof sender.post = async (message, thread) => {
          const answer = await sender.post(message, thread);
          if (slow) {
            slow = false;
            lookout.clock.turn(seconds(90));
            await lookout.settle();
          }
          return answer;
        };
        return { ...opened, sender: { ...sender, post } };
      },
    });
    const lookout = worldOf(slowly);
    await publish(versionsOf("api", fails, { lookout }), lookout);
    await lookout.pass(minutes(5));
    expect(texts(told).at(-1)).toBe("api 1.1.0 rolled-back");
    expect(told.messages().length).toBeLessThanOrEqual(2);
    expect(lookout.kept).toEqual([]);
  });

  it("waits for a secret that can't be read for minutes", async () => {
    const told = chat();
    const [channel] = told.channels.all();
    const open: Channel["open"] = async (isFresh) => {
      if (lookout.clock.now() < readableAt) throw new TransientError("the secret can't be read");
      return channel!.open(isFresh);
    };
    const lookout = worldOf(onlyChannel({ ...channel!, open }));
    const readableAt = lookout.clock.now() + minutes(5);
    await publish(versionsOf("api", succeeds, { lookout }), lookout);
    await lookout.pass(minutes(20));
    expect([texts(told), lookout.kept]).toEqual([["api 1.1.0 succeeded"], []]);
  });

  it("is given up if the server asks for a longer pause than the channel may wait, and this is counted", async () => {
    const told = chat();
    const lookout = worldOf(told.channels);
    told.answerNext({ kind: "later", why: "429", after: hours(7) });
    const all = versionsOf("api", succeeds, { lookout });
    await publish(all, lookout);
    await lookout.pass(minutes(1));
    expect(told.messages()).toEqual([]);
    expect(await lookout.ports.channelStates.read("releases")).toMatchObject({ untold: 1, why: "429" });
    const untold = lookout.measurements.filter(({ name }) => name === "ChannelUntold");
    expect(untold).toMatchObject([{ value: 1 }]);
  });

  it("goes on with the failures that are left when the server takes messages again", async () => {
    const told = chat({ gather: seconds(2) });
    const lookout = worldOf(told.channels);
    told.answerNext(taken, taken, { kind: "later", why: "429", after: seconds(30) });
    await followPush(6, [1, 3, 5], lookout);
    const failures = told.messages().filter(({ text }) => text.startsWith("api-"));
    expect(failures.map(({ text }) => text.split(" ")[0])).toEqual(["api-1", "api-3", "api-5"]);
    expect(texts(told)).toContain("6 updates: 3 rolled-back, 3 succeeded");
  });

  it("names at most twenty of 30 failures, the first ten in itself, and counts all", async () => {
    const told = chat();
    await followPush(
      60,
      Array.from({ length: 30 }, (_, index) => index),
      worldOf(told.channels),
    );
    expect(texts(told)[0]).toBe("60 updates: 30 rolled-back, 30 succeeded");
    expect(texts(told)).toHaveLength(1 + 10);
  });

  it("is dropped without a call if its channel was removed", async () => {
    const told = chat();
    const lookout = worldOf(told.channels);
    await publish(versionsOf("api", succeeds, { lookout }), lookout);
    const [row] = await lookout.ports.ledger.read("prod/shop/deployment/api", 1);
    const outcome = await deliver({ ...commandOf(row!), channel: "gone" }, lookout.ports);
    expect([outcome, told.calls()]).toEqual([{ kind: "unknown-channel" }, 0]);
  });
});

function commandOf(row: { readonly uid: string; readonly seq: number; readonly version: number }): Deliver {
  const workload = { cluster: "prod", namespace: "shop", kind: "Deployment", name: "api" } as const;
  const name = "RolloutFailed" as const;
  const id = [row.uid, row.seq, row.version, name].join("/");
  const fact = { name, id, workload, at: epochMs(1), changes: [], reasons: [] } as const;
  return { name: "Deliver", channel: "releases", fact: { ...fact, uid: row.uid, seq: row.seq, version: row.version } };
}

const night = readWindow({ effect: "deny", start: "22:00", end: "07:00", timeZone: "Europe/Berlin" });
if (!night.ok) throw new Error(night.problem.message);
const quiet = [night.value];

async function worldAt(instant: string, channels: Channels): Promise<World> {
  const lookout = worldOf(channels);
  lookout.clock.turn((Date.parse(instant) - lookout.clock.now()) as DurationMs);
  return lookout;
}

describe("quiet hours", () => {
  it.each([
    { what: "an hour is repeated", from: "2026-10-24T20:30:00Z", end: "2026-10-25T06:00:00Z" },
    { what: "an hour is left out", from: "2027-03-27T21:30:00Z", end: "2027-03-28T05:00:00Z" },
    { what: "nothing changes", from: "2026-11-21T21:30:00Z", end: "2026-11-22T06:00:00Z" },
  ])("end at seven in Berlin in a night in which $what", async ({ from, end }) => {
    const told = chat({ quiet });
    const lookout = await worldAt(from, told.channels);
    await publish(versionsOf("api", succeeds, { lookout }), lookout);
    const before = Date.parse(end) - lookout.clock.now() - minutes(5);
    await skip(lookout, before as DurationMs);
    expect(told.messages()).toEqual([]);
    await skip(lookout, minutes(10));
    expect(texts(told)).toEqual(["api 1.1.0 succeeded"]);
  });

  it("are followed by the end of an update that began in them", async () => {
    const told = chat({ quiet, events: ["holds"] });
    const lookout = await worldAt("2026-11-21T21:30:00Z", told.channels);
    const all = versionsOf("api", ["held", ...succeeds], { lookout });
    await publish(all.slice(0, 1), lookout);
    await skip(lookout, hours(9));
    expect(texts(told)).toEqual(["api 1.1.0 waiting"]);
    await publish(all.slice(1), lookout);
    await lookout.pass(minutes(1));
    expect(texts(told)).toEqual(["api 1.1.0 waiting", "api 1.1.0 succeeded"]);
  });
});

describe("an object that is replaced by a new one", () => {
  const replaced = (name: string, whats: readonly What[], lookout: World) =>
    versionsOf(name, whats, { lookout }).map((record, index) =>
      index === whats.length - 1 ? { ...record, uid: "uid-of-the-new-object" } : record,
    );

  it("ends the message of the update that was under way", async () => {
    const told = chat();
    const lookout = worldOf(told.channels);
    const all = replaced("api", ["released", "patched", "superseded"], lookout);
    await publish(all.slice(0, 2), lookout);
    await lookout.pass(minutes(1));
    await publish(all.slice(2), lookout);
    await lookout.pass(minutes(1));
    expect(told.messages()).toEqual([{ text: "api 1.1.0 superseded", edits: 1 }]);
  });

  it("has the incident of the old one resolved by its first success", async () => {
    const oncall = pager();
    const lookout = worldOf(oncall.channels);
    const all = replaced("api", [...fails, "succeeded"], lookout);
    await publish(all.slice(0, -1), lookout);
    await lookout.pass(minutes(1));
    expect([...oncall.open()]).toEqual([["prod/shop/deployment/api", "api 1.1.0 rolled-back"]]);
    await publish(all.slice(-1), lookout);
    await lookout.pass(minutes(1));
    expect([[...oncall.open()], oncall.opened()]).toEqual([[], 1]);
  });
});

describe("a clock that was wrong", () => {
  it("keeps no message back when it is right again", async () => {
    const told = chat();
    const lookout = worldOf(told.channels);
    const all = versionsOf("api", fails, { lookout });
    lookout.clock.turn(hours(500 * 24));
    told.answerNext({ kind: "later", why: "503" });
    await publish(all.slice(0, 3), lookout);
    lookout.clock.turn((0 - hours(500 * 24)) as DurationMs);
    await publish(all.slice(3), lookout);
    await lookout.pass(minutes(1));
    expect(texts(told)).toEqual(["api 1.1.0 rolled-back"]);
  });
});
