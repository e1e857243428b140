import { setTimeout as pause } from "node:timers/promises";
import { styleText } from "node:util";
import { syncDue } from "#app/detect/sync-cluster";
import type { Fact } from "#domain/update/events";
import { epochMs } from "#domain/shared/time";
import { hasColours } from "#runtime/text-width";
import type { Clock } from "#ports/clock";
import { channelTools } from "../channel-tools.ts";
import { channelsOf } from "../channels.ts";
import { evaluateTracked } from "./background.ts";
import { demoApprover } from "./demo-approver.ts";
import { openDemoReceiver, type ReceivedMessage } from "./demo-receiver.ts";
import { demoRules, openDemo, startupMs } from "./demo-server.ts";
import { type Chapter, type ExpectedFact, type Tour, type TourName, tours } from "./demo-tours.ts";
import { requestFunctions } from "./functions.ts";
import { openShell, type Shell } from "./shell.ts";
import { openReporter, unread } from "./start.ts";
import { newMemoryDatabase, statePorts } from "./state.ts";

interface DemoOptions {
  readonly output: "text" | "json";
  /** True for an output without colours. */
  readonly isPlain: boolean;
  /** Aborts when the output is closed. */
  readonly outputClosed: AbortSignal;
  /** The tour. The default is the usual one. */
  readonly tour?: TourName;
  /** Runs a command of `lookout` against the demo. Returns its output. */
  readonly command: DemoCommand;
}

/** Runs a command whose requests `serve` answers, at the time of `clock`. */
export type DemoCommand = (
  typed: readonly string[],
  server: { readonly serve: (request: Request) => Promise<Response>; readonly clock: Clock },
) => Promise<string>;

/** The first instant of the tour: nine seconds before the window of the demo's `shop/web` opens. */
const storyBegins = Date.parse("2026-11-21T21:59:51Z");

/** The time within which the demo's clusters are synced. */
const syncMs = 300;

/** The time limit of the whole tour. */
const tourWithinMs = 23_000;

/** Opens what the tour tells. The usual tour tells nobody. */
async function openTold({ isTold }: Tour, clock: Clock, onMessage: (message: ReceivedMessage) => void) {
  if (isTold !== true) return undefined;
  const receiver = await openDemoReceiver(onMessage, clock);
  const readSecret = () => Promise.resolve({ kind: "secret", value: receiver.secret } as const);
  const tools = channelTools({ isServerless: false }, {});
  const installation = () => Promise.resolve("demo00");
  return { receiver, channels: channelsOf({ channels: [receiver.entry] }, { ...tools, readSecret, installation }) };
}

/**
 * Plays the tour on its own in-memory cluster and registry. Its clock starts shortly before a
 * window opens.
 *
 * @returns 0 if every chapter ended as expected, 1 if a chapter took too long, 3 if the output was
 * closed
 */
