import { describe, expect, it } from "vitest";
import { onStack } from "./aws.ts";
import { lines, lookout } from "./world.ts";

describe("a name that no stack can have", () => {
  const says = (source: string, name: string) =>
    lines(
      `✗ ${source} "${name}" is not the name of a stack.`,
      "  Expected for example: Lookout   (letters, digits and dashes, at most 128, with a letter first)",
    );

  it.each(["my stack", "", "1st", "a_b", "n".repeat(129)])("is wrong input, and AWS is not asked: %j", async (name) => {
    const { exitCode, stderr, aws } = await onStack(["status", "--stack", name], {});

    expect({ exitCode, stderr, arrived: aws.arrived }).toEqual({
      exitCode: 2,
      stderr: says("--stack", name),
      arrived: [],
    });
  });

  it("is told of LOOKOUT_STACK too, which says nothing when it is empty", async () => {
    const named = await lookout(["status"], {}, { environment: { LOOKOUT_STACK: "my stack" } });
    const empty = await lookout(["status"], {}, { environment: { LOOKOUT_STACK: "" } });

    expect(named).toMatchObject({ exitCode: 2, stderr: says("LOOKOUT_STACK", "my stack") });
    expect(empty).toMatchObject({ exitCode: 3 });
    expect(empty.stderr.split("\n")[0]).toBe("✗ No Lookout runs in this directory.");
  });
});
