import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { httpPost } from "#adapters/http-post/post";
import { parseConfiguration } from "#contracts/config/configuration";
import { questionJson, readReply } from "#contracts/messages/check";
import { epochMs } from "#domain/shared/time";
import { change } from "#test/channels/sending";
import { checksOfProcess } from "#runtime/checks";
import { blocksOf, page } from "./markdown.ts";

const checks = page("docs/checks.md");
const blocks = (of: string) => blocksOf(checks).flatMap(({ language, text }) => (language === of ? [text] : []));
const [question = "", answer = ""] = blocks("json");

const asked = (tag: string) => {
  const digest = (digit: string) => `sha256:${digit.repeat(64)}`;
  const replaced = { from: "registry.example.com/shop/api:1.0.0", fromDigest: digest("0") };
  return {
    when: "release" as const,
    update: { seq: 7, detectedAt: epochMs(Date.parse("2026-11-28T01:00:00Z")), source: "webhook distribution" },
    workload: { cluster: "prod", namespace: "shop", kind: "Deployment", name: "api" } as const,
    changes: [{ ...change, imageName: "registry.example.com/shop/api", ...replaced, tag, digest: digest("1") }],
    at: epochMs(Date.parse("2026-11-28T01:00:01Z")),
  };
};

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

describe("the page of checks", () => {
  it.each(blocks("yaml"))("has a valid example: %#", (text) => {
    expect(parseConfiguration(parse(text))).toMatchObject({ ok: true });
  });

  it("shows the question that is sent, and an answer that is read", () => {
    expect(JSON.parse(question)).toEqual(questionJson("image-scan", "abc123", asked("1.1.0")));
    expect(readReply({ status: 200, headers: {}, body: answer })).toEqual({
      ...{ kind: "answered", allow: false, reason: "2 critical findings", validFor: 600_000 },
    });
  });

  it("has a program of 15 lines that answers", async () => {
    const [code = ""] = blocks("js");
    expect(code.split("\n").filter((line) => line !== "").length).toBeLessThanOrEqual(15);
    const port = await freePort();
    const arguments_ = ["--input-type=module", "-e", code.replace("8080", String(port))];
    const program = spawn(process.execPath, arguments_, { stdio: ["ignore", "pipe", "inherit"] });
    try {
      const parsed = parseConfiguration(parse((blocks("yaml")[1] ?? "").replace("8080", String(port))));
      if (!parsed.ok) throw new Error("the example is invalid");
      const made = checksOfProcess(parsed.value, {
        post: httpPost({ isServerless: false }),
        readSecret: () => Promise.resolve({ kind: "missing", why: "there is none" }),
        installation: () => Promise.resolve("abc123"),
      });
      await expect
        .poll(() => made.ask("patch-releases", asked("1.1.1")), { timeout: 10_000 })
        .toMatchObject({
          allow: true,
        });
      expect(await made.ask("patch-releases", asked("1.1.0"))).toEqual({
        ...{ kind: "answered", allow: false, reason: "waits for the first patch release", validFor: 60_000 },
      });
    } finally {
      program.kill();
    }
  });

  it("has at most 900 words", () => {
    expect(checks.text.split(/[\s|]+/).length).toBeLessThanOrEqual(900);
  });
});
