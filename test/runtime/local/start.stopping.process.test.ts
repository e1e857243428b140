import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openScratch, type Scratch } from "#test/docs/shell";

const patience = 60_000;
const lookout = `${process.execPath} bin/lookout.js`;
const start = `${lookout} start --listen 127.0.0.1:0 --output text --data state`;
const unread = "! stopping: the output was closed. To run without a reader, write the output to a file\n";

let scratch: Scratch;
beforeAll(() => {
  scratch = openScratch({});
});
afterAll(() => scratch.close(), patience);

/** What a running process leaves in its state folder. */
function leftBehind(): readonly string[] {
  return readdirSync(join(scratch.folder, "state")).filter((name) => ["server.json", "state.db-wal"].includes(name));
}

it(
  "a start whose output has no reader stops in order, reports this and ends with 3",
  async () => {
    const { stdout, stderr } = await scratch.run(`${start} | head -1 >/dev/null; echo "\${PIPESTATUS[0]}"`);
    expect([stdout, stderr, leftBehind()]).toEqual(["3\n", unread, []]);
  },
  patience,
);

it(
  "a start whose output and error stream have no reader ends with 3 too",
  async () => {
    const { stdout } = await scratch.run(`${start} 2>&1 | head -1 >/dev/null; echo "\${PIPESTATUS[0]}"`);
    expect([stdout, leftBehind()]).toEqual(["3\n", []]);
  },
  patience,
);

it(
  "a tour whose output has no reader ends with 3",
  async () => {
    const { stdout, stderr } = await scratch.run(`${lookout} demo | head -1 >/dev/null; echo "\${PIPESTATUS[0]}"`);
    expect([stdout, stderr]).toEqual(["3\n", unread]);
  },
  patience,
);

it(
  "any other command whose output has no reader ends with 0",
  async () => {
    const { stdout, stderr } = await scratch.run(`${lookout} config | true; echo "\${PIPESTATUS[0]}"`);
    expect([stdout, stderr]).toEqual(["0\n", ""]);
  },
  patience,
);

it(
  "a start whose terminal closes stops in order and ends with 0",
  async () => {
    const whenUp = "until [ -e state/server.json ]; do sleep 0.1; done";
    const { stdout, stderr } = await scratch.run(`${start} >said & ${whenUp}; kill -HUP $!; wait $!; echo "ended $?"`);
    expect([stdout, stderr.split("\n")[0], leftBehind()]).toEqual(["ended 0\n", "stopping", []]);
  },
  patience,
);
