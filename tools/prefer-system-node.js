// Unlinks the bundled Node if PATH has Node 24 or newer, because npm puts node_modules/.bin first
// on the PATH of scripts. This file is plain JavaScript, because `npm ci` runs the file with any
// version of Node.
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { delimiter } from "node:path";

const neededMajor = 24;

const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => !folder.includes("node_modules"));
const system = spawnSync("node", ["--version"], {
  env: { ...process.env, PATH: folders.join(delimiter) },
  encoding: "utf8",
});
if (Number.parseInt((system.stdout ?? "").slice(1), 10) >= neededMajor)
  rmSync("node_modules/.bin/node", { force: true });
