import { randomUUID } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { writeSections } from "../../tools/page-sections.ts";
import { type Stage, setStage } from "../cluster/stage.ts";
import { type Row, tableOf } from "./figures.ts";
import { createFleet, pushToAll } from "./fleet.ts";
import { measureGrowth } from "./growth.ts";
import { type Passage, pushOneByOne, rowsOf } from "./one.ts";
import { conditionsOf } from "./conditions.ts";
import { type Timeline, timelineOf } from "./timeline.ts";
import type { TracedRequest } from "./trace.ts";

const parts = ["one", "tracked", "all", "growth"] as const;
type Part = (typeof parts)[number];

const help = `Measures the time of a push, on a real control plane and a real registry.

  --only ${parts.join("|")}   only one part
  --pushes N     pushes that count for one and tracked, 20
  --rounds N     pushes for all, 3
  --moves N      moves for growth, 100000
  --trace        also prints the requests of the middle push of one, which the measured process then writes down
  --note TEXT    what else is to be said of the machine
  --write        puts the figures of these parts into docs/benchmarks.md; with --trace the sums of the requests instead`;

const fleetSize = 500;

/** The slots that one namespace may not take. The whole fleet is in one namespace. */
const slotsOfOtherNamespaces = 5;
const warmUp = 2;

interface Options {
  readonly wanted: readonly Part[];
  readonly pushes: number;
  readonly rounds: number;
  readonly moves: number;
  readonly trace: boolean;
}

const say = (text: string): void => void process.stderr.write(`${text}\n`);

/** The rows of each measured part. */
type Figures = Partial<Record<Part, readonly Row[]>>;

async function measureOnStage(
  { wanted, pushes, rounds }: Options,
  stage: Stage,
  passages: Passage[],
): Promise<Figures> {
  const figures: Figures = {};
  const one = async (part: Part, series: number): Promise<readonly Passage[]> => {
    const pushed = await pushOneByOne(stage, { counted: pushes, warmUp, series }, say);
    figures[part] = rowsOf(pushed, warmUp, series === 1);
    return pushed.slice(warmUp);
  };
  await stage.tracked("api");
  if (wanted.includes("one")) passages.push(...(await one("one", 1)));
  if (wanted.includes("tracked") || wanted.includes("all")) await createFleet(stage, 0, fleetSize - 1, say);
  if (wanted.includes("tracked")) await one("tracked", 2);
  if (wanted.includes("all")) {
    await createFleet(stage, fleetSize - 1, fleetSize, say);
    figures.all = await pushToAll(stage, fleetSize, rounds, say);
  }
  for (const error of stage.lookout.errors.slice(0, 5)) say(`Lookout said: ${error}`);
  return figures;
}

/**
 * Runs the parts that need the stage. With a trace, it also returns the timeline of pushes to one
 * workload.
 */
async function onStage(options: Options): Promise<{ readonly figures: Figures; readonly timeline?: Timeline }> {
  const file = join(tmpdir(), `lookout-bench-${randomUUID()}.json`);
  if (options.trace) {
    process.env.LOOKOUT_BENCH_TRACE = file;
    process.env.NODE_OPTIONS = `--import=${new URL("trace.ts", import.meta.url).href}`;
  }
  const passages: Passage[] = [];
  // All rollouts may run at once here, so that only the writes in flight limit them.
  const stage = await setStage({ limits: { maxConcurrentRollouts: fleetSize + slotsOfOtherNamespaces } });
  let figures: Figures;
  try {
    figures = await measureOnStage(options, stage, passages);
  } finally {
    await stage.stop();
  }
  if (!options.trace) return { figures };
  const requests = JSON.parse(await readFile(file, "utf8")) as readonly TracedRequest[];
  await rm(file);
  return passages.length === 0 ? { figures } : { figures, timeline: timelineOf(requests, passages) };
}

function optionsOf(values: Readonly<Record<string, string | boolean | undefined>>): Options {
  const { only, trace } = values;
  const wanted = parts.filter((part) => only === undefined || part === only);
  if (wanted.length === 0) throw new Error(`--only ${String(only)}: expected ${parts.join(", ")}`);
  const [pushes, rounds, moves] = (["pushes", "rounds", "moves"] as const).map((name) => {
    const number = Number(values[name]);
    if (!Number.isInteger(number) || number < 1) throw new Error(`--${name} ${String(values[name])}: expected a count`);
    return number;
  });
  return { wanted, pushes: pushes ?? 0, rounds: rounds ?? 0, moves: moves ?? 0, trace: trace === true };
}

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    pushes: { type: "string", default: "20" },
    rounds: { type: "string", default: "3" },
    moves: { type: "string", default: "100000" },
    note: { type: "string" },
    trace: { type: "boolean" },
    write: { type: "boolean" },
    help: { type: "boolean" },
  },
});

// The child processes end only if this process exits by itself.
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => {
    process.exit(1);
  });

if (values.help === true) console.log(help);
else {
  const options = optionsOf(values);
  const conditions = conditionsOf(values.note);
  const staged = options.wanted.some((part) => part !== "growth") ? await onStage(options) : { figures: {} };
  const grown = options.wanted.includes("growth") ? { growth: await measureGrowth(options.moves, say) } : {};
  const tables = Object.entries({ ...staged.figures, ...grown }).map(
    ([part, rows]) => [part, `${conditions}\n\n${tableOf(rows)}`] as const,
  );
  for (const [, table] of tables) console.log(`${table}\n`);
  if (staged.timeline !== undefined) console.log(`\n${staged.timeline.middle}\n\n${staged.timeline.sums}`);
  if (values.write === true)
    await writeSections(
      "benchmarks.md",
      staged.timeline === undefined ? Object.fromEntries(tables) : { timeline: staged.timeline.sums },
    );
}
