import { describe, expect, it } from "vitest";
import { parseConfiguration } from "#contracts/config/configuration";

/** Path, value and message of each problem. */
function problemsOf(input: unknown): readonly string[] {
  const parsed = parseConfiguration(input);
  return parsed.ok ? [] : parsed.problem.map(({ path, value, message }) => [path, value ?? "–", message].join(" | "));
}

const everything = {
  clusters: [
    {
      name: "prod",
      eks: {
        name: "prod-eu_1",
        region: "eu-central-1",
        roleArn: "arn:aws:iam::210987654321:role/teams/lookout",
        endpoint: "https://ABC.gr7.eu-central-1.eks.amazonaws.com",
        certificateAuthority: "LS0tLS1CRUdJTg==",
      },
      network: { vpc: "vpc-0a1b2c3d", subnets: ["subnet-0a1b2c3d4e5f6a7b8"], securityGroups: ["sg-0a1b2c3d"] },
      namespaces: { allow: ["shop"] },
    },
    { name: "china", eks: { name: "china", region: "cn-northwest-1", roleArn: "arn:aws-cn:iam::210987654321:role/l" } },
    { name: "gov", eks: { name: "gov", region: "us-gov-west-1" } },
  ],
  receivers: [
    { name: "a", kind: "generic", secretParameter: "/lookout/receivers/a" },
    { name: "b", kind: "generic", secretId: "lookout/receivers+b@1" },
    {
      name: "c",
      kind: "generic",
      secretParameter: "arn:aws:ssm:eu-central-1:123456789012:parameter/lookout/receivers/c",
    },
    {
      name: "d",
      kind: "generic",
      secretId: "arn:aws:secretsmanager:eu-central-1:123456789012:secret:lookout/d-AbCdEf",
    },
  ],
  registries: [
    { host: "ghcr.io", username: "robot", passwordParameter: "/lookout/registries/ghcr.io" },
    { host: "quay.io", username: "robot", passwordId: "lookout/quay" },
  ],
  accounts: ["012345678901"],
};

describe("a configuration with parts of AWS", () => {
  it("is parsed with all its parts", () => {
    expect(parseConfiguration(everything)).toMatchObject({ ok: true, value: everything });
  });

  it("accepts no pushes of other accounts by default", () => {
    expect(parseConfiguration({ accounts: null })).toMatchObject({ ok: true, value: { accounts: [] } });
  });
});

const eks = (fields: object) => ({ clusters: [{ name: "a", eks: { name: "a", ...fields } }] });

describe("a problem of a configuration with parts of AWS", () => {
  it.each([
    {
      because: "a cluster is EKS's and a kubeconfig's",
      input: { clusters: [{ name: "a", eks: { name: "a" }, context: "b" }] },
      expected: ["clusters[0] | – | needs one of eks, inCluster, or kubeconfig and context"],
    },
    {
      because: "a cluster of a kubeconfig has a network",
      input: { clusters: [{ name: "a", network: { vpc: "vpc-0a1b2c3d", subnets: ["subnet-0a1b2c3d"] } }] },
      expected: ["clusters[0] | – | has a network, but only a cluster with eks can have one"],
    },
    {
      because: "a cluster of EKS has no name there",
      input: { clusters: [{ name: "a", eks: {} }] },
      expected: [
        "clusters[0].eks.name | – | is missing; expected the name of an EKS cluster: at most 100 letters, digits, dashes and underscores",
      ],
    },
    {
      because: "a cluster's name is an ARN",
      input: { clusters: [{ name: "a", eks: { name: "arn:aws:eks:eu-central-1:1:cluster/a" } }] },
      expected: [
        'clusters[0].eks.name | "arn:aws:eks:eu-central-1:1:cluster/a" | expected the name of an EKS cluster: at most 100 letters, digits, dashes and underscores',
      ],
    },
    {
      because: "a region is none",
      input: eks({ region: "Frankfurt" }),
      expected: ['clusters[0].eks.region | "Frankfurt" | expected a region, such as "eu-central-1"'],
    },
    {
      because: "a role is a user",
      input: eks({ roleArn: "arn:aws:iam::123456789012:user/me" }),
      expected: [
        'clusters[0].eks.roleArn | "arn:aws:iam::123456789012:user/me" | expected the ARN of a role, such as "arn:aws:iam::123456789012:role/lookout"',
      ],
    },
    {
      because: "an endpoint is not encrypted",
      input: eks({ endpoint: "http://127.0.0.1:6443", certificateAuthority: "AAAA" }),
      expected: ['clusters[0].eks.endpoint | "http://127.0.0.1:6443" | expected the https:// address of an API server'],
    },
    {
      because: "an endpoint has no certificate authority",
      input: eks({ endpoint: "https://127.0.0.1:6443" }),
      expected: [
        "clusters[0].eks | – | needs endpoint and certificateAuthority together, or none of them: Lookout then reads both from EKS",
      ],
    },
    {
      because: "a certificate authority is the file and not its base64",
      input: eks({ endpoint: "https://127.0.0.1:6443", certificateAuthority: "-----BEGIN CERTIFICATE-----" }),
      expected: [
        'clusters[0].eks.certificateAuthority | "-----BEGIN CERTIFICATE-----" | expected the certificate authority in base64, as EKS shows it',
      ],
    },
    {
      because: "a network has no subnet",
      input: { clusters: [{ name: "a", eks: { name: "a" }, network: { vpc: "vpc-0a1b2c3d", subnets: [] } }] },
      expected: ["clusters[0].network.subnets | a list | expected at least one subnet"],
    },
    {
      because: "an account id is a number",
      input: { accounts: [123_456_789_012] },
      expected: [
        'accounts[0] | 123456789012 | expected an account id of twelve digits in quotes, such as "123456789012"',
      ],
    },
    {
      because: "an account id is too short",
      input: { accounts: ["12345678901"] },
      expected: ['accounts[0] | "12345678901" | expected an account id of twelve digits'],
    },
    {
      because: "a receiver has two places for its secret",
      input: { receivers: [{ name: "a", kind: "generic", secretParameter: "/a", secretId: "a" }] },
      expected: ["receivers[0] | – | needs one of secretEnv, secretFile, secretParameter, secretId, or tokens"],
    },
  ])("names its place and the expected value when $because", ({ input, expected }) => {
    expect(problemsOf(input)).toEqual(expected);
  });

  it.each([
    {
      because: "a secret in the place of its parameter",
      input: { receivers: [{ name: "a", kind: "generic", secretParameter: "hunter2!" }] },
    },
    {
      because: "a secret in the place of its id",
      input: { receivers: [{ name: "a", kind: "generic", secretId: "hunter2!" }] },
    },
    {
      because: "a password in the place of its parameter",
      input: { registries: [{ host: "ghcr.io", username: "a", passwordParameter: "hunter2!" }] },
    },
    {
      because: "a password in the place of its id",
      input: { registries: [{ host: "ghcr.io", username: "a", passwordId: "hunter2!" }] },
    },
  ])("does not show $because", ({ input }) => {
    expect(problemsOf(input)).toHaveLength(1);
    expect(JSON.stringify(parseConfiguration(input))).not.toContain("hunter2");
  });
});
