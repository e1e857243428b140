import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openScratch, type Scratch } from "#test/docs/shell";

const patience = 60_000;
const lookout = `${process.execPath} bin/lookout.js`;
const start = `${lookout} start --listen 127.0.0.1:0 --output text --data state`;
/**
 * Starts with a reader that ends after the first line. Pushes let the process write again, because on a busy
 * machine all its first lines are written before the reader has ended. Prints the exit code of the process.
 */
const unreadStart = (streams: string) =>
  [
    `(n=0; while :; do ${lookout} push shop/api:1.3.$((n += 1)) --data state; sleep 0.2; done) >pushed 2>&1 & pusher=$!`,
    `${start} ${streams} | head -1 >/dev/null; echo "\${PIPESTATUS[0]}"`,
    "{ kill $pusher; wait $pusher; } 2>/dev/null; true",
  ].join("\n");
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
    const { stdout, stderr } = await scratch.run(unreadStart(""));
    expect([stdout, stderr, leftBehind()]).toEqual(["3\n", unread, []]);
  },
  patience,
);

it(
  "a start whose output and error stream have no reader ends with 3 too",
  async () => {
    const { stdout } = await scratch.run(unreadStart("2>&1"));
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
