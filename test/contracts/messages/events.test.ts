import { describe, expect, it } from "vitest";
import { commandSchemas } from "#contracts/messages/commands";
import { imagePushedSchema, isOfNewerVersion } from "#contracts/messages/event-schemas";
import { ecrPushTransform, eventDetail } from "#contracts/messages/events";
import type { ImagePushed } from "#domain/image/push";
import { epochMs } from "#domain/shared/time";
import type { Fact } from "#domain/update/events";

const push: ImagePushed = {
  name: "ImagePushed",
  id: "p1",
  registry: "ghcr.io",
  repository: "shop/api",
  tag: "1.2.0",
  digest: `sha256:${"a1".repeat(32)}`,
  source: "webhook generic",
  at: epochMs(1_790_000_000_000),
};

describe("a fact on the bus", () => {
  const fact: Fact = {
    ...{ name: "RolledBack", id: "u/17/42/RolledBack", uid: "u", seq: 17, version: 42, changes: [], reasons: [] },
    workload: { cluster: "prod", namespace: "shop", kind: "Deployment", name: "api" },
    at: epochMs(1_790_000_000_000),
  };

  it("has its version and its words, so that rules of users need no code", () => {
    expect(eventDetail(fact)).toEqual({
      ...{ schemaVersion: 1, ...fact },
      ...{ severity: "error", outcome: "rolled-back", text: expect.stringContaining("prod/shop/api: ") as string },
    });
  });

  it("reaches a channel as it is without the bus", () => {
    const command = { name: "Deliver", channel: "audit", fact: eventDetail(fact) };

    expect(commandSchemas.Deliver.parse(command)).toEqual({ ...command, fact });
  });

  it.each([undefined, "fact", {}, { ...fact, id: 7 }, { ...fact, at: "2026-09-21T14:13:20Z" }])(
    "is refused in a delivery if it is none: %j",
    (wrong) => {
      const command = { name: "Deliver", channel: "audit", fact: wrong };

      expect(commandSchemas.Deliver.safeParse(command).success).toBe(false);
    },
  );
});

describe("a push on the bus", () => {
  it("has its version, and is read as it was published", () => {
    expect(eventDetail(push)).toEqual({ schemaVersion: 1, ...push });
    expect(imagePushedSchema.parse(eventDetail(push))).toEqual(push);
  });

  it("is read without unknown members of a newer Lookout", () => {
    expect(imagePushedSchema.parse({ ...eventDetail(push), signedBy: "someone" })).toEqual(push);
  });

  it("is refused with a namespace but no place to continue", () => {
    const page = { ...eventDetail(push), within: "prod/shop/" };
    const after = "prod/shop/deployment/api";

    expect(imagePushedSchema.safeParse(page).success).toBe(false);
    expect(imagePushedSchema.parse({ ...page, after })).toEqual({ ...push, after, within: "prod/shop/" });
  });

  it("accepts an instant in AWS's form", () => {
    const { at } = imagePushedSchema.parse({ ...eventDetail(push), at: "2026-09-21T14:13:20Z" });
    expect(at).toBe(push.at);
  });

  it("has no digest if the digest is empty, because a transform can't omit it", () => {
    const { digest, ...rest } = push;
    expect(imagePushedSchema.parse({ ...eventDetail(push), digest: "" })).toEqual(rest);
  });

  it.each([
    "us-east-1.evil.example",
    "us-east-1/",
    "us-east-1:443",
    "us-east-1@evil.example",
    "evil",
    "",
    "us-east",
    "US-EAST-1",
    "us-east-1\n",
    "169.254.169.254",
  ])("of ECR with the invalid region %j is refused, because the region becomes a host", (region) => {
    const registry = `123456789012.dkr.ecr.${region}.amazonaws.com`;

    expect(imagePushedSchema.safeParse({ ...eventDetail(push), source: "ecr", registry }).success).toBe(false);
  });

  it.each(["us-east-1", "us-gov-west-1", "ap-southeast-5", "us-isob-east-1", "eusc-de-east-1"])(
    "of ECR in the region %s is accepted",
    (region) => {
      const registry = `123456789012.dkr.ecr.${region}.amazonaws.com`;

      expect(imagePushedSchema.parse({ ...eventDetail(push), source: "ecr", registry })).toEqual({
        ...push,
        ...{ source: "ecr", registry },
      });
    },
  );

  it.each([
    { because: "it says no version", body: push },
    { because: "it names no repository", body: { ...eventDetail(push), repository: "" } },
    { because: "its instant is not one", body: { ...eventDetail(push), at: "yesterday" } },
    { because: "its instant has no zone", body: { ...eventDetail(push), at: "2026-09-21T14:13:20" } },
    { because: "it is another event", body: { ...eventDetail(push), name: "UpdateHeld" } },
  ])("is refused when $because", ({ body }) => {
    expect(imagePushedSchema.safeParse(body).success).toBe(false);
  });

  it.each([
    { body: { schemaVersion: 2 }, newer: true },
    { body: { schemaVersion: 1 }, newer: false },
    { body: { schemaVersion: "2" }, newer: false },
    { body: {}, newer: false },
    { body: "text", newer: false },
  ])("of a newer version ($body): $newer", ({ body, newer }) => {
    expect(isOfNewerVersion(body)).toBe(newer);
  });
});

describe("the transformed event of ECR", () => {
  it("names the repository as images of its account, region and partition do", () => {
    expect(JSON.parse(ecrPushTransform("amazonaws.com.cn").template)).toEqual({
      schemaVersion: 1,
      name: "ImagePushed",
      id: "<id>",
      registry: "<account>.dkr.ecr.<region>.amazonaws.com.cn",
      repository: "<repository>",
      tag: "<tag>",
      digest: "<digest>",
      source: "ecr",
      at: "<time>",
    });
  });

  it("has a path for each variable of its template, and no other", () => {
    const { paths, template } = ecrPushTransform("amazonaws.com");
    const variables = [...template.matchAll(/<([a-z]+)>/g)].map(([, name]) => name);
    expect(new Set(variables)).toEqual(new Set(Object.keys(paths)));
  });
});
