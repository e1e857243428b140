import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { memoryDatabase } from "#adapters/sqlite/database";
import { epochMs } from "#domain/shared/time";
import type { Answer, Channels } from "#ports/channels";
import { keptCopies } from "#runtime/local/kept-copies";
import type { Shell } from "#runtime/local/shell";
import { statePorts } from "#runtime/local/state";
import { audit, together } from "#test/app/notify/receivers";
import { until } from "#test/cluster/bed/until";
import { stateInMemory } from "#test/state";
import { aFact, shellWith } from "./channel-shell.ts";

const facts = 40;

let shells: Shell[] = [];
afterEach(async () => {
  await Promise.all(shells.map((shell) => shell.stop(1_000)));
  shells = [];
});

async function started(channels: Channels, state = stateInMemory()): Promise<Shell> {
  const shell = shellWith(channels, state);
  shells.push(shell);
  await shell.start();
  return shell;
}

const some = (count: number) => Array.from({ length: count }, (_, index) => aFact(index, epochMs(Date.now())));

const deaths: readonly { readonly what: string; readonly answer: () => Promise<Answer> }[] = [
  { what: "never answers", answer: () => new Promise(() => undefined) },
  { what: "always answers 500", answer: async () => ({ kind: "later", why: "500" }) },
  { what: "answers 500 after half a second", answer: () => sleep(500, { kind: "later", why: "500" } as const) },
];

describe("20 channels, one of which is dead", () => {
  it.each(deaths)("tell the others on time if it $what", async ({ answer }) => {
    const others = Array.from({ length: 19 }, (_, index) => audit(`audit-${index}`));
    const dead = audit("dead", answer);
    const shell = await started(together(dead.channels, ...others.map(({ channels }) => channels)));
    const begun = performance.now();
    await shell.ports.bus.publish(some(facts));
    await until("the others are told", async () =>
      others.every(({ ids }) => ids().size === facts) ? true : undefined,
    );

    expect(performance.now() - begun).toBeLessThan(10_000);
    expect(others.map(({ calls }) => calls())).toEqual(others.map(() => facts));
    expect(dead.ids().size).toBe(0);
  });
});

describe("the stored messages of a process", () => {
  it("are gone when all are told", async () => {
    const state = stateInMemory();
    const told = audit();
    const shell = await started(told.channels, state);
    await shell.ports.bus.publish(some(3));
    await until("all are told", async () => ((await state.messages.list()).length === 0 ? true : undefined));

    expect(told.ids().size).toBe(3);
  });

  it("wait for the rest of their time after a restart", async () => {
    const database = memoryDatabase("abc123");
    const told = audit();
    const command = { name: "Deliver", channel: "audit", fact: aFact(0, epochMs(Date.now())) } as const;
    const dueAt = Date.now() + 1_500;
    await statePorts(database).messages.keep([{ body: JSON.stringify(command), dueAt: epochMs(dueAt) }]);
    await started(told.channels, statePorts(database));
    await until("the fact is told", async () => (told.ids().size === 1 ? true : undefined));

    expect(Date.now()).toBeGreaterThanOrEqual(dueAt - 50);
  });

  it("go for a channel that is no longer configured, without a sending", async () => {
    const state = stateInMemory();
    const told = audit();
    const command = { name: "Deliver", channel: "gone", fact: aFact(0, epochMs(Date.now())) } as const;
    await state.messages.keep([{ body: JSON.stringify(command), dueAt: epochMs(0) }]);
    await started(told.channels, state);
    await until("the message is gone", async () => ((await state.messages.list()).length === 0 ? true : undefined));

    expect(told.calls()).toBe(0);
  });

  it("stay until the last copy is handled, because a delivery may send itself again for later", async () => {
    const { messages } = stateInMemory();
    const counted = keptCopies(messages);
    await counted.keep([{ body: "a", dueAt: epochMs(1) }]);
    await counted.keep([{ body: "a", dueAt: epochMs(2) }]);
    await counted.forget("a");
    expect(await messages.list()).toEqual([{ body: "a", dueAt: epochMs(2) }]);
    await counted.forget("a");
    expect(await messages.list()).toEqual([]);
  });
});
