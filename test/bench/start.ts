import { execFileSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { functionName, type Route, routes } from "#contracts/routes";
import { bundleFunctions } from "../../lib/functions/bundle.ts";
import { alignedText, writeSections } from "../../tools/page-sections.ts";
import { type Spread, spreadOf } from "./figures.ts";
import { conditionsOf } from "./conditions.ts";

const help = `Measures the import of each built function, compared with an empty process.

  --rounds N     starts of each function; default: 15
  --beside DIR   the dist/functions of another commit, started in the same rounds
  --note TEXT    a remark about the machine
  --write        puts the figures into docs/benchmarks.md`;

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "15" },
    beside: { type: "string" },
    note: { type: "string" },
    write: { type: "boolean" },
    help: { type: "boolean" },
  },
});

/** Returns the goal for the time that a function adds to an empty process. */
function goalMs({ reaches }: Route): number {
  return reaches.includes("clusters") ? 200 : 65;
}

/** Starts a process that imports a file. Returns its run time. */
function startMs(file: string): number {
  const begun = performance.now();
  execFileSync(process.execPath, [file], { stdio: "ignore" });
  return performance.now() - begun;
}

async function measure(rounds: number, beside: string | undefined): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "lookout-start-"));
  try {
    await bundleFunctions(folder);
    const empty = join(folder, "empty.mjs");
    await writeFile(empty, "");
    const builds = [folder, ...(beside === undefined ? [] : [resolve(beside)])];
    const files = [
      empty,
      ...routes.flatMap((route) => builds.map((build) => join(build, `${functionName(route)}.mjs`))),
    ];
    const taken = new Map<string, number[]>(files.map((file) => [file, []]));
    // The first round warms the file cache.
    files.forEach(startMs);
    for (let round = 0; round < rounds; round += 1) for (const [file, all] of taken) all.push(startMs(file));
    const takenBy = (build: string) => (file: string) => spreadOf(taken.get(join(build, file)) ?? []);
    return tableOf(takenBy(folder), beside === undefined ? undefined : takenBy(resolve(beside)));
  } finally {
    await rm(folder, { recursive: true });
  }
}

type TakenBy = (file: string) => Spread;

/**
 * Returns the table. Medians are compared with the goals. On a busy machine, the minimum says more.
 */
function tableOf(takenBy: TakenBy, takenByOthers?: TakenBy): string {
  const empty = takenBy("empty.mjs");
  const rows = (routes as readonly Route[]).map((route) => {
    const { median } = takenBy(`${functionName(route)}.mjs`);
    const more = [median - empty.median, goalMs(route)].map((ms) => ms.toFixed(0));
    const others = takenByOthers?.(`${functionName(route)}.mjs`).median;
    const ratio = others === undefined ? [] : [((median - empty.median) / (others - empty.median)).toFixed(2)];
    return [functionName(route), ...more, ...ratio];
  });
  const ratio = takenByOthers === undefined ? [] : ["times the others"];
  return alignedText([["function", "ms", "goal", ...ratio], ...rows]);
}

if (values.help === true) console.log(help);
else {
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error(`--rounds ${values.rounds}: expected a count`);
  const conditions = conditionsOf(values.note);
  const text = `${conditions}\n\n${await measure(rounds, values.beside)}`;
  console.log(text);
  if (values.write === true) await writeSections("benchmarks.md", { start: text });
}
