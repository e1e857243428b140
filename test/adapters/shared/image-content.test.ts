import { describe, expect, it } from "vitest";
import { describedByConfig, platformsOf } from "#adapters/shared/image-content";

const described = (config: object) => describedByConfig(Buffer.from(JSON.stringify(config)));

describe("the configuration of an image", () => {
  it("shows its platform and the instant of its build", () => {
    expect(
      described({ os: "linux", architecture: "arm64", variant: "v8", created: "2026-01-02T03:04:05.678Z" }),
    ).toEqual({
      platform: "linux/arm64/v8",
      createdAt: Date.parse("2026-01-02T03:04:05.678Z"),
    });
  });

  it.each(["1970-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "1980-01-01T00:00:01Z", "yesterday", "", 12, null])(
    "shows no instant for the fixed or unreadable text %j",
    (created) => {
      expect(described({ os: "linux", architecture: "amd64", created })).toEqual({ platform: "linux/amd64" });
    },
  );

  it("shows the origin in its labels", () => {
    const Labels = { "org.opencontainers.image.revision": "9f8e7d6", "org.opencontainers.image.source": "ftp://x" };

    expect(described({ config: { Labels } })).toEqual({ origin: { revision: "9f8e7d6" } });
  });

  it.each([{ config: null }, { config: [] }, { config: { Labels: null } }, { config: { Labels: "x" } }, {}])(
    "shows no origin in %j",
    (config) => {
      expect(described(config)).toEqual({});
    },
  );

  it("may be no configuration at all", () => {
    expect(describedByConfig(Buffer.from("<html>"))).toEqual({});
  });
});

describe("a manifest", () => {
  const annotations = { "org.opencontainers.image.revision": "9f8e7d6" };
  const read = (document: object) => platformsOf(Buffer.from(JSON.stringify(document)));

  it.each([
    [
      "an index",
      { manifests: [{ digest: `sha256:${"a".repeat(64)}` }] },
      { platforms: [`sha256:${"a".repeat(64)}`], offers: [] },
    ],
    ["an image", { layers: [] }, { platforms: [] }],
  ])("shows the origin in the annotations of %s", (_, document, shown) => {
    expect(read({ ...document, annotations })).toEqual({ ...shown, origin: { revision: "9f8e7d6" } });
    expect(read({ ...document, annotations: "none" })).toEqual(shown);
  });
});
