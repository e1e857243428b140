import type { Ports } from "#app/shared/ports";
import { sendAllOpenWork } from "#app/gate/reap";
import { delivery } from "#contracts/routes";
import { openCommands } from "#domain/update/effects/commands";
import { identityOf, type Command } from "#domain/update/commands";
import { epochMs } from "#domain/shared/time";
import { workloadKey } from "#domain/workload/workload";
import { TransientError } from "#ports/errors";
import { changesFunctions, queueFunctions, type QueueName, scheduleFunctions } from "#runtime/local/functions";
import { letterBody } from "#runtime/dead-letter";
import type { Invocation } from "#runtime/handler";
import { conditionOf, type Fate, fateOf } from "#test/model/faults/fates";
import type { Chance } from "#test/model/chance";
import { short } from "#test/model/image-text";
import { type Installation, post } from "./installation.ts";
import type { Message } from "./mailbox.ts";
import { type Call, type Run, stillness } from "./runs.ts";
import { watchedPorts } from "./watched-ports.ts";
import { callText, fateText, messageText } from "#test/model/history/words";

/** The visibility timeout of a delivered message. */
const hiddenMs = 60_000;

/**
 * Delivers a message to its function. The message is delivered again if the run fails, dies or
 * takes too long.
 */
export async function deliver(message: Message, installation: Installation): Promise<void> {
  const { mailbox, runs } = installation;
  mailbox.take(message);
  const { name, run: handler } = queueFunctions[message.queue];
  let failures: string[] = [];
  const run = runs.start(
    `${name} for message ${message.number}`,
    { ...conditionOf(installation.weather, installation.chance), body: message.body },
    async (current) => {
      const invocation = invocationOf(current, installation, (error) => failures.push(error));
      const outcome = await handler({ id: String(message.number), body: message.body }, invocation);
      if (outcome === "again") throw new TransientError(failures.at(-1) ?? "it failed");
    },
    (failed) => {
      messages.delete(run);
      if (failed === undefined) acknowledge(run, message, installation);
      else if (!returned.has(run)) comeAgain(message, installation, 1_000, textOf(failed));
      failures = [];
    },
  );
  messages.set(run, message);
  installation.say(() => `run ${run.number}: ${name} starts on ${messageText(message)}${conditionText(run)}`);
  await stillness();
}

function conditionText({ skewMs, knowsCluster }: Run): string {
  const skew = skewMs === 0 ? "" : `, its clock ${Math.round(skewMs / 1_000)} s off`;
  return `${skew}${knowsCluster ? "" : ", without knowing the cluster"}`;
}

/** The messages of runs. */
const messages = new WeakMap<Run, Message>();
const returned = new WeakSet<Run>();

/** Starts a run without a message. */
export async function startRun(
  name: string,
  installation: Installation,
  command: (ports: Ports, invocation: Invocation) => Promise<unknown>,
): Promise<Run> {
  const run = installation.runs.start(
    name,
    conditionOf(installation.weather, installation.chance),
    async (current) => {
      const invocation = invocationOf(current, installation, () => undefined);
      return command(invocation.ports, invocation);
    },
    (failed) => {
      installation.say(() => `run ${run.number} ${failed === undefined ? "is done" : `fails: ${textOf(failed)}`}`);
      if (failed !== undefined) notOurs(failed, installation);
    },
  );
  installation.say(() => `run ${run.number}: ${name} starts${conditionText(run)}`);
  await stillness();
  return run;
}

/** Publishes changes as facts and ledger rows, as the process does. */
export function handOn(installation: Installation): Promise<Run> {
  return startRun("notify/state-changed", installation, async ({ changes }, invocation) => {
    const taken = await changes.take(10);
    if (taken.length === 0) return;
    for (const { run } of changesFunctions) await run(taken, invocation);
    await changes.done(taken);
  });
}

/** Runs the reaper. */
export function reapNow(installation: Installation): Promise<Run> {
  installation.copies += 1;
  return startScheduled("gate/reap", installation);
}

function startScheduled(name: string, installation: Installation): Promise<Run> {
  const scheduled = scheduleFunctions.find((one) => one.name === name);
  return startRun(name, installation, async (_ports, invocation) => scheduled?.run(invocation));
}

