import { describe, expect, it } from "vitest";
import { onStack } from "./aws.ts";
import { lines, lookout } from "./world.ts";

describe("an invalid stack name", () => {
  const says = (source: string, name: string) =>
    lines(
      `✗ ${source} "${name}" is not the name of a stack.`,
      "  Expected for example: Lookout   (letters, digits and dashes, at most 128, with a letter first)",
    );

  it.each(["my stack", "", "1st", "a_b", "n".repeat(129), "arn:aws:iam::111122223333:role/lookout"])(
    "is rejected without a request to AWS: %j",
    async (name) => {
      const { exitCode, stderr, aws } = await onStack(["status", "--stack", name], {});

      expect({ exitCode, stderr, arrived: aws.arrived }).toEqual({
        exitCode: 2,
        stderr: says("--stack", name),
        arrived: [],
      });
    },
  );

  it("may not be an ARN", async () => {
    const arn = "arn:aws:cloudformation:eu-central-1:111122223333:stack/lookout/5c7e";
    const { aws } = await onStack(["status", "--stack", arn], {});

    expect(aws.arrived.length).toBeGreaterThan(0);
  });

  it("is reported for LOOKOUT_STACK too, except for an empty value", async () => {
    const named = await lookout(["status"], {}, { environment: { LOOKOUT_STACK: "my stack" } });
    const empty = await lookout(["status"], {}, { environment: { LOOKOUT_STACK: "" } });

    expect(named).toMatchObject({ exitCode: 2, stderr: says("LOOKOUT_STACK", "my stack") });
    expect(empty).toMatchObject({ exitCode: 3 });
    expect(empty.stderr.split("\n")[0]).toBe("✗ No Lookout runs in this directory.");
  });
});

describe("--region without a stack", () => {
  const refused = {
    exitCode: 2,
    stdout: "",
    stderr: lines(
      "✗ --region needs a stack.",
      "  To name a stack:  --stack NAME, or LOOKOUT_STACK without --server, --data or LOOKOUT_SERVER",
    ),
    asked: [],
  };

  it.each([
    { whom: "the process of this directory", typed: [], environment: {} },
    { whom: "the process of a folder", typed: ["--data", "state"], environment: { LOOKOUT_STACK: "Lookout" } },
    { whom: "--server", typed: ["--server", "http://127.0.0.1:4040"], environment: { LOOKOUT_STACK: "Lookout" } },
    {
      whom: "LOOKOUT_SERVER",
      typed: [],
      environment: { LOOKOUT_SERVER: "http://127.0.0.1:4040", LOOKOUT_STACK: "Lookout" },
    },
  ])("is rejected for $whom", async ({ typed, environment }) => {
    expect(await lookout(["status", ...typed, "--region", "eu-central-1"], {}, { environment })).toEqual(refused);
  });

  it.each([["config"], ["doctor"], ["export"], ["watch"], ["freezes"], ["unfreeze"], ["cluster", "list"]])(
    "is rejected by every command: %s %s",
    async (...typed) => {
      expect(await lookout([...typed, "--region", "eu-central-1"], {})).toEqual(refused);
    },
  );

  it("is accepted beside LOOKOUT_STACK", async () => {
    const typed = ["freezes", "--region", "us-east-1"];
    const { aws } = await onStack(typed, {}, { LOOKOUT_STACK: "Lookout" });

    expect(aws.asked.map(({ operation, region }) => [operation, region])).toEqual([
      ["DescribeStacks", "us-east-1"],
      ["GET /v1/freezes", "us-east-1"],
    ]);
  });
});
