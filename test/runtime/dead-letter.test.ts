import { describe, expect, it } from "vitest";
import { minutes } from "#domain/shared/time";
import { keptError, letterAgain, letterBody, letterIn } from "#runtime/dead-letter";

const evaluation = JSON.stringify({
  ...{ name: "EvaluateWorkload", id: "1", source: "sync" },
  workload: { cluster: "prod", namespace: "shop", kind: "Deployment", name: "api" },
});

describe("a letter whose handling failed", () => {
  it("is tried again after a pause that doubles, and is then kept", () => {
    const pauses: number[] = [];
    let last = letterBody({ body: evaluation, why: "a bug" });
    for (let again = letterAgain(letterIn(last)); again !== undefined; again = letterAgain(letterIn(last))) {
      pauses.push(again.pause);
      last = again.body;
    }

    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 360].map(minutes));
    expect(letterIn(last)).toEqual({ body: evaluation, why: "a bug", timesFailed: 10 });
  });
});

describe("the line about a kept message", () => {
  it.each([
    { body: evaluation, subject: "EvaluateWorkload of prod/shop/deployment/api" },
    { body: JSON.stringify({ name: "SyncCluster", id: "1", cluster: "prod" }), subject: "SyncCluster" },
    { body: '{"name":"secret"}', subject: "a message" },
    { body: "{", subject: "a message" },
  ])("names its subject and not its content: $subject", ({ body, subject }) => {
    expect(keptError({ body, why: "a bug" }).message).toBe(`Lookout does not retry ${subject}: a bug`);
  });

  it("is short", () => {
    expect(keptError({ body: "{", why: "x".repeat(10_000) }).message).toHaveLength(635);
  });
});
