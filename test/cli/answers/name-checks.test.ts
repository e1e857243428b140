import { describe, expect, it } from "vitest";
import { namesBeforeDeploy, queueNames } from "#cli/answers/name-checks";

const region = "eu-central-1";
const vpc = "vpc-0a1b2c3d4e5f60718";
const url = (name: string) => `https://sqs.eu-central-1.amazonaws.com/111122223333/${name}`;
const names = queueNames("Lookout", [vpc]);
const there = names.map((name) => ({ kind: "there" as const, url: url(name) }));
const missing = names.map(() => ({ kind: "missing" as const }));

describe("the names of queues in VPCs", () => {
  it("are those of the commands that reach clusters", () => {
    expect(names).toEqual(
      ["SyncCluster", "EvaluateWorkload", "RollOut", "CheckRollout"].map((command) => `Lookout-${command}-${vpc}`),
    );
    expect(namesBeforeDeploy({ stack: "Lookout", region, names: [] }, [])).toEqual([]);
  });

  it("are well if they are free, or of the stack", () => {
    const well = [
      { check: "names", verdict: "well", detail: "4 queues in VPCs have free names of at most 80 characters" },
    ];
    const ownUrls = new Set(names.map(url));

    expect(namesBeforeDeploy({ stack: "Lookout", region, names, ownUrls: new Set() }, missing)).toEqual(well);
    expect(namesBeforeDeploy({ stack: "Lookout", region, names, ownUrls }, there)).toEqual(well);
  });

  it("are wrong if the stack's name is too long, with the length that fits", () => {
    const stack = "L".repeat(60);
    const long = queueNames(stack, [vpc]);
    const [check] = namesBeforeDeploy({ stack, region, names: long }, []);

    expect(check?.remedy).toBe("Give the stack a name of at most 41 characters: LOOKOUT_STACK=NAME");
    expect(Math.max(...queueNames("L".repeat(41), [vpc]).map((name) => name.length))).toBe(80);
  });

  it("are wrong if another queue has one", () => {
    expect(namesBeforeDeploy({ stack: "Lookout", region, names, ownUrls: new Set() }, there)).toEqual([
      {
        check: "names",
        verdict: "wrong",
        detail: `4 queues of these names exist outside of the stack, such as ${there[0]?.url ?? ""}`,
        remedy: `If nothing uses them, delete them:  aws sqs delete-queue --region eu-central-1 --queue-url ${there[0]?.url ?? ""} · Or choose another stack name.`,
      },
    ]);
  });

  it("are unchecked if the queues or the stack can't be read", () => {
    const denied = [{ kind: "denied", detail: "not you" } as const];

    expect(namesBeforeDeploy({ stack: "Lookout", region, names }, denied)[0]).toMatchObject({
      verdict: "unchecked",
      remedy: "You need sqs:GetQueueUrl. Run the command again with this right.",
    });
    expect(namesBeforeDeploy({ stack: "Lookout", region, names }, there)[0]).toMatchObject({
      verdict: "unchecked",
      remedy: "You need cloudformation:ListStackResources. Run the command again with this right.",
    });
  });
});
