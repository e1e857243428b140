import { describe, expect, it } from "vitest";
import type { Outgoing, Sender } from "#adapters/sqs/sender";
import { sentTogether } from "#adapters/sqs/together";

const message = (body: string): Outgoing => ({ body, group: "prod" });

/** Requests that end when they are told to. */
function requests() {
  const begun: { readonly queue: string; readonly bodies: readonly string[]; readonly end: (error?: Error) => void }[] =
    [];
  const send: Sender = (queue, messages) =>
    new Promise((resolve, reject) => {
      const end = (error?: Error): void => (error === undefined ? resolve() : reject(error));
      begun.push({ queue, bodies: messages.map(({ body }) => body), end });
    });
  return { begun, send: sentTogether(send), told: () => begun.map(({ queue, bodies }) => [queue, bodies]) };
}

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("messages that are sent to a queue at about the same time", () => {
  it("go at once when nothing is on its way there", async () => {
    const { begun, send, told } = requests();
    const sent = [send("a", [message("1")]), send("b", [message("2")])];
    await tick();

    expect(told()).toEqual([
      ["a", ["1"]],
      ["b", ["2"]],
    ]);
    for (const { end } of begun) end();
    expect(await Promise.all(sent)).toEqual([undefined, undefined]);
  });

  it("go together after the request that is on its way, and the next go at once again", async () => {
    const { begun, send, told } = requests();
    const sent = [send("a", [message("1")])];
    await tick();
    sent.push(send("a", [message("2"), message("3")]), send("a", [message("4")]));
    await tick();
    expect(told()).toEqual([["a", ["1"]]]);

    begun[0]?.end();
    await tick();
    expect(told()).toEqual([
      ["a", ["1"]],
      ["a", ["2", "3", "4"]],
    ]);

    begun[1]?.end();
    await Promise.all(sent);
    void send("a", [message("5")]);
    await tick();
    expect(told().at(-1)).toEqual(["a", ["5"]]);
  });

  it("fail with the request that they are in, and with no other", async () => {
    const { begun, send, told } = requests();
    const first = send("a", [message("1")]);
    await tick();
    const second = send("a", [message("2")]);
    const third = send("a", [message("3")]);
    begun[0]?.end(new Error("the first"));
    await expect(first).rejects.toThrow("the first");
    await tick();
    begun[1]?.end(new Error("the second"));
    await expect(second).rejects.toThrow("the second");
    await expect(third).rejects.toThrow("the second");
    const fourth = send("a", [message("4")]);
    await tick();
    begun[2]?.end();

    await fourth;
    expect(told()).toEqual([
      ["a", ["1"]],
      ["a", ["2", "3"]],
      ["a", ["4"]],
    ]);
  });
});
