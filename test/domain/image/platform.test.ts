import { describe, expect, it } from "vitest";
import { missingPlatforms } from "#domain/image/platform";

describe("the platforms that an image lacks", () => {
  it.each([
    { wanted: ["linux/amd64"], offered: ["linux/amd64", "linux/arm64"], missing: [] },
    { wanted: ["linux/arm64", "linux/amd64"], offered: ["linux/amd64"], missing: ["linux/arm64"] },
    { wanted: ["linux/arm64"], offered: ["linux/arm64/v8"], missing: [] },
    { wanted: ["linux/arm64/v8"], offered: ["linux/arm64"], missing: [] },
    { wanted: ["linux/arm"], offered: ["linux/arm/v6"], missing: [] },
    { wanted: ["linux/arm/v7"], offered: ["linux/arm/v6", "linux/arm"], missing: ["linux/arm/v7"] },
    { wanted: ["linux/amd64"], offered: ["linux/amd64/v3"], missing: ["linux/amd64"] },
    { wanted: ["linux/amd64"], offered: ["linux/amd64/v1"], missing: [] },
    { wanted: ["linux/arm"], offered: ["linux/arm64"], missing: ["linux/arm"] },
    { wanted: ["windows/amd64"], offered: ["linux/amd64"], missing: ["windows/amd64"] },
    { wanted: ["linux/amd64"], offered: [], missing: ["linux/amd64"] },
    { wanted: [], offered: [], missing: [] },
  ])("are $missing of $wanted, when it has $offered", ({ wanted, offered, missing }) => {
    expect(missingPlatforms(wanted, offered)).toEqual(missing);
  });
});
