import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { project } from "./markdown.ts";

/** Words that docs/glossary.md replaces. */
const retired = [
  "elects",
  "election",
  "takes part",
  "take part again",
  "wishFor",
  '"intended"',
  "taken back",
  '"put-back"',
  "UpdateTakenBack",
  "UpdateRefused",
  "lookout lift",
  "refused-before",
  "HoldLifted",
  "Happening",
  "obstacleReasons",
  "VersionedWork",
  "openWork",
  "firstCommand",
  "contestOf",
  "newestContest",
  "fenceOf",
  "fenceLabel",
  "roster",
  "reaper-due",
  "work-given-up",
  "giveUp",
  "Bursts",
  "bursts",
  "lookAtGates",
  "lookNow",
  "look-again",
  "StandStill",
  "standing-still",
  "toAskAgain",
  "stillAsking",
  "leaveOrWait",
  "put-off",
  "isAnswered",
  "echoes",
  "tag-moves",
  "tagMoves",
  '"trouble"',
  "awsTrouble",
  "toldOf",
  "hearing",
] as const;

const files = execFileSync(
  "git",
  ["ls-files", "src", "cli", "lib", "functions", "docs", "README.md", "CONTRIBUTING.md"],
  {
    cwd: project,
    encoding: "utf8",
  },
)
  .split("\n")
  .filter((file) => /[.](ts|md)$/.test(file) && !/^docs\/(glossary[.]md|decisions\/)/.test(file))
  .map((file) => ({ file, text: readFileSync(join(project, file), "utf8") }));

/** Parts of retired words. `elect`, `elected` and their compounds stay: scripts use them. */
const retiredParts = [/(?<!s)election/i, /(?<!s)elects/i, /roster/i] as const;

describe("the glossary", () => {
  it.each(retiredParts)("keeps %s out of compounds too, in any case", (part) => {
    expect(files.filter(({ text }) => part.test(text)).map(({ file }) => file)).toEqual([]);
  });

  it.each(retired)("keeps %s out of names, messages and pages", (word) => {
    const whole = new RegExp(`(?<![\\w-])${word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![\\w-])`);
    expect(files.filter(({ text }) => whole.test(text)).map(({ file }) => file)).toEqual([]);
  });
});
