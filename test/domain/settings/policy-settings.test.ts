import { describe, expect, it } from "vitest";
import { parseSettings } from "#domain/settings/settings";
import { electFor } from "#domain/wish";
import { annotated } from "../builders.ts";

const app = { list: "containers", name: "app", image: "nginx:1.27.0" } as const;

/** What the annotations of a workload make its container elect; `=` before a tag that stays. */
function elected(written: Record<string, string>, tags: readonly string[]): string {
  const settings = parseSettings(annotated(written), [app]);
  expect(settings.problems).toEqual([]);
  const election = electFor(app, settings.containers.app!, tags);
  if (election.kind === "none") return election.reason;
  return election.kind === "unchanged" ? `=${election.tag}` : election.tag;
}

describe("settings that say which tag is run", () => {
  it.each([
    {
      written: { "exclude-tags": "*.1, 1.3?.*" },
      tags: ["1.28.0", "1.28.1", "1.30.0"],
      wins: "1.28.0",
      because: "excluded tags are none",
    },
    {
      written: { "include-tags": "1.28.*,2.*" },
      tags: ["1.28.0", "1.29.0"],
      wins: "1.28.0",
      because: "one of the globs has to match",
    },
    {
      written: { "include-tags": "*", "exclude-tags": "*" },
      tags: ["1.28.0"],
      wins: "no-tag-fits",
      because: "what is excluded is not included",
    },
    {
      written: { policy: "digest", "exclude-tags": "1.27.*" },
      tags: [],
      wins: "no-tag-fits",
      because: "an excluded tag is not followed",
    },
    { written: { policy: "alphabetical" }, tags: ["1.28.0", "1.9.0"], wins: "1.9.0", because: "texts are compared" },
    { written: { policy: "numerical" }, tags: ["7", "12"], wins: "12", because: "numbers are compared" },
    {
      written: { "exclude-tags": "*", "container.app.exclude-tags": "2.*" },
      tags: ["1.28.0", "2.0.0"],
      wins: "1.28.0",
      because: "what a container has of its own wins",
    },
  ])("$written → $wins: $because", ({ written, tags, wins }) => {
    expect(elected(written as Record<string, string>, tags)).toBe(wins);
  });

  it("are told in one text", () => {
    const textOf = (written: Record<string, string>) =>
      parseSettings(annotated(written), [app]).containers.app?.policyText;

    expect(textOf({ "semver-range": ">=1", "include-tags": "1.*,2.*", "exclude-tags": "*-debug" })).toBe(
      "semver >=1, include 1.* 2.*, exclude *-debug",
    );
    expect(textOf({ policy: "numerical", "exclude-tags": "*0" })).toBe("numerical, exclude *0");
  });
});
