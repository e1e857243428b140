import { describe, expect, it } from "vitest";
import { passedOver } from "#domain/policy/passed-over";
import type { SelectionRule } from "#domain/policy/policy";

const rule: SelectionRule = { policy: { kind: "semver", allowPrerelease: false }, allowDowngrade: false };
const current = { tag: "1.0.0" };
const tags = ["1.0.0", "1.3.0", { name: "1.2.0" }, "1.1.0", "2.0.0-rc.1", "main", "1.3.0"];
const over = (selected: string, of: typeof tags = tags, running: { tag?: string } = current) =>
  passedOver(rule, running, of, selected);

describe("the tags that a selection passed over", () => {
  it("are the preferred tags, each once", () => {
    expect(over("1.1.0")).toEqual([
      { tag: "1.3.0", reason: "passed-over" },
      { tag: "1.2.0", reason: "passed-over" },
    ]);
    expect(over("1.2.0")).toEqual([{ tag: "1.3.0", reason: "passed-over" }]);
  });

  it("are none if the policy selects the same tag, or nothing", () => {
    expect(over("1.3.0")).toEqual([]);
    expect(over("main", tags, { tag: "main" })).toEqual([]);
  });

  it("are compared with a selected tag that is not listed", () => {
    expect(over("1.2.0", ["1.3.0", "1.1.0"])).toEqual([{ tag: "1.3.0", reason: "passed-over" }]);
  });
});
