import { styleText } from "node:util";
import type { Fact, FactName } from "#domain/update/events";
import { epochMs } from "#domain/shared/time";
import { hasColours } from "#runtime/text-width";
import type { Clock } from "#ports/clock";
import { channelTools } from "../channel-tools.ts";
import { channelsOf } from "../channels.ts";
import { demoApprover } from "./demo-approver.ts";
import { openDemoReceiver, type ReceivedMessage } from "./demo-receiver.ts";
import { demoRules, openDemo } from "./demo-server.ts";
import { openShell } from "./shell.ts";
import { openReporter, unread } from "./start.ts";
import { newMemoryDatabase, statePorts } from "./state.ts";

interface DemoOptions {
  readonly output: "text" | "json";
  /** True for an output without colours. */
  readonly isPlain: boolean;
  /** Aborts when the output is closed. */
  readonly outputClosed: AbortSignal;
  /** The tour. The default is the usual one. */
  readonly tour?: Tour;
}

/** The tours. `told`: what a receiver on loopback is told. */
export const tours = ["usual", "told"] as const;
/** One of {@link tours}. */
export type Tour = (typeof tours)[number];

/** One chapter of the tour: an action, and the expected fact. */
interface Chapter {
  readonly tells: string;
  readonly push?: { readonly image: string; readonly broken?: boolean };
  /** True if a person approves all waiting updates. */
  readonly approves?: true;
  readonly expects: { readonly fact: FactName; readonly workload: string };
}

/** The first instant of the tour: nine seconds before the window of the demo's `shop/web` opens. */
const storyBegins = Date.parse("2026-11-21T21:59:51Z");

/** The time limit of the whole tour. */
const tourWithinMs = 23_000;

const usualTour: readonly Chapter[] = [
  {
    tells: "A push is rolled out: the policy ^1 of shop/api selects the new tag.",
    push: { image: "shop/api:1.3.0" },
    expects: { fact: "RolloutSucceeded", workload: "api" },
  },
  {
    tells: "A window holds an update: shop/web may change on Saturdays from 22:00, in nine seconds.",
    push: { image: "shop/web:2.1.0" },
    expects: { fact: "UpdateHeld", workload: "web" },
  },
  {
    tells: "An image that can't start is rolled back, and not tried again.",
    push: { image: "shop/api:1.4.0", broken: true },
    expects: { fact: "RolledBack", workload: "api" },
  },
  {
    tells: "The window opens, and Lookout releases the held update.",
    expects: { fact: "RolloutSucceeded", workload: "web" },
  },
  {
    tells: "Each update of the namespace pay needs the approval of ana.",
    push: { image: "pay/ledger:3.2.0" },
    expects: { fact: "ApprovalRequested", workload: "ledger" },
  },
  {
    tells: "ana approves exactly this digest, and Lookout rolls it out.",
    approves: true,
    expects: { fact: "RolloutSucceeded", workload: "ledger" },
  },
];

const toldTour: readonly Chapter[] = [
  {
    tells: "A receiver on loopback is told of a push, and of its success. It verifies each signature.",
    push: { image: "shop/api:1.3.0" },
    expects: { fact: "RolloutSucceeded", workload: "api" },
  },
  {
    tells: "An image that can't start: the receiver is told of the failure, and of the rollback.",
    push: { image: "shop/api:1.4.0", broken: true },
    expects: { fact: "RolledBack", workload: "api" },
  },
  {
    tells: "An update that needs an approval: the receiver is told at once.",
    push: { image: "pay/ledger:3.2.0" },
    expects: { fact: "ApprovalRequested", workload: "ledger" },
  },
  {
    tells: "ana approves, and the receiver is told of that too.",
    approves: true,
    expects: { fact: "RolloutSucceeded", workload: "ledger" },
  },
];

/** Opens what the tour tells. The usual tour tells nobody. */
async function openTold(tour: Tour, clock: Clock, onMessage: (message: ReceivedMessage) => void) {
  if (tour === "usual") return undefined;
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
export async function playDemo({ output, isPlain, outputClosed, tour = "usual" }: DemoOptions): Promise<number> {
  const offset = storyBegins - Date.now();
  const clock = { now: () => epochMs(Date.now() + offset) };
  const tell = openReporter(output, { count: 1 }, { timeZone: "UTC", isPlain });
  const facts = factsSeen(tell.onFact, outputClosed);
  const messages = seenOnes<ReceivedMessage>(outputClosed);
  const told = await openTold(tour, clock, (message) => {
    tell.aside(`  ✉ the receiver: ${message.name} (${message.severity}), signature verified: ${message.text}`);
    messages.add(message);
  });
  const chapters = tour === "told" ? toldTour : usualTour;
  const approver = demoApprover();
  const demo = openDemo(clock, { ...demoRules, approvals: approver.rules });
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
  const arrives = async ({ expects: { fact, workload } }: Chapter): Promise<boolean> => {
    const isFact = (one: Fact) => one.name === fact && one.workload.name === workload && facts.isNew(one);
    const isMessage = (one: ReceivedMessage) => one.name === fact && one.workload === workload;
    if (!(await facts.come((seen) => seen.some(isFact), deadline))) return false;
    return told === undefined || messages.come((seen) => seen.some(isMessage), deadline);
  };
  try {
    await shell.start();
    await facts.come((seen) => tracked(seen) >= demo.world.workloads, deadline);
    for (const [index, chapter] of chapters.entries()) {
      tell.aside("");
      tell.aside(heading(`${index + 1}. ${chapter.tells}`, { output, isPlain }));
      if (chapter.push !== undefined) await push(chapter.push);
      if (chapter.approves === true) await approver.approve(shell);
      const { fact, workload } = chapter.expects;
      if (await arrives(chapter)) continue;
      if (outputClosed.aborted) tell.notice(unread, "error");
      else tell.notice(`✗ The fact ${fact} of the workload ${workload} did not arrive in time`);
      return outputClosed.aborted ? 3 : 1;
    }
    tell.aside("");
    tell.aside(heading("The tour has ended. To use the demo yourself: npm start", { output, isPlain }));
    return 0;
  } finally {
    await shell.stop(1_000);
    await told?.receiver.close();
  }
}

function tracked(seen: readonly Fact[]): number {
  return seen.filter(({ name }) => name === "WorkloadTracked").length;
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