/** The errors of the clock after a jump. */
const jumpsMs = [1, -1, 24, -24, 500 * 24].map((hours) => hours * 3_600_000);

/** Lets the clock of all functions jump ahead or back, for seconds, for minutes, or until the faults stop. */
export async function jump(installation: Installation, chance: Chance): Promise<void> {
  const lasts = chance.pick([1_000 + chance.below(10_000), chance.below(600_000), Infinity]);
  await setClock(chance.pick(jumpsMs), installation);
  installation.skewed = true;
  installation.jumpsBackAt = installation.now + lasts;
}

/** Ends a jump of the clock. */
export async function jumpHome(installation: Installation): Promise<void> {
  installation.jumpsBackAt = Infinity;
  await setClock(0, installation);
}

/** Sets the error of the clock. The process sees each jump, and sends all open work again. */
async function setClock(jumpMs: number, installation: Installation): Promise<void> {
  installation.jumpMs = jumpMs;
  installation.jumps += 1;
  installation.furthestBackMs = Math.max(installation.furthestBackMs, -jumpMs);
  installation.copies += 1;
  installation.say(() => `the clock jumps, and is ${jumpMs / 3_600_000} h ahead`);
  await startRun("the process", installation, sendAllOpenWork);
}

/** Sweeps every repository, as if its interval were over. */
export function sweepNow(installation: Installation): Promise<Run> {
  const name = "detect/sweep-due";
  const scheduled = scheduleFunctions.find((one) => one.name === name);
  return startRun(name, installation, async (_ports, invocation) => {
    const { repositories } = invocation.ports;
    const lastTick = async () => epochMs(0);
    return scheduled?.run({
      ...invocation,
      ports: { ...invocation.ports, repositories: { ...repositories, lastTick } },
    });
  });
}

/** Syncs every cluster. */
export function syncNow(installation: Installation): Promise<Run> {
  return startScheduled("detect/sync-due", installation);
}

/** Decides the fate of a call, and applies it. */
export async function meetFate(call: Call, installation: Installation, fate = fateFor(call, installation)) {
  const { runs } = installation;
  runs.take(call);
  if (call.port === "registry" && fate.kind !== "answered") call.run.reads.registryFailed = true;
  installation.say(() => `  run ${call.run.number} ${callText(call)}${fateText(fate)}`);
  if (call.done === undefined) await apply(call, fate, installation);
  else call.answer(call.done.value);
  await stillness();
}

function fateFor(call: Call, { weather, chance, now, awayUntil }: Installation): Fate {
  return call.done === undefined ? fateOf(call, weather, now < awayUntil, chance) : { kind: "answered" };
}

async function apply(call: Call, fate: Fate, installation: Installation): Promise<void> {
  switch (fate.kind) {
    case "answered":
      return settle(call, call.perform());
    case "fails": {
      call.fail(new TransientError(`simulated: ${call.port}.${call.method} failed`));
      return;
    }
    case "answer-lost":
      await call.perform().catch(() => undefined);
      if (call.port === "sender") call.answer({ kind: "later", why: "simulated timeout" });
      else call.fail(new TransientError(`simulated: ${call.port}.${call.method} timed out`));
      return;
    case "refused": {
      if (fate.lands === true) await call.perform();
      call.answer(fate.answer);
      return;
    }
    case "patch-unanswered":
      return unanswered(call, fate.landsAfterMs, installation);
    case "patch-lands-and-fails": {
      await call.perform();
      call.answer({ kind: "failed", detail: "simulated 502" });
      return;
    }
    case "dies":
      if (fate.when === "after") await call.perform().catch(() => undefined);
      {
        die(call.run, installation);
        return;
      }
    case "freezes":
      return freeze(call, fate, installation);
  }
}

async function settle(call: Call, performed: Promise<unknown>): Promise<void> {
  try {
    call.answer(await performed);
  } catch (error) {
    call.fail(error instanceof Error ? error : new Error(String(error)));
  }
}

async function unanswered(call: Call, afterMs: number | undefined, installation: Installation): Promise<void> {
  if (afterMs === 0) await call.perform();
  else if (afterMs !== undefined)
    installation.appointments.push({
      at: installation.now + afterMs,
      keep: async () => {
        await call.perform();
      },
    });
  call.answer({ kind: "unknown", detail: "simulated timeout" });
}

