import { describe, expect, it } from "vitest";
import { describedByConfig } from "#adapters/shared/image-content";

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

  it("may be no configuration at all", () => {
    expect(describedByConfig(Buffer.from("<html>"))).toEqual({});
  });
});
