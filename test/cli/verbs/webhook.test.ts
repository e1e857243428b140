import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
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

  it("reports the reason if there is no push, and ends with 1", async () => {
    const { stdout, exitCode } = await parse(["--receiver", "dockerhub", "-"]);

    expect(stdout).toBe("invalid (400): expected push_data and repository as JSON\n");
    expect(exitCode).toBe(1);
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
  ])("reports the missing part of %j", async (typed, message) => {
    const { stderr, exitCode } = await parse(typed);

    expect(stderr).toContain(message);
    expect(exitCode).toBe(2);
  });
});
