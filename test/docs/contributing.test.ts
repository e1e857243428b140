import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "..", "..");
const tracked = execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8" }).split("\n");

interface Task {
  readonly name: string;
  readonly files: readonly string[];
}

/** Each task begins with a row that has a name; the rows below it name further files. */
const tasks = readFileSync(resolve(root, "CONTRIBUTING.md"), "utf8")
  .split("## Where to make a change")[1]!
  .split("\n\n")[1]!
  .split("\n")
  .slice(2)
  .reduce<readonly Task[]>((read, row) => {
    const [, name = "", text = ""] = row.split("|").map((cell) => cell.trim());
    const files = [...text.matchAll(/`([^`]+)`/g)].map(([, file = ""]) => file);
    const last = read.at(-1);
    return name === "" && last !== undefined
      ? [...read.slice(0, -1), { name: last.name, files: [...last.files, ...files] }]
      : [...read, { name, files }];
  }, []);

const matching = (file: string): readonly string[] => {
  const pattern = new RegExp(`^${file.replaceAll(/[.[\]]/g, "\\$&").replaceAll(/<[a-z-]+>/g, "[a-z0-9-]+")}$`);
  return tracked.filter((path) => pattern.test(path));
};

describe("the table of tasks", () => {
  it("has the eight tasks", () => {
    expect(tasks.map(({ name }) => name)).toEqual([
      "A gate",
      "A webhook receiver",
      "A registry with own API",
      "A notification channel",
      "A workload kind",
      "A function",
      "A verb with an API path",
      "A stored item",
    ]);
  });

  it.each(tasks)("names files that exist for: $name", ({ files }) => {
    expect(files.filter((file) => matching(file).length === 0)).toEqual([]);
    expect(files).not.toEqual([]);
  });

  it.each(tasks)("names three files at most for: $name", ({ files }) => {
    expect(files.length).toBeLessThanOrEqual(3);
  });
});
