/** Opens a state file at an instant, says what became of that, and keeps the file open until its input ends. */
import { once } from "node:events";
import { existsSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { openStateFile } from "#adapters/sqlite/state-file";

const [path = "", at = ""] = process.argv.slice(2);
while (Date.now() < Number(at));
const opened = openStateFile(path, "abc123");
// The other starts of this moment have come to an end by then.
await pause(300);
if (opened.kind === "refused") console.log(opened.why);
else console.log(existsSync(path) ? "open, and state.db is there" : "open, and state.db is gone");
await once(process.stdin.resume(), "end");
