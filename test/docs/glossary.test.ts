import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { project } from "./markdown.ts";

/** The words of the last column, and in which files they may stand: the page itself and decisions, which tell of their time. */
const retired = readFileSync(join(project, "docs/glossary.md"), "utf8")
  .split("\n")
  .filter((line) => line.startsWith("| ") && !line.startsWith("| word") && !line.startsWith("| ---"))
  .flatMap((line) => [...(line.split("|").at(-2) ?? "").matchAll(/`([^`]+)`/g)].map(([, word = ""]) => word));

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

describe("the glossary", () => {
  it("retires at least ten words", () => {
    expect(retired.length).toBeGreaterThan(10);
  });

  it.each(retired)("keeps %s out of names, messages and pages", (word) => {
    const whole = new RegExp(`(?<![\\w-])${word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![\\w-])`);
    expect(files.filter(({ text }) => whole.test(text)).map(({ file }) => file)).toEqual([]);
  });
});
