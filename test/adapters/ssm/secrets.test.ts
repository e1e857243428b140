import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { keptSecrets } from "#adapters/shared/kept-secrets";
import { managedSecrets } from "#adapters/secrets-manager/secrets";
import { parameterSecrets } from "#adapters/ssm/secrets";
import { receiversWithSecrets } from "#adapters/webhook/receivers";
import type { SecretRead } from "#ports/secrets";
import { type AwsEndpoint, awsEndpoint, type AwsReply } from "#test/adapters/aws-endpoint";
import { stoppedClock } from "#test/stopped-clock";

let aws: AwsEndpoint;
let reply: AwsReply;
beforeEach(async () => {
  vi.stubEnv("AWS_ACCESS_KEY_ID", "OWNKEY");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "canary");
  vi.stubEnv("AWS_REGION", "eu-central-1");
  aws = await awsEndpoint(() => reply);
});
afterEach(() => aws.close());

describe("a secret in a parameter of SSM", () => {
  it("is read decrypted, without the line break at its end", async () => {
    reply = { json: { Parameter: { Value: "hunter2\n" } } };

    expect(await parameterSecrets()("/lookout/a")).toEqual({ kind: "secret", value: "hunter2" });
    expect(aws.asked.map(({ input }) => input)).toEqual([{ Name: "/lookout/a", WithDecryption: true }]);
  });

  it.each([
    {
      answer: { error: "ParameterNotFound" },
      why: "SSM has no parameter /lookout/a: aws ssm put-parameter --type SecureString --name /lookout/a --value file:///dev/stdin",
    },
    {
      answer: { error: "AccessDeniedException" },
      why: "SSM denied access to the parameter /lookout/a: allow ssm:GetParameter on it, and kms:Decrypt on its key (AccessDeniedException)",
    },
    { answer: { json: { Parameter: { Value: " " } } }, why: "the parameter /lookout/a of SSM is empty" },
  ])("is missing with a remedy: $why", async ({ answer, why }) => {
    reply = answer;

    expect(await parameterSecrets()("/lookout/a")).toEqual({ kind: "missing", why });
  });

  it("can be read again after SSM fails", async () => {
    reply = { error: "InternalServerError" };

    await expect(parameterSecrets()("/lookout/a")).rejects.toMatchObject({ name: "TransientError" });
  });
});

describe("a secret of Secrets Manager", () => {
  it("is read by its name, or is missing with a remedy", async () => {
    reply = { json: { SecretString: "hunter2" } };
    expect(await managedSecrets()("lookout/a")).toEqual({ kind: "secret", value: "hunter2" });

    reply = { error: "ResourceNotFoundException" };
    expect(await managedSecrets()("lookout/a")).toEqual({
      kind: "missing",
      why: "Secrets Manager has no secret lookout/a: aws secretsmanager create-secret --name lookout/a --secret-string file:///dev/stdin",
    });
  });
});

describe("a cached secret", () => {
  it("is read again after five minutes, or after ten seconds if it is missing", async () => {
    const answers: SecretRead[] = [
      { kind: "missing", why: "not there" },
      { kind: "secret", value: "one" },
      { kind: "secret", value: "two" },
    ];
    let ms = 0;
    const read = keptSecrets(
      async () => answers.shift() ?? { kind: "missing", why: "asked too often" },
      () => ms,
    );
    const seen: SecretRead[] = [];
    for (const at of [0, 9_999, 10_000, 309_999, 310_000]) {
      ms = at;
      seen.push(await read("a"));
    }

    expect(seen.map((one) => ("value" in one ? one.value : one.why))).toEqual([
      "not there",
      "not there",
      "one",
      "one",
      "two",
    ]);
  });
});

describe("a secret with many callers", () => {
  it.each([
    { what: "it is there", answer: { kind: "secret", value: "s" } },
    { what: "it is missing", answer: { kind: "missing", why: "not there" } },
  ] satisfies { what: string; answer: SecretRead }[])("is read once when $what", async ({ answer }) => {
    let asked = 0;
    const read = keptSecrets(async () => {
      asked += 1;
      return answer;
    });

    const seen = await Promise.all(Array.from({ length: 10 }, () => read("a")));

    expect({ asked, seen }).toEqual({ asked: 1, seen: Array.from({ length: 10 }, () => answer) });
  });

  it("is read again after a failure", async () => {
    const answers = [Promise.reject(new Error("away")), Promise.resolve<SecretRead>({ kind: "secret", value: "s" })];
    const read = keptSecrets(() => answers.shift() ?? Promise.reject(new Error("asked too often")));

    await expect(read("a")).rejects.toThrow("away");
    expect(await read("a")).toEqual({ kind: "secret", value: "s" });
  });
});

describe("a receiver without a secret", () => {
  it("rejects all webhooks, and logs why; others work", async () => {
    const receivers = receiversWithSecrets(
      [
        { name: "hub", kind: "distribution" },
        { name: "lost", kind: "distribution" },
      ],
      async ({ name }) =>
        name === "hub" ? { kind: "secret", value: "a-secret-of-the-hub" } : { kind: "missing", why: "there is none" },
      stoppedClock,
    );
    const request = {
      method: "POST",
      headers: { authorization: "Bearer a-secret-of-the-hub" },
      query: {},
      body: Buffer.from('{"events":[]}'),
    };

    const [hub, lost] = [await receivers.receiver("hub"), await receivers.receiver("lost")];

    expect([(await hub?.receive(request))?.kind, hub?.secretProblem]).toEqual(["ignored", undefined]);
    expect([(await lost?.receive(request))?.kind, lost?.secretProblem]).toEqual(["unauthorized", "there is none"]);
    expect(await receivers.receiver("other")).toBeUndefined();
  });
});
