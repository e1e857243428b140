import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { type Outgoing, sentTogether } from "#adapters/sqs/sender";

const message = (body: string): Outgoing => ({ body, group: "prod" });

/** Keeps what is sent at once; messages called `bad` are not taken. */
function sending() {
  const told: (readonly [string, readonly string[]])[] = [];
  const send = sentTogether(async (queue, messages) => {
    told.push([queue, messages.map(({ body }) => body)]);
    return messages.map(({ body }) => (body === "bad" ? new Error("refused") : undefined));
  });
  return { told, send };
}

describe("messages that are sent at about the same time", () => {
  it("go together to each queue, in their order", async () => {
    const { told, send } = sending();
    const first = [send("a", [message("1"), message("2")]), send("b", [message("3")])];
    await sleep(1);
    await Promise.all([...first, send("a", [message("4")]), send("c", [])]);

    expect(told).toEqual([
      ["a", ["1", "2", "4"]],
      ["b", ["3"]],
    ]);
  });

  it("have nothing to do with those that are sent later", async () => {
    const { told, send } = sending();
    await send("a", [message("1")]);
    await send("a", [message("2")]);

    expect(told).toEqual([
      ["a", ["1"]],
      ["a", ["2"]],
    ]);
  });

  it("fail whoever sent one that is not taken, and nobody else", async () => {
    const { send } = sending();
    const sent = [send("a", [message("1")]), send("a", [message("2"), message("bad")]), send("a", [message("3")])];

    expect((await Promise.allSettled(sent)).map(({ status }) => status)).toEqual([
      "fulfilled",
      "rejected",
      "fulfilled",
    ]);
  });
});
