import { describe, expect, it } from "vitest";
import { pushReceivers } from "#adapters/webhook/receivers";
import { stoppedClock } from "#test/stopped-clock";

describe("the receivers", () => {
  const receivers = pushReceivers(
    [
      { name: "harbour", kind: "distribution", secret: "one" },
      { name: "build", kind: "generic", secret: "two" },
    ],
    stoppedClock,
  );

  it("are found by their names, and say what they are", async () => {
    expect((await receivers.receiver("harbour"))?.source).toBe("webhook distribution");
    expect((await receivers.receiver("build"))?.source).toBe("webhook generic");
  });

  it.each(["", "Harbour", "constructor", "__proto__"])("do not know %j", async (name) => {
    expect(await receivers.receiver(name)).toBeUndefined();
  });
});
