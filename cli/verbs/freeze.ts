import { type Command, Option } from "commander";
import type { FreezeRequest, FreezesView } from "#contracts/api/freezes";
import type { WorkloadsView } from "#contracts/api/workloads";
import { parseDuration } from "#domain/shared/duration";
import { covers, endProblem, fleet, type FreezeScope, parseFreezeScope } from "#domain/gates/freeze";
import { nearest } from "#domain/shared/nearest";
import { type EpochMs, parseInstant, plus, seconds, durationMs, toIso } from "#domain/shared/time";
import { parseWorkloadKey } from "#domain/workload/workload";
import { type AddVerb, lookOf, type ServerFlags, userOf, withExamples, withOutput, withServer } from "../context.ts";
import { exitCodes, Failure } from "../failure.ts";
import { pathParts } from "../names.ts";
import { type Answer, writeAnswer } from "../output.ts";
import { frozenText, renderFreezes, unfrozenText } from "../render/freezes.ts";
import { printable } from "../render/printable.ts";
import { findServer, type Server } from "../server.ts";
import type { World } from "../world.ts";

interface Flags extends ServerFlags {
  readonly output: string;
}

interface FreezeFlags extends Flags {
  readonly why: string;
  readonly by?: string;
  readonly for?: string;
  readonly until?: string;
}

/** A scope as it was typed, and as it was understood. */
interface Named {
  readonly text: string;
  readonly scope: FreezeScope;
}

const path = "/v1/freezes";
const formats = ["table", "json", "yaml", "name"] as const;
const scopeHelp = "CLUSTER, or CLUSTER/NAMESPACE; the whole fleet when none is named";

/** How long after a freeze a patch may still be sent whose gates were read before. */
const sendingLimit = seconds(10);
const askAgain = durationMs(250);

/** `lookout freeze [SCOPE]` */
export const addFreeze: AddVerb = (program, { world }) => {
  const command = program
    .command("freeze")
    .description("begin no patch in a scope; answers when none is under way there, or after 10 s")
    .argument("[scope]", scopeHelp, fleet)
    .requiredOption("--why <text>", "the reason that people are shown")
    .addOption(new Option("--for <duration>", "how long: 30m, 2h, 3d").conflicts("until"))
    .option("--until <time>", "when it ends by itself: 2026-12-27T08:00:00+01:00 (default: when it is lifted)")
    .option("--by <name>", "who wants it (default: USER)")
    .action((text: string, flags: FreezeFlags) => freeze(world, named(text), flags));
  withExamples(withServer(withOutput(command, formats)), [
    ['lookout freeze --why "incident 4711"', "the whole fleet, until it is lifted"],
    ["lookout freeze prod --why Christmas --until 2026-12-27T08:00:00+01:00", "a cluster"],
    ['lookout freeze prod/shop --why "flash sale" --for 2h', "a namespace"],
  ]);
};

/** `lookout unfreeze [SCOPE]` */
export const addUnfreeze: AddVerb = (program, { world }) => {
  const command = program
    .command("unfreeze")
    .description("lift the freeze of a scope: what it held goes on")
    .argument("[scope]", scopeHelp, fleet)
    .action((text: string, flags: Flags) => unfreeze(world, named(text), flags));
  withExamples(withServer(withOutput(command, formats)), [
    ["lookout unfreeze prod/shop", "wider freezes stay"],
    ["lookout unfreeze", "that of the whole fleet; narrower ones stay"],
  ]);
};

/** `lookout freezes` */
export const addFreezes: AddVerb = (program, { world }) => {
  const command: Command = program
    .command("freezes")
    .description("what is frozen, by whom, why, and until when")
    .action(async (flags: Flags) => {
      const view = await listed(await findServer(world, flags));
      await writeAnswer(world, flags.output, answerOf(world, view));
    });
  withExamples(withServer(withOutput(command, formats)), [
    ["lookout freezes --output name", "their scopes, one a line"],
  ]);
};

