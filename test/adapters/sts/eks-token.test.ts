import { createHash, createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { eksTokens } from "#adapters/sts/eks-access";
import { eksToken } from "#adapters/sts/eks-token";

const credentials = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI", sessionToken: "a+b/c=" };
const now = new Date("2026-11-21T18:00:00Z");
const question = { cluster: "prod-1", region: "eu-central-1" };

/**
 * What a cluster's authenticator makes of a token: the URL that it fetches with the cluster's name
 * in a header.
 */
function urlIn(token: string): URL {
  const [version, encoded = ""] = token.split(/(?<=^k8s-aws-v1)\./);
  expect(version).toBe("k8s-aws-v1");
  expect(encoded).toMatch(/^[A-Za-z0-9_-]+$/);
  return new URL(Buffer.from(encoded, "base64url").toString("utf8"));
}

/** Signature version 4 by its specification, apart from the library. */
function signatureOf(url: URL, cluster: string, secret: string): string {
  const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();
  const sha = (text: string) => createHash("sha256").update(text).digest("hex");
  const query = [...url.searchParams]
    .filter(([name]) => name !== "X-Amz-Signature")
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .sort();
  const headers = `host:${url.host}\nx-k8s-aws-id:${cluster}\n`;
  const canonical = ["GET", "/", query.join("&"), headers, "host;x-k8s-aws-id", sha("")].join("\n");
  const [, day = "", region = "", service = ""] = (url.searchParams.get("X-Amz-Credential") ?? "").split("/");
  const scope = `${day}/${region}/${service}/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", url.searchParams.get("X-Amz-Date"), scope, sha(canonical)].join("\n");
  const key = [day, region, service, "aws4_request"].reduce<string | Buffer>(hmac, `AWS4${secret}`);
  return hmac(key, text).toString("hex");
}

describe("the token of an EKS cluster", () => {
  it("is a signed request for its identity, valid for a minute and that cluster alone", async () => {
    const url = urlIn(await eksToken(question, credentials, now));

    expect(url.origin + url.pathname).toBe("https://sts.eu-central-1.amazonaws.com/");
    expect(Object.fromEntries(url.searchParams)).toEqual({
      Action: "GetCallerIdentity",
      Version: "2011-06-15",
      "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
      "X-Amz-Credential": "AKIDEXAMPLE/20261121/eu-central-1/sts/aws4_request",
      "X-Amz-Date": "20261121T180000Z",
      "X-Amz-Expires": "60",
      "X-Amz-Security-Token": "a+b/c=",
      "X-Amz-SignedHeaders": "host;x-k8s-aws-id",
      "X-Amz-Signature": signatureOf(url, "prod-1", credentials.secretAccessKey),
    });
    expect(url.searchParams.get("X-Amz-Signature")).not.toBe(signatureOf(url, "prod-2", credentials.secretAccessKey));
  });

  it.each([
    { region: "cn-north-1", host: "sts.cn-north-1.amazonaws.com.cn" },
    { region: "us-gov-west-1", host: "sts.us-gov-west-1.amazonaws.com" },
    { region: "us-iso-east-1", host: "sts.us-iso-east-1.c2s.ic.gov" },
  ])("uses STS of its own partition in $region", async ({ region, host }) => {
    expect(urlIn(await eksToken({ ...question, region }, credentials, now)).host).toBe(host);
  });

  it("uses STS at the address of the environment", async () => {
    const url = urlIn(await eksToken({ ...question, endpoint: "http://localhost:4566" }, credentials, now));

    expect(url.origin).toBe("http://localhost:4566");
    expect(url.searchParams.get("X-Amz-Signature")).toBe(signatureOf(url, "prod-1", credentials.secretAccessKey));
  });
});

describe("the tokens of an EKS cluster", () => {
  const tokensAt = (times: readonly number[], provide: () => Promise<typeof credentials>) => {
    const clock = [...times];
    return eksTokens({ ...question, credentials: provide, roleArn: "arn:role", monotonicMs: () => clock[0] ?? 0 });
  };

  it("are kept for less than fifteen minutes, and made again after a refusal", async () => {
    let made = 0;
    let ms = 0;
    const provide = async () => {
      made += 1;
      return credentials;
    };
    const token = eksTokens({ ...question, credentials: provide, monotonicMs: () => ms });
    for (const [at, afresh] of [
      [0, false],
      [12 * 60_000, false],
      [13 * 60_000, false],
      [13 * 60_000 + 10, true],
      [13 * 60_000 + 2_000, true],
    ] as const) {
      ms = at;
      expect((await token(afresh)).kind).toBe("token");
    }

    expect(made).toBe(3);
  });

  it.each([
    {
      name: "CredentialsProviderError",
      answer: {
        kind: "none",
        text: "no AWS credentials were found (CredentialsProviderError); log in to AWS again: aws sts get-caller-identity must answer",
      },
    },
    {
      name: "ExpiredToken",
      answer: {
        kind: "none",
        text: "AWS does not accept the credentials (ExpiredToken); log in to AWS again: aws sts get-caller-identity must answer",
      },
    },
    {
      name: "AccessDenied",
      answer: {
        kind: "none",
        text: "STS denied the role arn:role: name Lookout's role in its trust policy, and allow that role sts:AssumeRole on it (AccessDenied)",
      },
    },
    { name: "TimeoutError", answer: { kind: "none", text: "STS does not answer (TimeoutError)", isTransient: true } },
  ])("are missing for $name, with a remedy", async ({ name, answer }) => {
    const failing = () => Promise.reject(Object.assign(new Error("canary"), { name }));

    expect(await tokensAt([0], failing)(false)).toEqual(answer);
  });
});
