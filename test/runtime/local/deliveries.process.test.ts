import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { until } from "#test/cluster/bed/until";

const script = fileURLToPath(new URL("telling-process.ts", import.meta.url));
const facts = 20;
const retryAfterMs = 3_000;

let folder: string;
let server: Server;
/** What came, with the answer. */
let came: { readonly id: string; readonly status: number; readonly at: number }[];
let status: number;
const children: ChildProcess[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "lookout-told-"));
  came = [];
  status = 503;
  server = createServer((request, response) => {
    void text(request).then((id) => {
      came.push({ id, status, at: Date.now() });
      // A status of 0: the fact arrives, and no answer leaves.
      if (status === 0) return;
      response.writeHead(status, status === 200 ? {} : { "retry-after": String(retryAfterMs / 1_000) }).end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true, force: true });
});

async function started(published: number): Promise<ChildProcess> {
  const { port } = server.address() as AddressInfo;
  const path = join(folder, "state.db");
  const child = spawn(process.execPath, [script, path, `http://127.0.0.1:${port}`, String(published)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  await once(child.stdout, "data");
  return child;
}

async function killed(child: ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  await once(child, "exit");
}

/** Waits until a running process has no message left. */
async function nothingIsStored(child: ChildProcess): Promise<void> {
  for await (const said of child.stdout!) if (String(said).includes("nothing is stored")) return;
}

const taken = () => came.filter(({ status: answered }) => answered !== 503).map(({ id }) => id);
const allTold = () =>
  until("each fact is told", async () => (new Set(taken()).size === facts ? true : undefined), { timeoutMs: 80_000 });

it("a process that is killed while its receiver is down has each fact told by the next one, when its retry is due", async () => {
  const first = await started(facts);
  await until("a fact was tried", async () => (came.length > 0 ? true : undefined));
  // The process stores when the retry is due.
  await sleep(700);
  await killed(first);
  const tried = came[0]?.at ?? 0;
  status = 200;
  const second = await started(0);
  await allTold();
  await nothingIsStored(second);
  await killed(second);

  // The local queue tells a channel two facts at once.
  expect(taken().length - facts).toBeLessThanOrEqual(2);
  expect(
    Math.min(...came.filter(({ status: answered }) => answered === 200).map(({ at }) => at)) - tried,
  ).toBeGreaterThan(retryAfterMs - 500);
}, 120_000);

it("a process that is killed again and again while it tells loses no fact, and repeats what was on its way", async () => {
  status = 0;
  let child = await started(facts);
  const kills = 4;
  for (let times = 0; times < kills; times += 1) {
    const before = came.length;
    await until("a fact is on its way", async () => (came.length > before ? true : undefined));
    await killed(child);
    if (times === kills - 1) status = 200;
    child = await started(0);
  }
  await allTold();
  await nothingIsStored(child);
  await killed(child);

  // The local queue tells a channel two facts at once.
  expect(taken().length - facts).toBeLessThanOrEqual(2 * kills);
}, 120_000);
