import { describe, expect, it } from "vitest";
import { pauseMsOf, rateLimitOf } from "#adapters/oci/rate-limit";

describe("the limit of a registry's headers", () => {
  it.each([
    [
      "of Docker Hub",
      { "ratelimit-limit": "100;w=21600", "ratelimit-remaining": "76;w=21600" },
      { limit: 100, remaining: 76 },
    ],
    ["of the older draft", { "ratelimit-remaining": "3", "ratelimit-reset": "30" }, { remaining: 3, resetMs: 30_000 }],
    ["of the newer draft", { ratelimit: '"default";r=0;t=30' }, { remaining: 0, resetMs: 30_000 }],
    [
      "of GitHub",
      {
        "x-ratelimit-limit": "60",
        "x-ratelimit-remaining": "0",
        "x-ratelimit-reset": "1795262430",
        date: "Sat, 21 Nov 2026 12:00:00 GMT",
      },
      { limit: 60, remaining: 0, resetMs: 30_000 },
    ],
    ["that is no number", { "ratelimit-remaining": "-1", "ratelimit-reset": "soon" }, {}],
    ["that is absent", {}, {}],
  ])("%s is parsed", (_, headers, expected) => {
    expect(rateLimitOf(new Map(Object.entries(headers)))).toEqual(expected);
  });

  it("stops requests only when nothing remains, for a minute without a reset time", () => {
    expect(pauseMsOf(new Map([["ratelimit-remaining", "1"]]))).toBeUndefined();
    expect(pauseMsOf(new Map([["ratelimit-remaining", "0;w=21600"]]))).toBe(60_000);
    expect(
      pauseMsOf(
        new Map([
          ["ratelimit-remaining", "0"],
          ["ratelimit-reset", "5"],
        ]),
      ),
    ).toBe(5_000);
  });
});
