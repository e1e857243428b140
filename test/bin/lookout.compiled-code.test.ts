import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { project } from "#test/docs/markdown";

it("a command keeps its compiled code beside the program, and in no folder that others share", () => {
  const tellsFolder = `import { getCompileCacheDir } from "node:module";
    process.on("exit", () => console.log(getCompileCacheDir()));`;
  const onExit = `data:text/javascript,${encodeURIComponent(tellsFolder)}`;

  const printed = execFileSync(process.execPath, ["--import", onExit, `${project}/bin/lookout.js`, "--version"], {
    ...{ encoding: "utf8", env: { PATH: process.env.PATH } },
  });

  const [version = "", folder = ""] = printed.split("\n");
  expect(version).toMatch(/^lookout \d/);
  expect(folder.startsWith(`${project}/node_modules/.cache/lookout/`)).toBe(true);
});