export async function playDemo({
  output,
  isPlain,
  outputClosed,
  tour: name = "usual",
  command,
}: DemoOptions): Promise<number> {
  const tour: Tour = tours[name];
  const offset = storyBegins - Date.now();
  const clock = { now: () => epochMs(Date.now() + offset) };
  const tell = openReporter(output, { count: Object.keys(tour.fleet).length }, { timeZone: "UTC", isPlain });
  const facts = factsSeen(tell.onFact, outputClosed);
  const messages = seenOnes<ReceivedMessage>(outputClosed);
  const told = await openTold(tour, clock, (message) => {
    tell.aside(`  ✉ the receiver: ${message.name} (${message.severity}), signature verified: ${message.text}`);
    messages.add(message);
  });
  const approver = demoApprover();
  const demo = openDemo(clock, { ...demoRules, approvals: approver.rules, tiers: tour.tiers }, tour.fleet);
  const shell = openShell({
    ports: { clock, ...statePorts(newMemoryDatabase()), ...demo },
    receivers: demo.receivers,
    log: tell.log,
    onFact: facts.onFact,
    ...(told === undefined ? {} : { channels: told.channels }),
  });
  const push = demo.pushTo(shell);
  const deadline = Date.now() + tourWithinMs;
  /** Waits for the fact of a chapter, and for its message if there is a receiver. */
  const arrives = async ({ expects }: Chapter): Promise<boolean> => {
    const { fact, workload } = expects;
    const isFact = (one: Fact) => isExpected(one, expects) && facts.isNew(one);
    const isMessage = (one: ReceivedMessage) => one.name === fact && one.workload === workload;
    if (!(await facts.come((seen) => seen.some(isFact), deadline))) return false;
    return told === undefined || messages.come((seen) => seen.some(isMessage), deadline);
  };
  const api = { serve: (request: Request) => shell.serve(requestFunctions["api/v1"].run, request), clock };
  const show = async (typed: string): Promise<void> => {
    tell.aside("");
    tell.aside(`$ lookout ${typed}`);
    const shown = await command(typed.split(" "), api);
    for (const line of shown.trimEnd().split("\n")) tell.aside(line);
  };
  const plays = async (chapter: Chapter): Promise<boolean> => {
    if (chapter.push !== undefined) await push(chapter.push);
    if (chapter.approves === true) await approver.approve(shell);
    if (!(await arrives(chapter))) return false;
    if (chapter.shows !== undefined && output === "text") await show(chapter.shows);
    return true;
  };
  try {
    await shell.start();
    await facts.come((seen) => tracked(seen) >= demo.world.workloads, deadline);
    if (tour.tiers.tiers.length > 0) await readTiers(shell);
    for (const [index, chapter] of tour.chapters.entries()) {
      tell.aside("");
      tell.aside(heading(`${index + 1}. ${chapter.tells}`, { output, isPlain }));
      const { fact, workload } = chapter.expects;
      if (await plays(chapter)) continue;
      if (outputClosed.aborted) tell.notice(unread, "error");
      else tell.notice(`✗ The fact ${fact} of the workload ${workload} did not arrive in time`);
      return outputClosed.aborted ? 3 : 1;
    }
    tell.aside("");
    tell.aside(heading(`The tour has ended. ${tour.next}`, { output, isPlain }));
    return 0;
  } finally {
    await shell.stop(1_000);
    await told?.receiver.close();
  }
}

function tracked(seen: readonly Fact[]): number {
  return seen.filter(({ name }) => name === "WorkloadTracked").length;
}

function isExpected({ name, workload: { cluster, name: workload }, reasons }: Fact, expected: ExpectedFact): boolean {
  const { reason } = expected;
  return (
    name === expected.fact &&
    workload === expected.workload &&
    (expected.cluster ?? cluster) === cluster &&
    (reason === undefined || reasons.some((one) => one.reason === reason))
  );
}

/** Waits until the first pods run, and then lets Lookout read the members of the tiers. */
async function readTiers({ ports }: Shell): Promise<void> {
  await pause(startupMs);
  await syncDue(ports);
  await evaluateTracked(ports, "demo");
  await pause(syncMs);
}

function heading(text: string, { output, isPlain }: Pick<DemoOptions, "output" | "isPlain">): string {
  const isBold = output === "text" && !isPlain && hasColours(process.stdout.isTTY, process.env);
  return isBold ? styleText("bold", text) : text;
}

/** Collects facts, so that a chapter can wait for a fact that no earlier chapter used. */
function factsSeen(show: (fact: Fact) => void, outputClosed: AbortSignal) {
  const { add, come } = seenOnes<Fact>(outputClosed);
  const used = new Set<string>();
  return {
    onFact: (fact: Fact): void => {
      show(fact);
      add(fact);
    },
    isNew: ({ id }: Fact): boolean => !used.has(id) && used.add(id).has(id),
    come,
  };
}

interface Seen<One> {
  readonly add: (one: One) => void;
  readonly come: (enough: (seen: readonly One[]) => boolean, deadline: number) => Promise<boolean>;
}

/** Collects what was seen, so that a chapter can wait until it is enough. */
function seenOnes<One>(outputClosed: AbortSignal): Seen<One> {
  const seen: One[] = [];
  let wake = (): void => undefined;
  outputClosed.addEventListener("abort", () => {
    wake();
  });
  return {
    add(one: One): void {
      seen.push(one);
      wake();
    },
    async come(enough: (seen: readonly One[]) => boolean, deadline: number): Promise<boolean> {
      while (!enough(seen)) {
        const left = deadline - Date.now();
        if (left <= 0 || outputClosed.aborted) return false;
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, left);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      return true;
    },
  };
}