function die(run: Run, installation: Installation): void {
  installation.runs.kill(run);
  const message = messages.get(run);
  if (message !== undefined && !returned.has(run)) comeAgain(message, installation, hiddenMs, "the run died");
}

async function freeze(call: Call, fate: Extract<Fate, { kind: "freezes" }>, installation: Installation): Promise<void> {
  const { run } = call;
  const kept = fate.when === "after" ? await call.perform().then(keepAnswer, () => undefined) : undefined;
  installation.runs.keep(kept === undefined ? call : { ...call, done: kept });
  run.frozenUntil = installation.now + fate.ms;
  const message = messages.get(run);
  if (fate.ms < hiddenMs || message === undefined || returned.has(run)) return;
  returned.add(run);
  comeAgain(message, installation, hiddenMs, "the run does not answer");
}

const keepAnswer = (value: unknown) => ({ value });

/** Delivers a failed message again. After five deliveries, the message becomes a dead letter. */
function comeAgain(message: Message, installation: Installation, delayMs: number, why: string): void {
  const { mailbox } = installation;
  installation.copies += 1;
  const receives = message.receives + 1;
  installation.say(() => `  message ${message.number} is delivered again: ${why}`);
  if (receives < delivery.maximumReceives) {
    mailbox.put({ ...message, receives, at: installation.now + delayMs });
    return;
  }
  const body = JSON.stringify({ body: message.body, why });
  if (message.queue !== "dead-letter")
    mailbox.put({ queue: "dead-letter", body, at: installation.now + delayMs, receives: 0 });
}

/** The commands whose functions write no record. */
const writesNoRecord: ReadonlySet<QueueName> = new Set<QueueName>(["SyncCluster", "SweepRepository", "Deliver"]);

/** Checks at the end of a run that all its effects are stored and the next commands are sent. */
function acknowledge(run: Run, message: Message, installation: Installation): void {
  const { runs, witness, stored, mailbox } = installation;
  installation.say(() => `run ${run.number} is done`);
  if (runs.callsOf(run).length > 0)
    witness.complain("S14", `${run.name} was acknowledged while it still waited for an answer`);
  if (run.reads.listed !== undefined) witness.definitions.checkSynced(run.number, run.reads.listed);
  const others = [...mailbox.all, ...runs.alive().map((other) => messages.get(other))];
  if (others.some((other) => other !== undefined && isAbout(other, message))) return;
  if (writesNoRecord.has(message.queue) || message.queue === "dead-letter" || message.queue === "ImagePushed") return;
  const command = JSON.parse(message.body) as Extract<Command, { workload: unknown }>;
  const record = stored.records().get(workloadKey(command.workload));
  if (record?.cause !== identityOf(command)) return;
  for (const open of openCommands(record))
    if (!mailbox.sent.has(JSON.stringify(open.command)))
      witness.complain("S14", `${run.name} was acknowledged before ${open.command.name} was sent for what it stored`);
}

/** Returns whether a message is another delivery of a message, or its dead letter. */
function isAbout(other: Message, { body }: Message): boolean {
  return other.body === body || (other.queue === "dead-letter" && other.body.includes(JSON.stringify(body)));
}

function invocationOf(run: Run, installation: Installation, failed: (why: string) => void): Invocation {
  return {
    ports: watchedPorts(run, installation),
    receivers: { receiver: async () => undefined },
    setAside: {
      deadLetter: async (letter) => post(installation, "dead-letter", letterBody(letter), 0),
      keep: async () => undefined,
    },
    log: {
      outcome: ({ outcome }) => installation.say(() => `  run ${run.number} came to ${short(JSON.stringify(outcome))}`),
      failure: ({ error }) => {
        failed(String(error));
        installation.say(() => `  run ${run.number} failed: ${String(error)}`);
        notOurs(error, installation);
      },
    },
    signal: new AbortController().signal,
  };
}

/** Reports an error that was not simulated, because it is a mistake of the program. */
function notOurs(error: unknown, { witness }: Installation): void {
  if (error instanceof TransientError || (error instanceof Error && error.message.startsWith("simulated"))) return;
  witness.complain("error", error instanceof Error ? (error.stack ?? "") : "?");
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : "it failed";
}