async function freeze(world: World, { text, scope }: Named, flags: FreezeFlags): Promise<void> {
  const request = requestOf(world, text, flags);
  const server = await findServer(world, flags);
  if (scope.cluster !== undefined) await checkCluster(server, scope.cluster);
  const view = await settled(world, server, scope, await server.post<FreezesView>(path, "inFlight", request));
  const told = () => frozenText(request, inFlightIn(scope, printable(view)), lookOf(world));
  await writeAnswer(world, flags.output, { ...answerOf(world, view), text: told });
}

async function unfreeze(world: World, { text, scope }: Named, flags: Flags): Promise<void> {
  const server = await findServer(world, flags);
  const view = await server.remove<FreezesView>(`${path}/${pathParts(text)}`, "freezes");
  const wider = printable(view).freezes.filter((other) => covers(named(other.scope).scope, scope));
  await writeAnswer(world, flags.output, {
    ...answerOf(world, view),
    text: () => unfrozenText(text, wider, lookOf(world)),
  });
}

/** Asks until no patch is under way in the scope, or none can be sent any more. */
async function settled(world: World, server: Server, scope: FreezeScope, first: FreezesView): Promise<FreezesView> {
  const end = plus(world.now(), sendingLimit);
  let view = first;
  while (inFlightIn(scope, view).length > 0 && world.now() < end) {
    await world.pause(askAgain);
    // The scope is frozen by now: a look that fails takes nothing back, and what was told before may still land.
    view = await listed(server).catch(() => view);
  }
  return view;
}

function inFlightIn(scope: FreezeScope, { inFlight }: FreezesView): readonly string[] {
  return inFlight.filter((key) => {
    const workload = parseWorkloadKey(key);
    return workload.ok && covers(scope, workload.value);
  });
}

function listed(server: Server): Promise<FreezesView> {
  return server.get<FreezesView>(path, "freezes");
}

function answerOf(world: World, view: FreezesView): Answer {
  return {
    value: view,
    text: () => renderFreezes(printable(view), lookOf(world)),
    names: () => view.freezes.map(({ scope }) => scope),
  };
}

/** A freeze of a misspelt cluster would hold nothing, and nobody would know. */
async function checkCluster(server: Server, cluster: string): Promise<void> {
  const { clusters } = await server.get<WorkloadsView>("/v1/workloads", "workloads");
  const names = clusters.map(({ name }) => name);
  if (names.includes(cluster)) return;
  const meant = nearest(cluster, names);
  throw new Failure(exitCodes.wrongInput, `No cluster is called "${cluster}".`, [
    ...(meant === undefined ? [] : [`Did you mean ${meant}?`]),
    `There ${names.length === 1 ? "is" : "are"}: ${names.length === 0 ? "none" : names.join(", ")}`,
  ]);
}

function named(text: string): Named {
  const scope = parseFreezeScope(text);
  if (scope.ok) return { text, scope: scope.value };
  throw new Failure(exitCodes.wrongInput, `${scope.problem}.`, ["For example: prod, prod/shop"]);
}

function requestOf(world: World, scope: string, flags: FreezeFlags): FreezeRequest {
  if (flags.why.trim() === "")
    throw new Failure(exitCodes.wrongInput, "--why is empty: say why nothing may be updated.");
  const until = endOf(world.now(), flags);
  const wrong = until === undefined ? undefined : endProblem(until, world.now());
  if (until !== undefined && wrong !== undefined)
    throw new Failure(exitCodes.wrongInput, `The end of the freeze, ${toIso(until)}, ${wrong}.`);
  return {
    scope,
    why: flags.why,
    by: flags.by ?? userOf(world),
    ...(until === undefined ? {} : { until: toIso(until) }),
  };
}

function endOf(now: EpochMs, flags: Pick<FreezeFlags, "for" | "until">): EpochMs | undefined {
  if (flags.for !== undefined) {
    const length = parseDuration(flags.for);
    if (!length.ok) throw new Failure(exitCodes.wrongInput, `--for ${length.problem}.`);
    return plus(now, length.value);
  }
  if (flags.until === undefined) return undefined;
  const until = parseInstant(flags.until);
  if (until !== undefined) return until;
  throw new Failure(exitCodes.wrongInput, `--until "${flags.until}" is not a time with its zone.`, [
    "Expected for example: 2026-12-27T08:00:00+01:00, 2026-12-27T07:00:00Z",
  ]);
}
