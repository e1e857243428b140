/**
 * For each line of its input, opens a state file at an instant, and prints whether the file is open
 * or why it is refused. The files stay open until the input ends.
 */
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { openStateFile } from "#adapters/sqlite/state-file";

for await (const line of createInterface({ input: process.stdin })) {
  const [at = "", path = ""] = line.split("\t");
  while (Date.now() < Number(at));
  const opened = openStateFile(path, "abc123");
  // The other starts of this moment have come to an end by then.
  await pause(300);
  if (opened.kind === "refused") console.log(opened.why);
  else console.log(existsSync(path) ? "open, and state.db is there" : "open, and state.db is gone");
}
