import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { writeSections } from "../../tools/page-sections.ts";
import { conditionsOf } from "./conditions.ts";
import { type Row, rowOf, tableOf } from "./figures.ts";
import type { LoadCounts, LoadOrder } from "./load-lookout.ts";
import type { CallOrder, CallReport } from "./load-caller.ts";
import type { SendOrder, SentReport } from "./load-senders.ts";
import { repositories } from "./load-world.ts";

const help = `Sends webhooks at twice the rate that one process sustains; half of them are forged.

  --seconds N   the duration; default: 60
  --rate N      the sustained rate; default: the program searches the rate
  --note TEXT   a remark about the machine
  --write       write the figures to docs/benchmarks.md`;

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    rate: { type: "string" },
    note: { type: "string" },
    write: { type: "boolean" },
    help: { type: "boolean" },
  },
});

const say = (text: string): void => void process.stderr.write(`${text}\n`);
const start = (name: string): ChildProcess =>
  fork(new URL(`${name}.ts`, import.meta.url), { stdio: ["ignore", "inherit", "inherit", "ipc"] });

async function answerOf<Answer>(child: ChildProcess, message?: unknown): Promise<Answer> {
  const answer = once(child, "message");
  if (message !== undefined) child.send(message as object);
  const [value] = (await answer) as [Answer];
  return value;
}

interface Parts {
  readonly lookout: ChildProcess;
  readonly senders: ChildProcess;
  readonly caller: ChildProcess;
  readonly at: Pick<CallOrder, "url" | "token">;
}

function send({ senders, at }: Parts, order: Omit<SendOrder, "url">): Promise<SentReport> {
  return answerOf<SentReport>(senders, { url: at.url, ...order } satisfies SendOrder);
}

/** Sends requests to `/v1` during the load. */
function call({ caller, at }: Parts, seconds: number): Promise<CallReport> {
  return answerOf<CallReport>(caller, { ...at, seconds } satisfies CallOrder);
}

const counted = (parts: Parts): Promise<LoadCounts> => answerOf<LoadCounts>(parts.lookout, "count" satisfies LoadOrder);

/** Waits until every accepted push is evaluated, or the count stops rising. */
async function evaluated(parts: Parts, accepted: number): Promise<LoadCounts> {
  for (let before = -1; ;) {
    const counts = await counted(parts);
    if (counts.evaluated >= accepted || counts.evaluated === before) return counts;
    before = counts.evaluated;
    await pause(1_000);
  }
}

/**
 * Searches the highest rate, in steps of 40 %, without a refusal and with all evaluations done
 * within a second.
 */
async function sustainedRate(parts: Parts, isFresh: boolean): Promise<number> {
  const seconds = 8;
  await send(parts, { rate: 100, seconds, tag: "1.0.0", forges: true, isFresh });
  let sustained = 0;
  for (let rate = 300; ; rate = Math.ceil(rate * 1.4)) {
    const before = await counted(parts);
    const report = await send(parts, { rate, seconds, tag: `1.0.${rate}`, forges: true, isFresh });
    await pause(Math.max(0, (seconds + 1) * 1_000 - report.tookMs));
    const done = (await counted(parts)).evaluated - before.evaluated;
    const isSustained = report.tookMs <= (seconds + 1) * 1_000 && done === report.answers.true["202"];
    say(`${rate} a second: ${JSON.stringify(report.answers)} in ${report.tookMs.toFixed(0)} ms, ${done} evaluated`);
    await evaluated(parts, Infinity);
    if (!isSustained || report.answers.true["429"] !== undefined) return sustained;
    sustained = rate;
  }
}

