import { describe, expect, it } from "vitest";
import { lines, lookout } from "../world.ts";

const select = (...typed: readonly string[]) => lookout(["policy", "elect", ...typed], {});

describe("lookout policy elect", () => {
  it("shows the selected tag, and the reasons of the rejected tags", async () => {
    const { stdout, exitCode } = await select(
      "--range",
      ">=1",
      "--current",
      "1.2.0",
      "1.2.0",
      "1.3.0",
      "main",
      "dev",
      "2.0.0-rc.1",
    );

    expect(stdout).toBe(
      lines(
        "✓ 1.3.0 is selected in place of 1.2.0.",
        "  rejected: 2 not a version (main, dev)",
        "  rejected: 1 pre-release (2.0.0-rc.1)",
      ),
    );
    expect(exitCode).toBe(0);
  });

  it("shows that the running tag stays, or the selection without a running tag", async () => {
    expect((await select("--current", "1.2.0", "1.2.0")).stdout).toBe(lines("✓ 1.2.0 stays."));
    expect((await select("1.2.0")).stdout).toBe(lines("✓ 1.2.0 is selected."));
  });

  it("shows the reason if no tag is selected, and ends with 1", async () => {
    const { stdout, exitCode } = await select("--current", "1.2.0", "1.1.0");

    expect(stdout).toBe(
      lines(
        "✗ Every matching tag is older than the running tag.",
        "  rejected: 1 older than the running image (1.1.0)",
      ),
    );
    expect(exitCode).toBe(1);
  });

  it.each([
    ["--policy latest a=2026-11-21T00:00:00Z b=2026-11-20T00:00:00+01:00", "a"],
    ["--policy regex --pattern ^b a=2026-11-21T00:00:00Z b=2026-11-20T00:00:00Z", "b"],
    ["--policy alphabetical --order desc a b c", "a"],
    ["--policy numerical --pattern ^main-(\\d+)$ --extract $1 main-9 main-10 main-x", "main-10"],
    ["--exclude 2* --include 1.0* --include 2* 1.0.0 1.1.0 2.0.0", "1.0.0"],
    ["--current 2.0.0 --allow-downgrade 1.0.0", "1.0.0"],
    ["--allow-prerelease 1.0.0 1.1.0-rc.1", "1.1.0-rc.1"],
    ["--policy digest --current main main dev", "main"],
    ["--policy digest --current main dev", ""],
  ])("tries any policy: %s → %s", async (typed, winner) => {
    expect((await select("-o", "name", ...typed.split(" "))).stdout).toBe(winner === "" ? "" : lines(winner));
  });

  it("requires tags", async () => {
    expect((await select("--range", ">=1")).stderr).toContain("The tags are missing: add the tags to select from.");
  });

  it("prints the answer of the batch", async () => {
    expect(JSON.parse((await select("-o", "json", "1.2.0", "main")).stdout)).toEqual({
      ok: true,
      outcome: "elected",
      tag: "1.2.0",
      digest: null,
      extracted: null,
      attributes: { tag: "1.2.0" },
      rejected: [{ tag: "main", reason: "not-a-version" }],
    });
  });

  it.each([
    ["--range >>1", '">>1": not a range (character 2).'],
    ["--policy regex", "--policy regex needs a --pattern."],
    ["--policy latest --range 1", "--range has no effect on this policy: remove --range."],
    ["--order asc 1.0.0", "--order has no effect on this policy: remove --order."],
    [
      "--policy latest --allow-prerelease",
      "--allow-prerelease has no effect on this policy: remove --allow-prerelease.",
    ],
    ["--extract $1 1.0.0", '"$1": not a template (a template needs a pattern with groups).'],
  ])("rejects invalid input: %s", async (typed, sentence) => {
    expect(await select(...typed.split(" "))).toMatchObject({
      exitCode: 2,
      stdout: "",
      stderr: lines(`✗ ${sentence}`),
    });
  });

  it.each([
    [
      "--current 1.2.0@sha256:ab 1.2.1",
      '--current: "1.2.0@sha256:ab" is not a tag.',
      "Expected: at most 128 letters, ",
    ],
    ["--policy latest =2026-11-21T00:00:00Z", '"=2026-11-21T00:00:00Z" has no tag.', ""],
    [
      "--policy latest a=2026-11-21T00:00:00Z=b",
      '"2026-11-21T00:00:00Z=b" is not an instant.',
      "Expected for example: ",
    ],
    ["--policy latest a=", '"" is not an instant.', "Expected for example: "],
  ])("ignores no argument: %s", async (typed, sentence, advice) => {
    const { stdout, stderr, exitCode } = await select(...typed.split(" "));

    expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 2 });
    expect(stderr.startsWith(`✗ ${sentence}\n${advice === "" ? "" : `  ${advice}`}`)).toBe(true);
  });

  it("rejects an invalid instant", async () => {
    expect(await select("--policy", "latest", "a=today")).toMatchObject({
      exitCode: 2,
      stderr: lines('✗ "today" is not an instant.', "  Expected for example: 2026-11-21T00:30:00Z"),
    });
  });
});
