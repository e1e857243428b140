import { describe, expect, it } from "vitest";
import { stackBeforeDeploy } from "#cli/answers/stack-check";

const asked = { name: "Lookout", region: "eu-central-1" };
const withoutLookout = (status: string) => ({ kind: "not-lookout", region: "eu-central-1", status }) as const;
const deployed = (status: string) => ({
  kind: "deployed" as const,
  ...{ name: "Lookout", region: "eu-central-1", partition: "aws", account: "1", status, outputs: {}, url: "https://x" },
  sign: () => Promise.resolve({}),
});
const events = "To see the cause:  aws cloudformation describe-stack-events --stack-name Lookout --region eu-central-1";

describe("the stack before a deployment", () => {
  it("may be missing: then it is the first deployment", () => {
    expect(stackBeforeDeploy({ kind: "not-found", region: "eu-central-1" }, asked)).toEqual({
      check: "stack",
      verdict: "well",
      detail:
        "there is no stack Lookout in eu-central-1: this is its first deployment, and there are no stored items to compare",
    });
  });

  it.each([
    ["UPDATE_COMPLETE", "well", "", undefined],
    ["UPDATE_IN_PROGRESS", "doubtful", ": wait until this operation ends", events],
    ["UPDATE_ROLLBACK_COMPLETE", "doubtful", ": its last deployment failed", events],
    ["ROLLBACK_COMPLETE", "doubtful", ": its first deployment failed, and the next one creates it again", events],
    ["DELETE_FAILED", "wrong", ": CloudFormation can't update the stack in this state", events],
    [
      "UPDATE_ROLLBACK_FAILED",
      "wrong",
      ": CloudFormation can't update the stack in this state",
      `${events} · To end the roll-back:  aws cloudformation continue-update-rollback --stack-name Lookout --region eu-central-1`,
    ],
  ] as const)("in the state %s is %s", (status, verdict, text, remedy) => {
    expect(stackBeforeDeploy(deployed(status), asked)).toEqual({
      check: "stack",
      verdict,
      detail: `Lookout in eu-central-1 is ${status}${text}`,
      ...(remedy === undefined ? {} : { remedy }),
    });
  });

  it("of other resources is not replaced without a warning", () => {
    expect(stackBeforeDeploy(withoutLookout("CREATE_COMPLETE"), asked)).toEqual({
      check: "stack",
      verdict: "doubtful",
      detail: "the stack Lookout in eu-central-1 exists, and has no Lookout",
      remedy:
        "npm run deploy would delete the resources of this stack. Choose another name: LOOKOUT_STACK=NAME. Deploy to this stack only if your own app adds Lookout to it.",
    });
    expect(stackBeforeDeploy(withoutLookout("REVIEW_IN_PROGRESS"), asked).verdict).toBe("well");
  });

  it("is unchecked without the right to read it", () => {
    expect(stackBeforeDeploy({ kind: "denied", detail: "not you", region: "eu-central-1" }, asked)).toEqual({
      check: "stack",
      verdict: "unchecked",
      detail: "AWS does not let you read the stack Lookout: not you",
      remedy: "You need cloudformation:DescribeStacks. Run the command again with this right.",
    });
  });
});
