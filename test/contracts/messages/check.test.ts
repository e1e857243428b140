import { describe, expect, it } from "vitest";
import { questionJson, readReply } from "#contracts/messages/check";
import { epochMs, hours, minutes, seconds } from "#domain/shared/time";
import { change } from "#test/channels/sending";

const reply = (body: unknown, status = 200, type = "application/json") =>
  readReply({
    status,
    headers: { "content-type": type },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
const answered = { kind: "answered", allow: true, reason: "", validFor: minutes(5) };

describe("the answer of a check", () => {
  it.each([
    [{ allow: true }, answered],
    [
      { allow: false, reason: " 2 findings\n" },
      { ...answered, allow: false, reason: "2 findings" },
    ],
    [
      { allow: true, retryAfter: "2h" },
      { ...answered, validFor: hours(2) },
    ],
    [
      { allow: true, retryAfter: 90 },
      { ...answered, validFor: seconds(90) },
    ],
    [
      { allow: true, retryAfter: 0 },
      { ...answered, validFor: seconds(30) },
    ],
    [
      { allow: true, retryAfter: "1ms" },
      { ...answered, validFor: seconds(30) },
    ],
    [
      { allow: true, retryAfter: 1e300 },
      { ...answered, validFor: hours(24) },
    ],
    [
      { allow: true, retryAfter: "30d" },
      { ...answered, validFor: hours(24) },
    ],
    [{ allow: true, reason: null, retryAfter: null, more: {} }, answered],
  ])("%j is read", (body, expected) => {
    expect(reply(body)).toEqual(expected);
  });

  it.each([
    ["", 200, "its answer is empty, or longer than 16 KiB"],
    ["{", 200, "its answer is not JSON, but application/json"],
    ["[]", 200, "its answer is not as expected: it must be a mapping with allow"],
    ["null", 200, "its answer is not as expected: it must be a mapping with allow"],
    [{ allow: 1 }, 200, "its answer is not as expected: allow must be true or false"],
    [{ allow: "yes" }, 200, "its answer is not as expected: allow must be true or false"],
    [{ allow: true, reason: 7 }, 200, "its answer is not as expected: reason must be a text"],
    [
      { allow: true, retryAfter: -1 },
      200,
      'its answer is not as expected: retryAfter must be seconds, or a duration such as "5m"',
    ],
    [{ allow: true }, 201, "it answered 201, and not 200"],
    [{ allow: true }, 404, "it answered 404, and not 200"],
    ["", 301, "it redirects (301), and Lookout follows no redirect: write the new address into lookout.yaml"],
  ])("%j with status %d is none: %s", (body, status, why) => {
    expect(reply(body, status)).toEqual({ kind: "unanswered", why });
  });

  it("shows a reason of at most 300 characters, without characters that terminals obey", () => {
    const { reason } = reply({ allow: false, reason: `\u001b[31m${"x".repeat(1_000)}\ud83d` }) as { reason: string };
    expect(reason).toHaveLength(300);
    expect(reason).toMatch(/^�\[31mx+…$/);
  });
});

describe("a question", () => {
  it("names the update, its workload and each change", () => {
    const workload = { cluster: "prod", namespace: "shop", kind: "Deployment", name: "api" } as const;
    const at = epochMs(Date.parse("2026-11-28T01:00:00Z"));
    const fromDigest = `sha256:${"0".repeat(64)}`;
    const update = { seq: 4, detectedAt: at, source: "sync" };
    const changes = [
      { ...change, fromDigest },
      { ...change, name: "side", from: "registry.test/shop/api" },
    ];

    expect(questionJson("scan", "abc123", { when: "bake", update, workload, changes, at })).toEqual({
      ...{ check: "scan", when: "bake", installation: "abc123", workload, at: "2026-11-28T01:00:00.000Z" },
      update: { seq: 4, detectedAt: "2026-11-28T01:00:00.000Z", source: "sync" },
      changes: [
        {
          ...{ container: "app", image: "registry.test/shop/api", tag: "1.1.0", digest: change.digest },
          ...{ fromTag: "1.0.0", fromDigest },
        },
        { container: "side", image: "registry.test/shop/api", tag: "1.1.0", digest: change.digest },
      ],
    });
  });
});
