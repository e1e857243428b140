import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Row, rowOf, spreadOf } from "./figures.ts";
import { mixedRange, mixedTags } from "./mixed-tags.ts";

const program = join(import.meta.dirname, "../../bin/lookout.js");
const [few, many] = [10_000, 100_000];
const linesAtOnce = 1_000;

/** The figures of one batch. */
interface Batch {
  /** The rate after the first answers, without the start of the program. */
  readonly linesPerSecond: number;
  readonly peakMegabytes: number;
}

const verbs = {
  "image parse": (number: number): object => ({ reference: `ghcr.io/owner/app-${number % 100}:v1.2.${number}` }),
  "policy elect": (number: number): object => ({
    policy: { kind: "semver", range: mixedRange },
    current: { tag: "v1.2.0" },
    tags: [...mixedTags(10)].map((tag) => `${tag}${number % 7}`),
  }),
};

/** Runs both batch verbs over many and over few lines. Returns their rates and their memory. */
export async function batches(rounds: number): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const [verb, lineOf] of Object.entries(verbs)) {
    const [ofFew, ofMany]: [Batch[], Batch[]] = [[], []];
    for (let round = 0; round < rounds; round += 1) {
      ofFew.push(await run(verb, few, lineOf));
      ofMany.push(await run(verb, many, lineOf));
    }
    const peaks = [ofFew, ofMany].map((all) => all.map(({ peakMegabytes }) => peakMegabytes));
    const [peakOfFew = [], peakOfMany = []] = peaks;
    const speeds = ofMany.map(({ linesPerSecond }) => linesPerSecond);
    rows.push(
      rowOf(`${verb} --batch of 100,000 lines`, speeds, "lines/s"),
      rowOf("peak memory", peakOfMany, "MB"),
      rowOf("ratio to that of 10,000 lines", [spreadOf(peakOfMany).median / spreadOf(peakOfFew).median], "×"),
    );
  }
  return rows;
}

/**
 * Runs a verb over lines, no faster than the program reads. Measures its memory before the end of
 * the input.
 */
async function run(verb: string, lines: number, lineOf: (number: number) => object): Promise<Batch> {
  const child = spawn(process.execPath, [program, ...verb.split(" "), "--batch"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  if (child.pid === undefined) throw new Error(`could not start ${program}`);
  const answers = { count: 0, first: 0, last: 0, countAtFirst: 0 };
  const all = new Promise<void>((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`${verb} ended with ${code} after ${answers.count} answers`)));
    child.stdout.on("data", (piece: Buffer) => {
      answers.count += piece.toString("latin1").split("\n").length - 1;
      answers.last = performance.now();
      if (answers.first === 0) [answers.first, answers.countAtFirst] = [answers.last, answers.count];
      if (answers.count === lines) resolve();
    });
  });
  for (let from = 0; from < lines; from += linesAtOnce) {
    const some = Array.from({ length: linesAtOnce }, (_, index) => `${JSON.stringify(lineOf(from + index))}\n`);
    if (!child.stdin.write(some.join(""))) await new Promise((resolve) => child.stdin.once("drain", resolve));
  }
  await all;
  const peakMegabytes = await peakOf(child.pid);
  child.removeAllListeners("exit");
  child.stdin.end();
  const seconds = (answers.last - answers.first) / 1_000;
  return { linesPerSecond: (answers.count - answers.countAtFirst) / seconds, peakMegabytes };
}

/** Returns the peak memory of a process, from the Linux kernel. */
async function peakOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  const kilobytes = /^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1];
  if (kilobytes === undefined) throw new Error("the kernel does not report the peak memory");
  return Number(kilobytes) / 1_024;
}
