import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { page, project, proseOf } from "./markdown.ts";

/**
 * The names of the page in their order: a file, or a function with the file named last before it.
 */
const steps = [...proseOf(page("docs/how-it-works.md")).matchAll(/`((?:functions|src)\/[\w/-]+\.ts)`|`(\w+)\(\)`/g)];
const files = steps.flatMap(([, file]) => file ?? []);
const functions = steps.flatMap(([, , name], index) => {
  const file = steps.slice(0, index).findLast(([, path]) => path !== undefined)?.[1];
  return name === undefined ? [] : [{ name, file: file ?? "no file" }];
});

const update = "moved or renamed: say in docs/how-it-works.md where that step is now";

describe("the page that follows one push through the code", () => {
  it.each([...new Set(files)])("names %s, which exists", (file) => {
    expect(existsSync(join(project, file)), `${file} was ${update}`).toBe(true);
  });

  it.each(functions)("finds $name in $file", ({ name, file }) => {
    const text = existsSync(join(project, file)) ? readFileSync(join(project, file), "utf8") : "";

    expect(new RegExp(`\\bfunction ${name}\\b`).test(text), `${name} of ${file} was ${update}`).toBe(true);
  });

  it("begins at the webhook, and passes each stage", () => {
    const stages = files.flatMap((file) => /^functions\/(\w+)\//.exec(file)?.[1] ?? []);

    expect(files.find((file) => file.startsWith("functions/"))).toBe("functions/detect/registry-webhook.ts");
    expect(stages).toEqual(["detect", "evaluate", "rollout", "verify", "notify"]);
    expect(functions.length).toBeGreaterThan(15);
  });
});
