/** Measures a local process while one unfreeze releases many updates. `--write` puts the figures into docs/benchmarks.md. */
import { execFile, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { writeSections } from "../../tools/page-sections.ts";
import { conditionsOf } from "./conditions.ts";
import { rowOf, tableOf } from "./figures.ts";
import type { ReleaseNews } from "./release-server.ts";

const [held, slots, namespaces] = [5_000, 50, 10];
const conditions = conditionsOf(undefined);
const run = promisify(execFile);

const program = new URL("release-server.ts", import.meta.url);
const server = fork(program, [held, slots, namespaces].map(String), { stdio: "inherit" });
const [ready] = (await once(server, "message")) as [Extract<ReleaseNews, { kind: "ready" }>];
const waits: number[] = [];
const ended = new Promise<Extract<ReleaseNews, { kind: "ended" }>>((resolve) => {
  server.on("message", (news: ReleaseNews) => {
    if (news.kind === "patched") waits.push(news.waitMs);
    if (news.kind === "ended") resolve(news);
  });
});

const lookout = fileURLToPath(new URL("../../bin/lookout.js", import.meta.url));
async function status(): Promise<number> {
  const begins = performance.now();
  await run(process.execPath, [lookout, "status", "--server", ready.url], {
    env: { ...process.env, LOOKOUT_TOKEN: ready.token },
    maxBuffer: 1e8,
  });
  return performance.now() - begins;
}

const before = [await status(), await status(), await status()];
server.send("watch");
const headers = { authorization: `Bearer ${ready.token}` };
const begins = performance.now();
const answer = await fetch(`${ready.url}/v1/freezes/prod`, { method: "DELETE", headers });
const unfreezeMs = performance.now() - begins;
if (!answer.ok) throw new Error(await answer.text());
const during: number[] = [];
for (;;) {
  const ms = await Promise.race([ended.then(() => undefined), status().catch(() => undefined)]);
  if (ms === undefined) break;
  during.push(ms);
}
const { seconds, most, memoryMb } = await ended;
await once(server, "exit");

const table = tableOf([
  rowOf("the unfreeze", [unfreezeMs]),
  rowOf(`all ${held.toLocaleString("en")} updates have succeeded`, [seconds], "s"),
  rowOf("most updates at once", [most], ""),
  rowOf("another namespace: push to patch", waits),
  rowOf("lookout status before, the whole process", before),
  rowOf("lookout status meanwhile, the whole process", during),
  rowOf("memory of the local process", [memoryMb], "MB"),
]);
const text = `${conditions}\n\n${table}`;
if (process.argv.includes("--write")) await writeSections("benchmarks.md", { release: text });
process.stdout.write(`${text}\n`);
