import { describe, expect, it } from "vitest";
import { minutes, seconds } from "#domain/shared/time";
import { chat } from "./chat.ts";
import { followPush, publish, succeeds, versionsOf, worldOf } from "./updates-by-hand.ts";

const broken = [7, 77, 177];
/** The first failure makes the message come at once, and is named in it. */
const inThread = ["api-77", "api-177"];
const nameIn = (text: string) => text.split(" ")[0];
const atLast = "500 updates: 3 rolled-back, 497 succeeded";

describe("a push that 500 workloads follow", () => {
  it("is one message that changes a few times, and one in its thread for each failure", async () => {
    const told = chat();
    await followPush(500, broken, worldOf(told.channels));
    const [parent, ...others] = told.messages();
    expect(parent?.text).toBe(atLast);
    expect(others.map(({ text }) => nameIn(text))).toEqual(inThread);
    expect(others.every(({ thread }) => thread !== undefined)).toBe(true);
    expect(told.messages()[0]?.edits).toBeLessThanOrEqual(6);
  });

  it("ends true in a chat that takes one message a second", async () => {
    let now = () => 0;
    const told = chat({ everySecondOf: () => now() });
    const lookout = worldOf(told.channels);
    now = () => lookout.clock.now();
    await followPush(500, broken, lookout);
    const texts = told.messages().map(({ text }) => text);
    expect(texts[0]).toBe(atLast);
    expect(texts.slice(1).map(nameIn)).toEqual(inThread);
  });

  it("is few messages in a chat whose messages can't change", async () => {
    const told = chat({ edits: false });
    await followPush(500, broken, worldOf(told.channels));
    const texts = told.messages().map(({ text }) => text);
    expect(texts).toContain(atLast);
    expect(texts.length).toBeLessThanOrEqual(5 + broken.length);
  });
});

it("thirty updates of their own are all told by a chat that takes one message a second", async () => {
  let now = () => 0;
  const told = chat({ everySecondOf: () => now() });
  const lookout = worldOf(told.channels);
  now = () => lookout.clock.now();
  const all = Array.from({ length: 30 }, (_, index) => versionsOf(`api-${index}`, succeeds, { lookout }));
  for (let step = 0; step < succeeds.length; step += 1) {
    await publish(
      all.flatMap((versions) => versions.slice(step, step + 1)),
      lookout,
    );
    await lookout.pass(seconds(3));
  }
  await lookout.pass(minutes(30));
  const texts = told.messages().map(({ text }) => text);
  expect(texts.toSorted()).toEqual(all.map((_, index) => `api-${index} 1.1.0 succeeded`).toSorted());
});
