import { describe, expect, it } from "vitest";
import { lookout } from "./world.ts";

describe("an input that is not UTF-8", () => {
  it.each(["workload parse -f -", "import -"])("is rejected by lookout %s", async (typed) => {
    const stdin = async function* () {
      yield Uint8Array.of(0x7b, 0xff, 0x7d);
    };
    const { stderr, exitCode } = await lookout(typed.split(" "), {}, { stdin });

    expect([stderr, exitCode]).toEqual(["✗ stdin is not UTF-8 text.\n", 2]);
  });
});
