import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { type History, playHistory } from "./history.ts";

type Ended = Omit<History, "story">;

const help = `Plays histories in simulated time, on all cores. Ends with 1 if a rule is broken.

  --histories N  the number of histories; default: 2000
  --events N     the number of events of each; default: 200
  --from N       the first seed; default: 1
  --seed N       play only this history, and print its story
  --tiers        lookout.yaml has tiers in all of them; default: in a third
  --definitions  definitions in the cluster count in all of them; default: in a fifth`;

interface Share {
  readonly from: number;
  readonly until: number;
  readonly step: number;
  readonly events: number;
  readonly has: Has;
}

/** What all histories have. Absent: some have it. */
interface Has {
  readonly tiers?: true;
  readonly definitions?: true;
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Plays one history and prints its story. */
async function tell(seed: number, events: number, has: Has): Promise<void> {
  const { story, broken } = await playHistory({ seed, events, told: true, ...has });
  for (const line of story) say(line);
  say(broken.length === 0 ? "All rules hold." : `Broken:\n${broken.join("\n")}`);
  process.exitCode = broken.length === 0 ? 0 : 1;
}

/** Plays a share of the histories in a separate thread. */
async function playShare({ from, until, step, events, has }: Share): Promise<void> {
  for (let seed = from; seed < until; seed += step) {
    const { broken, counts } = await playHistory({ seed, events, ...has });
    parentPort?.postMessage({ seed, broken, counts } satisfies Ended);
  }
}

/** Plays many histories on all cores and prints their results. */
async function playMany(from: number, histories: number, events: number, has: Has): Promise<void> {
  const started = performance.now();
  const wrong: Ended[] = [];
  const sum = { runs: 0, versions: 0, patches: 0, jumps: 0 };
  let played = 0;
  const hear = ({ seed, broken, counts }: Ended): void => {
    played += 1;
    for (const key of ["runs", "versions", "patches", "jumps"] as const) sum[key] += counts[key];
    if (broken.length > 0) {
      wrong.push({ seed, broken, counts });
      say(`seed ${seed}: ${broken.map((what) => what.slice(0, 300)).join("\n  ")}`);
    }
    if (played % 500 === 0 || played === histories) say(`${played} of ${histories}, ${rate(played, started)}`);
  };
  const step = Math.min(availableParallelism(), histories);
  const shares = Array.from({ length: step }, (_, index) => ({
    from: from + index,
    until: from + histories,
    step,
    events,
    has,
  }));
  await Promise.all(shares.map((share) => playElsewhere(share, hear)));
  const found = wrong.length === 0 ? "no rule was broken" : `${wrong.length} broke a rule`;
  say(
    `${histories} histories of ${events} events: ${sum.runs} runs, ${sum.versions} versions of records, ${sum.patches} patches, ${sum.jumps} jumps of the clock; ${found}`,
  );
  const flags = Object.keys(has)
    .map((flag) => ` --${flag}`)
    .join("");
  const [first] = wrong.toSorted((one, other) => one.seed - other.seed);
  if (first === undefined) return;
  say(`Read one with: npm run simulate -- --seed ${first.seed} --events ${events}${flags}`);
  process.exitCode = 1;
}

function playElsewhere(share: Share, hear: (ended: Ended) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: share });
    worker.on("message", hear);
    worker.on("error", reject);
    worker.on("exit", () => resolve());
  });
}

function rate(played: number, started: number): string {
  return `${Math.round((played * 1_000) / (performance.now() - started))} histories per second`;
}

if (isMainThread) {
  const { values } = parseArgs({
    options: {
      seed: { type: "string" },
      histories: { type: "string", default: "2000" },
      events: { type: "string", default: "200" },
      from: { type: "string", default: "1" },
      tiers: { type: "boolean" },
      definitions: { type: "boolean" },
      help: { type: "boolean" },
    },
  });
  const events = Number(values.events);
  const has: Has = {
    ...(values.tiers === true ? { tiers: true } : {}),
    ...(values.definitions === true ? { definitions: true } : {}),
  };
  if (values.help === true) say(help);
  else if (values.seed === undefined) await playMany(Number(values.from), Number(values.histories), events, has);
  else await tell(Number(values.seed), events, has);
} else await playShare(workerData as Share);
