import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { Outgoing, Sender } from "#adapters/sqs/sender";
import { sentTogether } from "#adapters/sqs/together";

const message = (body: string): Outgoing => ({ body, group: "prod" });

/** Keeps what each request holds; one with a message called `bad` fails. */
function requests() {
  const told: (readonly [string, readonly string[]])[] = [];
  const send: Sender = async (queue, messages) => {
    const bodies = messages.map(({ body }) => body);
    told.push([queue, bodies]);
    if (bodies.includes("bad")) throw new Error("refused");
  };
  return { told, send: sentTogether(send) };
}

describe("messages that are sent at about the same time", () => {
  it("go in one request to each queue, in their order", async () => {
    const { told, send } = requests();
    const first = [send("a", [message("1"), message("2")]), send("b", [message("3")])];
    await sleep(1);
    await Promise.all([...first, send("a", [message("4")])]);

    expect(told).toEqual([
      ["a", ["1", "2", "4"]],
      ["b", ["3"]],
    ]);
  });

  it("have nothing to do with those that are sent later", async () => {
    const { told, send } = requests();
    await send("a", [message("1")]);
    await send("a", [message("2")]);

    expect(told).toEqual([
      ["a", ["1"]],
      ["a", ["2"]],
    ]);
  });

  it("fail together, and no others with them", async () => {
    const { told, send } = requests();
    const failing = [send("a", [message("1")]), send("a", [message("bad")])];
    const going = send("b", [message("2")]);

    expect((await Promise.allSettled([...failing, going])).map(({ status }) => status)).toEqual([
      "rejected",
      "rejected",
      "fulfilled",
    ]);
    await send("a", [message("3")]);
    expect(told.at(-1)).toEqual(["a", ["3"]]);
  });
});
