import { describe, expect, it } from "vitest";
import { deploy, type Deployed } from "./deployed.ts";
import { longest, mostManagedPolicies, textOf } from "./sizes.ts";

const numbered = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);
const account = (index: number): string => String(100_000_000_000 + index);
const clusterRole = (index: number): string =>
  `arn:aws:iam::${account(index)}:role/platform/what-lookout-is-in-the-clusters-of-this-account-AbCdEfGhIjKl`;
const memberRole = (index: number): string =>
  `arn:aws:iam::${account(index)}:role/lookout/LookoutMember-MemberClusterRole1A2B3C4D-AbCdEfGhIjKl`;
const readRole = (index: number): string =>
  `arn:aws:iam::${account(index)}:role/LookoutMember-MemberReadRole1A2B3C4D-AbCdEfGhIjKl`;
const parameter = (index: number): string => `/lookout/receivers/${"of-a-team-with-a-long-name/".repeat(8)}${index}`;

const clustersWith = (roleArn: (index: number) => string, count: number): readonly object[] =>
  numbered(count).map((index) => ({ name: `c${index}`, eks: { name: `c${index}`, roleArn: roleArn(index) } }));

/** Everything of a kind that lookout.yaml may name, and what a right has to be for. */
const kinds = [
  {
    what: "roles of clusters",
    input: (count: number) => ({ accounts: numbered(count).map(account), clusters: clustersWith(clusterRole, count) }),
    named: clusterRole,
  },
  {
    what: "roles of registries",
    input: (count: number) => ({
      accounts: numbered(count).map(account),
      registries: numbered(count).map((index) => ({
        host: `${account(index)}.dkr.ecr.eu-west-1.amazonaws.com`,
        roleArn: readRole(index),
      })),
    }),
    named: readRole,
  },
  {
    what: "parameters with secrets of receivers",
    input: (count: number) => ({
      receivers: numbered(count).map((index) => ({
        ...{ name: `team-${index}`, kind: "generic", secretParameter: parameter(index) },
      })),
    }),
    named: parameter,
  },
  {
    what: "secrets with passwords of registries",
    input: (count: number) => ({
      registries: numbered(count).map((index) => ({
        ...{ host: `r${index}.example.com`, username: "lookout", passwordId: `lookout/registries/team-${index}` },
      })),
    }),
    named: (index: number): string => `lookout/registries/team-${index}-??????`,
  },
];

const policiesOf = (stack: Deployed): string =>
  [...stack.resources("AWS::IAM::ManagedPolicy").values(), ...stack.resources("AWS::IAM::Policy").values()]
    .map(({ PolicyDocument }) => textOf(stack, PolicyDocument))
    .join("\n");

describe("policies of roles", () => {
  it.each(kinds.flatMap((kind) => [50, 150].map((count) => ({ ...kind, count }))))(
    "name $count $what within the characters of IAM",
    ({ input, named, count }) => {
      const stack = deploy(input(count));
      const written = policiesOf(stack);

      expect(numbered(count).filter((index) => !written.includes(`${named(index)}"`))).toEqual([]);
      expect(longest(stack, "AWS::IAM::Policy", "PolicyDocument")).toBeLessThanOrEqual(10_240);
      expect(longest(stack, "AWS::IAM::ManagedPolicy", "PolicyDocument")).toBeLessThanOrEqual(6_144);
      expect(mostManagedPolicies(stack)).toBeLessThanOrEqual(10);
      expect(stack.errors).toEqual([]);
    },
  );

  it("name no role of LookoutMember in a listed account, whose roles are all included", () => {
    const written = policiesOf(deploy({ accounts: [account(1)], clusters: clustersWith(memberRole, 3) }));

    expect(numbered(3).filter((index) => written.includes(memberRole(index)))).toEqual([0, 2]);
    expect(written).toContain(`:iam::${account(1)}:role/lookout/*`);
  });

  it("may exceed IAM's default quota, which the account has to raise", () => {
    const stack = deploy(kinds[2]!.input(200));

    expect({ errors: stack.errors, warnings: stack.warnings }).toEqual({
      errors: [],
      warnings: [
        "the roles and secrets of lookout.yaml need 11 managed policies on one role, and IAM allows 10 by default: " +
          'raise the quota "Managed policies per role", up to 20',
      ],
    });
  });

  it("are rejected with a remedy when they exceed IAM's hard limit", () => {
    expect(deploy(kinds[2]!.input(600)).errors).toEqual([
      "the roles and secrets of lookout.yaml need 34 managed policies on one role, and IAM allows 20: " +
        "remove some of them, or move some to a second stack (LOOKOUT_STACK)",
    ]);
  });
});
