import { expect, it } from "vitest";
import { secretBeforeDeploy } from "#cli/answers/secret-checks";
import { receiverSecret, registryCa } from "#contracts/config/secret-places";

const builds = { field: receiverSecret, owner: "builds", place: { secret: "teams/builds" } };
const check = "secret of receiver builds";
const what = "the secret teams/builds";

it.each([
  { because: "there", found: { kind: "there" }, expected: { verdict: "well", detail: `${what} exists` } },
  {
    because: "missing",
    found: { kind: "missing" },
    expected: {
      verdict: "wrong",
      detail: `${what} is missing`,
      remedy:
        "To store it:  aws secretsmanager create-secret --region eu-central-1 --name teams/builds --secret-string file:///dev/stdin",
    },
  },
  {
    because: "encrypted with the user's key",
    found: { kind: "there", key: "alias/teams" },
    expected: {
      verdict: "doubtful",
      detail: `${what} is encrypted with the key alias/teams, and the functions have no kms:Decrypt on it`,
      remedy:
        "Let the key's policy allow kms:Decrypt to the functions' roles, or store the secret with the key of Secrets Manager.",
    },
  },
  {
    because: "not readable",
    found: { kind: "denied", detail: "not you" },
    expected: {
      verdict: "unchecked",
      detail: `AWS does not let you read ${what}: not you`,
      remedy: "You need secretsmanager:DescribeSecret. Run the command again with this right.",
    },
  },
] as const)("a secret is $expected.verdict if it is $because", ({ found, expected }) => {
  expect(secretBeforeDeploy(builds, found, "eu-central-1")).toEqual({ check, ...expected });
});

it("a parameter of a registry is named after its content", () => {
  const ca = {
    field: registryCa,
    owner: "registry.test",
    place: { parameter: "/Lookout/registries/registry.test.ca" },
  };

  expect(secretBeforeDeploy(ca, { kind: "missing" }, "eu-central-1")).toEqual({
    check: "certificate authorities of registry registry.test",
    verdict: "wrong",
    detail: "the parameter /Lookout/registries/registry.test.ca is missing",
    remedy:
      "To store it:  aws ssm put-parameter --region eu-central-1 --type SecureString --name /Lookout/registries/registry.test.ca --value file:///dev/stdin",
  });
});
