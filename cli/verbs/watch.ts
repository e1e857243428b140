import { styleText } from "node:util";
import type { FactView, RegistryFactView } from "#contracts/api/process";
import { factOf, registryFactOf } from "#contracts/messages/fact-view";
import { type Step, stepsOf } from "#domain/history/steps";
import { isRegistryFact } from "#domain/registry/outage";
import {
  type LineForm,
  namesFor,
  registryLine,
  registryMark,
  stepClock,
  stepColours,
  stepLine,
} from "#runtime/fact-lines";
import { seconds } from "#domain/shared/time";
import { type AddVerb, choice, type ServerFlags, styleOf, withExamples, withServer } from "../context.ts";
import { exitCodes, Failure } from "../failure.ts";
import { printableText } from "#domain/shared/shown-text";
import { printable } from "../render/printable.ts";
import { findServer, type Server } from "../server.ts";
import {
  isIn,
  meaningsOf,
  placeOf,
  type PlaceFlags,
  readFollowed,
  type Scope,
  scopeParameter,
  withPlace,
} from "../scopes.ts";
import type { World } from "../world.ts";

interface Flags extends ServerFlags, PlaceFlags {
  readonly output: "text" | "json";
}

const reconnectInterval = seconds(1);
const ended = "! The connection has ended. Reconnecting. For missed events:  lookout history WORKLOAD\n";

/** `lookout watch [SCOPE…]` */
export const addWatch: AddVerb = (program, { world }) => {
  const command = program
    .command("watch")
    .description("show each step of each update until Ctrl-C, also after a restart of the process")
    .argument("[scope...]", `${scopeParameter} (default: all)`)
    .addOption(
      choice("-o, --output <format>", "the format of the output: text, or JSON with one fact per line", [
        "text",
        "json",
      ]).default("text"),
    )
    .action((filters: readonly string[], flags: Flags) => watch(world, filters, flags));
  withExamples(withServer(withPlace(command)), [
    ["lookout watch", "watch all workloads"],
    ["lookout watch shop prod/pay/ledger", "watch a namespace and a workload"],
    ["lookout watch --output json", "print facts for programs, one per line"],
  ]);
};

async function watch(world: World, filters: readonly string[], flags: Flags): Promise<void> {
  // A wrong form fails before the first request.
  for (const filter of filters) meaningsOf(filter, placeOf(flags));
  const writer = writerOf(world, flags);
  const stop = world.interrupted();
  const goesOn = (): boolean => !stop.aborted;
  let scopes: readonly Scope[] | undefined;
  for (let times = 0; goesOn();) {
    const followed = await open(world, flags, stop, times > 0);
    if (followed !== undefined) {
      times += 1;
      world.stderr.write(
        `${times === 1 ? "Following" : "Following again:"} ${followed.server.label}; stop with Ctrl-C.\n`,
      );
      scopes ??= await scopesOf(world, followed.server, filters, flags);
      const followedScopes = scopes;
      const write = writer(followed.clusters);
      for await (const data of followed.events) {
        const fact = JSON.parse(data) as FactView | RegistryFactView;
        // A filter names workloads, and every workload may use the registry.
        if (isAboutRegistry(fact) || followedScopes.some((scope) => isIn(scope, fact.workload))) write(fact);
      }
      if (goesOn()) world.stderr.write(ended);
    }
    if (goesOn()) await world.pause(reconnectInterval, stop);
  }
}

/**
 * Returns the scopes of the filters. Warns of a filter that matches no workload: it is probably
 * misspelt, but its workload may also appear later.
 */
async function scopesOf(
  world: World,
  server: Server,
  filters: readonly string[],
  flags: Flags,
): Promise<readonly Scope[]> {
  const { scopes, unknown } = await readFollowed(server, filters, flags);
  for (const { message, advice } of unknown) {
    const meant = advice.filter((line) => line.startsWith("Did you mean"));
    world.stderr.write(`${[`! ${printableText(message)}`, ...meant.map(printableText)].join(" ")}\n`);
  }
  return scopes;
}

interface Followed {
  readonly server: Server;
  /** The number of the server's clusters. */
  readonly clusters: number;
  readonly events: AsyncIterable<string>;
}

/**
 * Returns the stream of facts. If the server can't be reached, throws for the first connection, and
 * returns undefined for a reconnection.
 */
async function open(world: World, flags: Flags, stop: AbortSignal, again: boolean): Promise<Followed | undefined> {
  try {
    const server = await findServer(world, flags);
    const events = await server.follow(stop);
    const { clusters } = await server.ask("listClusters");
    return { server, clusters: clusters.length, events };
  } catch (error) {
    const isAway = error instanceof Failure && error.exitCode === exitCodes.unreachable;
    if (stop.aborted || (again && isAway)) return undefined;
    throw error;
  }
}

function isAboutRegistry(fact: FactView | RegistryFactView): fact is RegistryFactView {
  return isRegistryFact(fact);
}

function writerOf(world: World, { output }: Flags): (clusters: number) => (fact: FactView | RegistryFactView) => void {
  const clock = stepClock(world.timeZone);
  const { colour, width } = styleOf(world);
  return (clusters) => (view) => {
    if (output === "json") {
      world.stdout.write(`${JSON.stringify(view)}\n`);
      return;
    }
    for (const { line, mark } of linesOf(printable(view), clock, { names: namesFor(clusters), width })) {
      const painted = colour && mark !== "plain";
      world.stdout.write(`${painted ? styleText(stepColours[mark], line, { validateStream: false }) : line}\n`);
    }
  };
}

function linesOf(
  view: FactView | RegistryFactView,
  clock: ReturnType<typeof stepClock>,
  form: LineForm,
): readonly { readonly line: string; readonly mark: Step["mark"] }[] {
  if (isAboutRegistry(view)) {
    const fact = registryFactOf(view);
    return [{ line: registryLine(fact, clock, form.width), mark: registryMark(fact) }];
  }
  const fact = factOf(view);
  return stepsOf(fact).map((step) => ({ line: stepLine(fact, step, clock, form), mark: step.mark }));
}