function percentile(numbers: readonly number[], part: number): number {
  const sorted = numbers.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

function refusedOf({ answers }: SentReport): number {
  return (answers.true["429"] ?? 0) + (answers.forged["429"] ?? 0);
}

async function measure(parts: Parts, seconds: number, given: number | undefined): Promise<readonly Row[]> {
  const rate = given ?? (await sustainedRate(parts, false));
  // Opens the connections of the senders: Node accepts one in a turn of its event loop.
  await send(parts, { rate: 2 * rate, seconds: 3, tag: "1.0.1", forges: true });
  await evaluated(parts, Infinity);
  const before = await counted(parts);
  say(`sustained: ${rate} a second; now ${2 * rate} for ${seconds} s`);
  const begun = performance.now();
  const [report, { apiMs, lateMs }] = await Promise.all([
    send(parts, { rate: 2 * rate, seconds, tag: "1.1.0", forges: true }),
    call(parts, seconds),
  ]);
  const loaded = await counted(parts);
  const wallMs = performance.now() - begun;
  const accepted = report.answers.true["202"] ?? 0;
  const after = await evaluated(parts, before.evaluated + accepted);
  const freshRate = given ?? (await sustainedRate(parts, true));
  say(`sustained on new connections: ${freshRate} a second; now ${2 * freshRate} for ${seconds} s`);
  const [fresh, freshCall] = await Promise.all([
    send(parts, { rate: 2 * freshRate, seconds, tag: "1.2.0", forges: true, isFresh: true }),
    call(parts, seconds),
  ]);
  const flooded = await evaluated(parts, Infinity);
  // The process still evaluates the accepted pushes.
  parts.lookout.send("release" satisfies LoadOrder);
  // Registries send a refused notification again.
  for (let attempt = 0; attempt < 2; attempt += 1) {
    await send(parts, { rate: repositories, seconds: 2, tag: "2.0.0", forges: false });
    await pause(5_000);
  }
  const { updated } = await counted(parts);
  say(JSON.stringify({ before, after, updated, ...report, notifyMs: undefined }));
  say(JSON.stringify({ flooded, ...fresh, notifyMs: undefined }));
  const refused = refusedOf(report);
  const unproved = report.answers.forged["401"] ?? 0;
  const others = report.sent - accepted - refused - unproved;
  return [
    rowOf("sustained rate of notifications, half forged", [rate], "a second"),
    rowOf(`sent at twice that rate for ${seconds} s`, [report.sent], ""),
    rowOf("valid notifications, accepted (202)", [accepted], ""),
    rowOf("valid notifications, evaluated", [after.evaluated - before.evaluated], ""),
    rowOf("evaluations, which notifications share", [after.evaluations - before.evaluations], ""),
    rowOf("notifications refused as surplus (429)", [refused], ""),
    rowOf("answers 429 without Retry-After", [report.withoutRetryAfter], ""),
    rowOf("forged notifications, refused (401)", [unproved], ""),
    rowOf("forged notifications, counted", [after.forged - before.forged], ""),
    rowOf("other answers and failed connections", [others], ""),
    rowOf("answer of /v1", apiMs),
    rowOf("answer of /v1, 99 of 100", [percentile(apiMs, 0.99)]),
    rowOf("wake-up of another, idle process, 99 of 100", [percentile(lateMs, 0.99)]),
    rowOf("turn of the event loop, processor time", [loaded.turnMs.median]),
    rowOf("turn of the event loop, processor time, 99 of 100", [loaded.turnMs.of100]),
    rowOf("longest turn of the event loop, processor time", [loaded.turnMs.most]),
    rowOf("cores that the process used", [(loaded.cpuMs - before.cpuMs) / wallMs], "cores"),
    rowOf("answer to a notification, 99 of 100", [percentile(report.notifyMs, 0.99)]),
    rowOf("processor time for a notification", [(after.cpuMs - before.cpuMs) / report.sent]),
    rowOf("sustained rate, each on a new connection", [freshRate], "a second"),
    rowOf(`sent at twice that rate for ${seconds} s`, [fresh.sent], ""),
    rowOf("valid notifications, accepted (202)", [fresh.answers.true["202"] ?? 0], ""),
    rowOf("notifications refused as surplus (429)", [refusedOf(fresh)], ""),
    rowOf("failed connections", [fresh.failed], ""),
    rowOf("connect and answer", fresh.notifyMs),
    rowOf("connect and answer, 99 of 100", [percentile(fresh.notifyMs, 0.99)]),
    rowOf("answer of /v1, 99 of 100", [percentile(freshCall.apiMs, 0.99)]),
    rowOf("peak memory of the process", [flooded.memoryMb], "MB"),
    rowOf(`workloads of ${repositories} that a later push updated`, [updated], ""),
  ];
}

if (values.help === true) say(help);
else {
  const conditions = conditionsOf(values.note);
  const [lookout, senders, caller] = [start("load-lookout"), start("load-senders"), start("load-caller")];
  try {
    const [at] = await Promise.all([answerOf<Parts["at"]>(lookout), answerOf(senders), answerOf(caller)]);
    const given = values.rate === undefined ? undefined : Number(values.rate);
    const rows = await measure({ lookout, senders, caller, at }, Number(values.seconds), given);
    const text = `${conditions}\n\n${tableOf(rows)}`;
    if (values.write === true) await writeSections("benchmarks.md", { load: text });
    process.stdout.write(`${text}\n`);
  } finally {
    for (const child of [lookout, senders, caller]) if (child.connected) child.send("stop");
  }
}
