import { styleText } from "node:util";
import { Option } from "commander";
import type { FactView } from "#contracts/api/process";
import { factOf } from "#contracts/messages/fact-view";
import { nearest } from "#domain/shared/nearest";
import { stepClock, stepColours, stepLine, stepsOf } from "#runtime/fact-lines";
import { seconds } from "#domain/shared/time";
import { parseWorkloadKey, type WorkloadName } from "#domain/workload/workload";
import { type AddVerb, lookOf, type ServerFlags, withExamples, withServer } from "../context.ts";
import { exitCodes, Failure } from "../failure.ts";
import { workloadFilter } from "../names.ts";
import { printable, printableText } from "../render/printable.ts";
import { findServer, type Server } from "../server.ts";
import { readWorkloads } from "../workloads.ts";
import type { World } from "../world.ts";

interface Flags extends ServerFlags {
  readonly output: "text" | "json";
}

/** How often a process that has gone is looked for. */
const lookAgain = seconds(1);
const ended = "! The process has ended. What happens meanwhile: lookout history. Waiting for it to come back.\n";

/** `lookout watch [FILTER…]` */
export const addWatch: AddVerb = (program, { world }) => {
  const command = program
    .command("watch")
    .description("each step of each update as it happens, until Ctrl-C; goes on when the process starts anew")
    .argument("[filter...]", "a namespace, or [cluster/]namespace/[kind/]name; all when none is named")
    .addOption(
      new Option("-o, --output <format>", "how it tells what happens: in words, or one fact of JSON a line")
        .choices(["text", "json"])
        .default("text"),
    )
    .action((filters: readonly string[], flags: Flags) => watch(world, filters, flags));
  withExamples(withServer(command), [
    ["lookout watch", "all that happens"],
    ["lookout watch shop prod/pay/ledger", "a namespace, and a workload"],
    ["lookout watch --output json", "one fact a line, for programs"],
  ]);
};

async function watch(world: World, filters: readonly string[], flags: Flags): Promise<void> {
  const wanted = filters.map((text) => ({ text, fits: workloadFilter(text) }));
  const write = writerOf(world, flags);
  const stop = world.interrupted();
  const goesOn = (): boolean => !stop.aborted;
  for (let times = 0; goesOn();) {
    const followed = await open(world, flags, stop, times > 0);
    if (followed !== undefined) {
      times += 1;
      world.stderr.write(
        `${times === 1 ? "Following" : "Following again:"} ${followed.server.label}; stop with Ctrl-C.\n`,
      );
      if (times === 1) await tellOfUnknown(world, followed.server, wanted);
      for await (const data of followed.events) {
        const fact = JSON.parse(data) as FactView;
        if (wanted.length === 0 || wanted.some(({ fits }) => fits(fact.workload))) write(fact);
      }
      if (goesOn()) world.stderr.write(ended);
    }
    if (goesOn()) await world.pause(lookAgain, stop);
  }
}

/** What a person wants to see, and which workloads that is. */
interface Wanted {
  readonly text: string;
  readonly fits: (workload: WorkloadName) => boolean;
}

/** A filter that nothing fits may be misspelt, and whoever waits would wait for ever; or what it names is yet to come. */
async function tellOfUnknown(world: World, server: Server, wanted: readonly Wanted[]): Promise<void> {
  if (wanted.length === 0) return;
  const { workloads } = await readWorkloads(server);
  const known = workloads.flatMap(({ workload }) => {
    const name = parseWorkloadKey(workload);
    return name.ok ? [name.value] : [];
  });
  const namespaces = [...new Set(known.map(({ namespace }) => namespace))];
  for (const { text, fits } of wanted) {
    if (known.some(fits)) continue;
    const meant = nearest(text, namespaces);
    const hint = meant === undefined ? "" : ` Did you mean ${meant}?`;
    world.stderr.write(`! No workload that is tracked is "${printableText(text)}" now.${hint}\n`);
  }
}

interface Followed {
  readonly server: Server;
  readonly events: AsyncIterable<string>;
}

/** Answers undefined when there is none to follow now; a first one has to be there. */
async function open(world: World, flags: Flags, stop: AbortSignal, again: boolean): Promise<Followed | undefined> {
  try {
    const server = await findServer(world, flags);
    return { server, events: await server.follow("/v1/events", stop) };
  } catch (error) {
    const isAway = error instanceof Failure && error.exitCode === exitCodes.unreachable;
    if (stop.aborted || (again && isAway)) return undefined;
    throw error;
  }
}

function writerOf(world: World, { output }: Flags): (fact: FactView) => void {
  const clock = stepClock(world.timeZone);
  const { colour } = lookOf(world);
  return (view) => {
    if (output === "json") {
      world.stdout.write(`${JSON.stringify(view)}\n`);
      return;
    }
    const fact = factOf(printable(view));
    for (const step of stepsOf(fact)) {
      const line = stepLine(fact, step, clock);
      const painted = colour && step.mark !== "plain";
      world.stdout.write(`${painted ? styleText(stepColours[step.mark], line, { validateStream: false }) : line}\n`);
    }
  };
}
