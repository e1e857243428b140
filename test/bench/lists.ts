/** Measures the lists of a local process with many workloads. `--write` puts the figures into docs/benchmarks.md. */
import { execFile, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { writeSections } from "../../tools/page-sections.ts";
import { conditionsOf } from "./conditions.ts";
import { rowOf, tableOf } from "./figures.ts";
import type { ListsServer } from "./lists-server.ts";

const workloads = 10_000;
const requests = 110;
const starts = 3;
const conditions = conditionsOf(undefined);
const run = promisify(execFile);

const server = fork(new URL("lists-server.ts", import.meta.url), [String(workloads)], { stdio: "inherit" });
const [{ url, token }] = (await once(server, "message")) as [ListsServer];
const headers = { authorization: `Bearer ${token}`, "accept-encoding": "gzip" };

/** Asks for a list, and returns the time to its last byte. */
async function timed(query: string): Promise<number> {
  const begins = performance.now();
  const response = await fetch(`${url}/v1/workloads?${query}`, { headers });
  if (response.status !== 200) throw new Error(await response.text());
  await response.arrayBuffer();
  return performance.now() - begins;
}

async function times(query: (index: number) => string): Promise<readonly number[]> {
  const all: number[] = [];
  for (let index = 0; index < requests; index += 1) all.push(await timed(query(index)));
  return all.slice(10);
}

function p95(all: readonly number[]): readonly number[] {
  return [all.toSorted((one, other) => one - other)[Math.floor(all.length * 0.95)] ?? 0];
}

const row = "view=row&limit=100";
const first = await times(() => row);
const held = await times(() => `${row}&state=held&sort=since`);
const found = await times((index) => `${row}&q=app-${index}&selector=tier%3Dweb`);
const whole = await times(() => "limit=100");
const asked = await fetch(`${url}/v1/workloads?${row}`, { headers });
const bytes = (await asked.text()).length;
const status: number[] = [];
const lookout = fileURLToPath(new URL("../../bin/lookout.js", import.meta.url));
for (let index = 0; index < starts; index += 1) {
  const begins = performance.now();
  await run(process.execPath, [lookout, "status", "--server", url], {
    env: { ...process.env, LOOKOUT_TOKEN: token },
    maxBuffer: 1e8,
  });
  status.push(performance.now() - begins);
}
server.send("count");
const [{ memoryMb }] = (await once(server, "message")) as [{ readonly memoryMb: number }];
server.send("stop");
await once(server, "exit");

const table = tableOf([
  rowOf("a page of 100 rows", first),
  rowOf("a page of 100 rows: p95", p95(first)),
  rowOf("100 rows by state, oldest first: p95", p95(held)),
  rowOf("100 rows by name and label: p95", p95(found)),
  rowOf("a page of 100 whole workloads: p95", p95(whole)),
  rowOf("a page of 100 rows, in kilobytes of JSON", [bytes / 1_000], ""),
  rowOf("lookout status, the whole process", status),
  rowOf("memory of the local process", [memoryMb], "MB"),
]);
const text = `${conditions}\n\n${table}`;
if (process.argv.includes("--write")) await writeSections("benchmarks.md", { lists: text });
process.stdout.write(`${text}\n`);
