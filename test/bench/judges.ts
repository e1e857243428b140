import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Row, rowOf, spreadOf } from "./figures.ts";
import { mixedRange, mixedTags } from "./mixed-tags.ts";

const folder = join(import.meta.dirname, "../judge");
const [few, many] = [10_000, 100_000];
const linesAtOnce = 1_000;

/** The figures of one process. */
interface Run {
  /** The rate after the first answers, without the start of the process. */
  readonly linesPerSecond: number;
  readonly peakMegabytes: number;
}

const lines = {
  "image.ts": (number: number): object => ({ reference: `ghcr.io/owner/app-${number % 100}:v1.2.${number}` }),
  "elect.ts": (number: number): object => ({
    policy: { kind: "semver", range: mixedRange },
    current: { tag: "v1.2.0" },
    tags: [...mixedTags(10)].map((tag) => `${tag}${number % 7}`),
  }),
};

/** Runs two judges over many and over few lines. Returns their rates and their memory. */
export async function judges(rounds: number): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const [script, lineOf] of Object.entries(lines)) {
    const [ofFew, ofMany]: [Run[], Run[]] = [[], []];
    for (let round = 0; round < rounds; round += 1) {
      ofFew.push(await run(script, few, lineOf));
      ofMany.push(await run(script, many, lineOf));
    }
    const peaks = [ofFew, ofMany].map((all) => all.map(({ peakMegabytes }) => peakMegabytes));
    const [peakOfFew = [], peakOfMany = []] = peaks;
    const speeds = ofMany.map(({ linesPerSecond }) => linesPerSecond);
    rows.push(
      rowOf(`test/judge/${script} over 100,000 lines`, speeds, "lines/s"),
      rowOf("peak memory", peakOfMany, "MB"),
      rowOf("ratio to that of 10,000 lines", [spreadOf(peakOfMany).median / spreadOf(peakOfFew).median], "×"),
    );
  }
  return rows;
}

/**
 * Runs a judge over lines, no faster than it reads. Measures its memory before the end of the input.
 */
async function run(script: string, count: number, lineOf: (number: number) => object): Promise<Run> {
  const child = spawn(process.execPath, [join(folder, script)], { stdio: ["pipe", "pipe", "inherit"] });
  if (child.pid === undefined) throw new Error(`could not start ${script}`);
  const answers = { count: 0, first: 0, last: 0, countAtFirst: 0 };
  const all = new Promise<void>((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`${script} ended with ${code} after ${answers.count} answers`)));
    child.stdout.on("data", (piece: Buffer) => {
      answers.count += piece.toString("latin1").split("\n").length - 1;
      answers.last = performance.now();
      if (answers.first === 0) [answers.first, answers.countAtFirst] = [answers.last, answers.count];
      if (answers.count === count) resolve();
    });
  });
  for (let from = 0; from < count; from += linesAtOnce) {
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
