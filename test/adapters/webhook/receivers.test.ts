import { describe, expect, it } from "vitest";
import { pushReceivers, receiversWithSecrets, secretProblem } from "#adapters/webhook/receivers";
import { requestOf } from "./fixtures.ts";
import { stoppedClock } from "#test/stopped-clock";

describe("the receivers", () => {
  const receivers = pushReceivers(
    [
      { name: "harbour", kind: "distribution", secret: "one-secret-of-the-harbour" },
      { name: "build", kind: "generic", secret: "two-secrets-of-the-build" },
    ],
    stoppedClock,
  );

  it("are found by their names, and have a kind", async () => {
    expect((await receivers.receiver("harbour"))?.source).toBe("webhook distribution");
    expect((await receivers.receiver("build"))?.source).toBe("webhook generic");
  });

  it.each(["", "Harbour", "constructor", "__proto__"])("have no entry for %j", async (name) => {
    expect(await receivers.receiver(name)).toBeUndefined();
  });
});

describe("the secret of a receiver", () => {
  const rejects = "receiver build rejects all webhooks";
  const make = "Generate a secret: openssl rand -hex 32";

  it.each([
    [
      "of 15 characters",
      "distribution",
      "123456789-12345",
      `${rejects}: a secret is shorter than 16 characters. ${make}`,
    ],
    ["of 16 characters", "distribution", "123456789-123456", undefined],
    ["that is missing", "ghcr", undefined, `${rejects}: there is no secret`],
    ["that is blank", "ghcr", " \n ".repeat(20), `${rejects}: there is no secret`],
    [
      "with a short password",
      "zot",
      "a-long-user-name:opensesame",
      `${rejects}: a password is shorter than 16 characters. ${make}`,
    ],
    ["with a long password", "zot", "user:a-password:of-30-letters", undefined],
    [
      "as a header with a short password",
      "distribution",
      `Basic ${btoa("a-long-user-name:opensesame")}`,
      `${rejects}: a secret is shorter than 16 characters. ${make}`,
    ],
    ["as a header with a long password", "distribution", `basic ${btoa("user:a-password-of-30-letters")}`, undefined],
    [
      "as a header with a short token",
      "distribution",
      "Bearer s1",
      `${rejects}: a secret is shorter than 16 characters. ${make}`,
    ],
    [
      "and a short next one",
      "ghcr",
      "a-secret-of-the-build\ns1",
      `${rejects}: a secret is shorter than 16 characters. ${make}`,
    ],
    ["and the next one", "ghcr", "a-secret-of-the-build\r\nthe-next-of-the-build\n", undefined],
    [
      "and two others",
      "ghcr",
      "a-secret-of-the-build\nthe-next-of-the-build\nthe-third-of-the-build",
      `${rejects}: there are more than 2 secrets: keep the one in use and the next, each on its line`,
    ],
  ] as const)("%s is accepted or rejected at the start of Lookout: %s", async (_, kind, secret, expected) => {
    const settings = { name: "build", kind, secret };
    const receiver = await pushReceivers([settings], stoppedClock).receiver("build");
    const body = { name: "ghcr.io/team/app", tag: "1.0" };
    const authorization = /^(?:basic|bearer) /i.test(secret ?? "") ? secret : `Bearer ${secret ?? ""}`;

    expect(secretProblem(settings)).toBe(expected);
    expect(receiver?.secretProblem).toBe(expected);
    expect((await receiver?.receive(requestOf(body, { authorization: authorization ?? "" })))?.kind).toBe(
      expected === undefined && kind === "distribution" ? "invalid" : "unauthorized",
    );
  });

  it("in AWS that is too short is rejected too, and affects no other receiver", async () => {
    const all = [
      { name: "short", kind: "dockerhub" },
      { name: "long", kind: "dockerhub" },
      { name: "missing", kind: "dockerhub" },
    ] as const;
    const receivers = receiversWithSecrets(
      all,
      async ({ name }) =>
        name === "missing"
          ? { kind: "missing", why: "there is no parameter" }
          : { kind: "secret", value: name === "long" ? "a-secret-of-docker-hub" : "s1" },
      stoppedClock,
    );
    const problems = await Promise.all(all.map(async ({ name }) => (await receivers.receiver(name))?.secretProblem));

    expect(problems).toEqual([
      `receiver short rejects all webhooks: a secret is shorter than 16 characters. ${make}`,
      undefined,
      "there is no parameter",
    ]);
  });
});
