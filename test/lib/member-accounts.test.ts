import { describe, expect, it } from "vitest";
import { deploy, type Properties } from "./deployed.ts";
import { longest, mostManagedPolicies, textOf } from "./sizes.ts";

const accountsIn = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => String(210_000_000_000 + index));
const many = accountsIn(600);
const stack = deploy({ accounts: many });

describe("six hundred accounts that forward their pushes", () => {
  it("are in one rule each, beside the stack's own account", () => {
    const forwarded = [...stack.resources("AWS::Events::Rule").values()].filter(
      ({ Description }) => Description === "Pushes to ECR of other regions and accounts",
    );
    const named = forwarded.flatMap(({ EventPattern }) => (EventPattern as Properties)["account"] as unknown[]);

    expect(named).toEqual([{ Ref: "AWS::AccountId" }, ...many]);
  });

  it("may all use the bus, and have their repositories read", () => {
    const [policy] = stack.resources("AWS::Events::EventBusPolicy").values();
    const read = [...stack.resources("AWS::IAM::ManagedPolicy"), ...stack.resources("AWS::IAM::Policy")]
      .filter(([id]) => id.includes("evaluateimagepushedRole"))
      .map(([, resource]) => textOf(stack, resource));

    expect(policy).toMatchObject({ Statement: { Condition: { StringEquals: { "aws:PrincipalAccount": many } } } });
    expect(many.filter((account) => !read.some((text) => text.includes(`ecr:*:${account}:repository/*`)))).toEqual([]);
  });

  it.each([
    { what: "a rule's pattern", type: "AWS::Events::Rule", property: "EventPattern", room: 2_048 },
    { what: "the pattern of the archive", type: "AWS::Events::Archive", property: "EventPattern", room: 4_096 },
    { what: "the policy of the bus", type: "AWS::Events::EventBusPolicy", property: "Statement", room: 10_240 },
    { what: "a managed policy", type: "AWS::IAM::ManagedPolicy", property: "PolicyDocument", room: 6_144 },
    { what: "a role's own policy", type: "AWS::IAM::Policy", property: "PolicyDocument", room: 10_240 },
    { what: "the policy of a queue", type: "AWS::SQS::QueuePolicy", property: "PolicyDocument", room: 8_192 },
  ])("leave $what within the $room characters of AWS", ({ type, property, room }) => {
    expect(longest(stack, type, property)).toBeLessThanOrEqual(room);
  });

  it("leave every role with ten managed policies at most", () => {
    expect(mostManagedPolicies(stack)).toBeLessThanOrEqual(10);
  });

  it("are the limit of a stack: more are rejected with a remedy", () => {
    expect(stack.errors).toEqual([]);
    expect(deploy({ accounts: accountsIn(601) }).errors).toEqual([
      "lookout.yaml lists 601 accounts, and the policy of a stack's bus has room for 600: " +
        "list fewer accounts, or move some to a second stack (LOOKOUT_STACK)",
    ]);
  });
});
