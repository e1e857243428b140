import { afterEach, describe, expect, it, vi } from "vitest";
import type { AwsEndpoint } from "#test/adapters/aws-endpoint";
import { awsAndApi } from "./aws.ts";
import { lines, lookout, type Outcome } from "./world.ts";

let aws: AwsEndpoint | undefined;
afterEach(async () => {
  await aws?.close();
  aws = undefined;
  vi.unstubAllEnvs();
});

/** Runs the command beside an AWS that knows nothing; answers also what AWS was asked. */
async function beside(
  typed: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Outcome & { readonly arrived: AwsEndpoint["arrived"] }> {
  aws = await awsAndApi(() => undefined);
  return { ...(await lookout(typed, {}, { environment })), arrived: aws.arrived };
}

describe("a name that no stack can have", () => {
  const says = (source: string, name: string) =>
    lines(
      `✗ ${source} "${name}" is not the name of a stack.`,
      "  Expected for example: Lookout   (letters, digits and dashes, at most 128, with a letter first)",
    );

  it.each(["my stack", "", "1st", "a_b", "n".repeat(129)])("is wrong input, and AWS is not asked: %j", async (name) => {
    expect(await beside(["status", "--stack", name])).toMatchObject({
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
