import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { receiverOf } from "#adapters/webhook/receivers";
import type { ReceiverKind } from "#contracts/config/receiver-kinds";
import { requestOf } from "#test/adapters/webhook/fixtures";
import { lines, lookout } from "../world.ts";

const body = JSON.stringify({
  repository: "shop/api",
  docker_url: "quay.io/shop/api",
  updated_tags: ["1.0", "latest"],
});

async function parse(typed: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const stdin = async function* () {
    yield body;
  };
  return lookout(["webhook", "parse", ...typed], {}, { stdin, environment });
}

describe("lookout webhook parse", () => {
  it("shows the pushed image", async () => {
    const { stdout, exitCode } = await parse(["--receiver", "quay", "-"]);

    expect(stdout).toBe(
      lines(
        "REGISTRY   REPOSITORY   TAGS          DIGEST   PUSHED AT   BY",
        "quay.io    shop/api     1.0, latest   –        –           –",
      ),
    );
    expect(exitCode).toBe(0);
  });

  it("lists each tag by name", async () => {
    expect((await parse(["--receiver", "quay", "-", "-o", "name"])).stdout).toBe(
      lines("quay.io/shop/api:1.0", "quay.io/shop/api:latest"),
    );
  });

  it("reports a header that HTTP does not allow", async () => {
    const { stdout, exitCode } = await parse(["--receiver", "quay", "--header", "a b: c", "-"]);

    expect(stdout).toBe("invalid (400): no server would accept this request\n");
    expect(exitCode).toBe(1);
  });

  it("reports the reason if there is no push, and ends with 1", async () => {
    const { stdout, exitCode } = await parse(["--receiver", "dockerhub", "-"]);

    expect(stdout).toBe("invalid (400): expected push_data and repository as JSON\n");
    expect(exitCode).toBe(1);
  });

  const digest = `sha256:${"a1".repeat(32)}`;
  const hostless: Readonly<Record<string, { readonly body: object; readonly headers?: readonly string[] }>> = {
    acr: { body: { action: "push", target: { repository: "app", tag: "1" } } },
    cdevents: {
      body: {
        context: { type: "dev.cdevents.artifact.published.0.2.0" },
        subject: { id: `pkg:oci/app@${digest}` },
      },
    },
    distribution: {
      body: {
        events: [
          {
            action: "push",
            target: { mediaType: "application/vnd.oci.image.index.v1+json", repository: "app", digest, tag: "1" },
          },
        ],
      },
    },
    generic: { body: { name: "team/app", tag: "1" } },
    gitea: {
      headers: ["X-Gitea-Event: package"],
      body: {
        action: "created",
        package: { type: "container", name: "app", version: "1", owner: { login: "org" } },
      },
    },
    harbor: { body: { type: "PUSH_ARTIFACT", event_data: { resources: [{ resource_url: "/app", tag: "1" }] } } },
    jfrog: {
      body: { domain: "docker", event_type: "pushed", data: { repo_key: "r", path: "app/1/manifest.json", tag: "1" } },
    },
    msr: { body: { type: "TAG_PUSH", contents: { namespace: "team", repository: "app", tag: "1" } } },
  };

  it.each(Object.entries(hostless))(
    "of a notification of %s without a host gives the reason of a receiver without registry, and ends with 1",
    async (kind, { body: sent, headers = [] }) => {
      const stdin = async function* () {
        yield JSON.stringify(sent);
      };
      const typed = ["webhook", "parse", "--receiver", kind, ...headers.flatMap((one) => ["--header", one]), "-"];
      const receiver = await receiverOf({ name: "own", kind: kind as ReceiverKind }, () => undefined);
      const received = await receiver.receive(
        requestOf(sent, Object.fromEntries(headers.map((one) => one.split(": ") as [string, string]))),
      );
      const { stdout, exitCode } = await lookout(typed, {}, { stdin });
      const known = await lookout([...typed, "--registry", "R.example.com", "-o", "json"], {}, { stdin });

      expect(received).toMatchObject({ kind: "invalid", refusal: "no-registry" });
      const { reason } = received as Extract<typeof received, { kind: "invalid" }>;
      expect(reason).toMatch(/the event names no host: set registry of this receiver in lookout\.yaml$/);
      expect([stdout, exitCode]).toEqual([`invalid (${kind === "distribution" ? 202 : 400}): ${reason}\n`, 1]);
      expect(JSON.parse(known.stdout)).toMatchObject({ outcome: "push", pushes: [{ registry: "r.example.com" }] });
      expect(known.exitCode).toBe(0);
    },
  );

  it("shows a registry as configured for a kind that needs registry in lookout.yaml", async () => {
    const stdin = async function* () {
      yield JSON.stringify({ action: "CREATED", component: { format: "docker", name: "app", version: "1" } });
    };
    const header = "X-Nexus-Webhook-Id: rm:repository:component";
    const { stdout, exitCode } = await lookout(
      ["webhook", "parse", "--receiver", "nexus", "--header", header, "-"],
      {},
      { stdin },
    );

    expect(stdout).toBe(
      lines(
        "REGISTRY        REPOSITORY   TAGS   DIGEST   PUSHED AT   BY",
        "as configured   app          1      –        –           –",
      ),
    );
    expect(exitCode).toBe(0);
  });

  it("checks the secret of a variable, in the address and in headers", async () => {
    const secret = { S: "s3cret" };
    const signature = createHmac("sha256", "s3cret").update(body).digest("hex");
    const inAddress = await parse(["--receiver", "quay", "--secret-env", "S", "--query", "secret=s3cret", "-"], secret);
    const wrong = await parse(["--receiver", "quay", "--secret-env", "S", "--query", "secret=other", "-"], secret);
    const header = `X-Gitea-Signature: ${signature}`;
    const signed = [
      "--receiver",
      "gitea",
      "--secret-env",
      "S",
      "--header",
      header,
      "--header",
      "X-Gitea-Event: push",
      "-",
    ];

    expect(inAddress.exitCode).toBe(0);
    expect(wrong.stdout).toBe("unauthorized (401): the query parameter secret does not match the receiver's secret\n");
    expect((await parse(signed, secret)).stdout).toBe("ignored (202): the event is not about a package\n");
  });

  it.each([
    [["-"], "✗ The kind of receiver is missing: add --receiver with a kind, for example --receiver ghcr."],
    [["--receiver", "quay"], "✗ The file with the body is missing: name a file, or - for stdin."],
    [["--receiver", "quay", "no-such-file.json"], "no-such-file.json: the file does not exist."],
    [
      ["--receiver", "quay", "--secret-env", "S", "-"],
      "✗ The variable S is not set. Its value must be the receiver's secret.",
    ],
    [["--receiver", "quay", "-", "--header", "a"], '"a" is not a header.'],
    [["--receiver", "quay", "-", "--registry", "https://r.test"], '"https://r.test" is not a registry\'s host.'],
  ])("reports the missing part of %j", async (typed, message) => {
    const { stderr, exitCode } = await parse(typed);

    expect(stderr).toContain(message);
    expect(exitCode).toBe(2);
  });
});
