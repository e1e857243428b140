import { Option } from "commander";
import type { FreezeRequest, FreezesView } from "#contracts/api/freezes";
import { parseDuration } from "#domain/shared/duration";
import { covers, endProblem, fleet, type FreezeScope, parseFreezeScope } from "#domain/gates/freezes";
import { type DurationMs, type EpochMs, parseInstant, plus, seconds, durationMs, toIso } from "#domain/shared/time";
import { parseWorkloadKey } from "#domain/workload/workload";
import { type AddVerb, userOf } from "../context.ts";
import { type EndFlags, endOf, withEnd } from "../end-flags.ts";
import { exitCodes, Failure } from "../failure.ts";
import type { Answer } from "../output.ts";
import { frozenText, renderFreezes, unfrozenText } from "../render/freezes.ts";
import { printable } from "../render/printable.ts";
import type { Style } from "../render/style.ts";
import { placeOf, type PlaceFlags, readFollowed, type Scope, serverScope } from "../scopes.ts";
import type { Server } from "../server.ts";
import { serverVerb } from "../server-verb.ts";
import type { World } from "../world.ts";

interface FreezeFlags extends PlaceFlags {
  readonly why: string;
  readonly by?: string;
  readonly for?: DurationMs;
  readonly until?: EpochMs;
  readonly force?: true;
}

interface NamedScope {
  readonly text: string;
  readonly scope: FreezeScope;
}

const formats = ["table", "json", "yaml", "name"] as const;
const parameters = [
  ["[scope]", "a cluster, a namespace, or CLUSTER/NAMESPACE (default: the whole fleet)", scopeText],
] as const;

/** The time during which a function may still send a patch that it decided before the freeze. */
const sendingLimit = seconds(10);
const pollInterval = durationMs(250);

/** `lookout freeze [SCOPE]` */
const addFreeze = serverVerb<[scope?: string], FreezeFlags>({
  name: "freeze",
  description: "stop new patches in a scope, and wait at most 10 s for patches in flight",
  parameters,
  scope: "place",
  options: (command) =>
    command
      .requiredOption("--why <text>", "the reason, which users see", readReason)
      .addOption(
        new Option("--for <duration>", "the duration of the freeze: 30m, 2h, 3d")
          .argParser(readLength)
          .conflicts("until"),
      )
      .option(
        "--until <time>",
        "the end of the freeze: 2026-12-27T08:00:00+01:00 (default: until lookout unfreeze)",
        readEnd,
      )
      .option("--by <name>", "your name in the freeze (default: the name of your token, else USER)")
      .option("--force", "freeze also a cluster or namespace that Lookout does not know"),
  formats,
  examples: [
    ['lookout freeze --why "incident 4711"', "freeze the whole fleet until lookout unfreeze"],
    ["lookout freeze prod --why Christmas --until 2026-12-27T08:00:00+01:00", "freeze a cluster"],
    ['lookout freeze prod/shop --why "flash sale" --for 2h', "freeze a namespace"],
  ],
  async answer({ world, server, flags, style }, word) {
    // A wrong end fails before the first request.
    const endless = requestOf(world, server, fleet, flags);
    const { text, scope } = await namedScope(server, word, flags);
    const request = { ...endless, scope: text };
    const first = await server.ask("freeze", { body: request }).catch(unknownIsWrongInput);
    const view = await settled(world, server, scope, first);
    const inFlight = inFlightIn(scope, printable(view));
    return { ...answerOf(view, style), text: () => frozenText(request, inFlight, first.effect, style) };
  },
});

/** `lookout unfreeze [SCOPE]` */
const addUnfreeze = serverVerb<[scope?: string], PlaceFlags & EndFlags>({
  name: "unfreeze",
  description: "end the freeze of a scope; the updates that it held continue",
  parameters,
  options: withEnd,
  scope: "place",
  formats,
  examples: [
    ["lookout unfreeze prod/shop", "unfreeze a namespace; freezes of prod and of the fleet stay"],
    ["lookout unfreeze", "unfreeze the fleet; freezes of clusters and namespaces stay"],
  ],
  async answer({ world, server, flags, style }, word) {
    const { text, scope } = await frozenScope(server, word, flags);
    const view = await server.ask("liftFreeze", { params: { scope: text }, query: endOf(flags, world, server) });
    const wider = printable(view).freezes.filter((other) => covers(readScope(other.scope).scope, scope));
    return { ...answerOf(view, style), text: () => unfrozenText(text, wider, style) };
  },
});

/** `lookout freezes` */
const addList = serverVerb({
  name: "freezes",
  description: "list the freezes: scope, author, reason and end",
  formats,
  examples: [["lookout freezes --output name", "list scopes, one per line"]],
  answer: async ({ server, style }) => answerOf(await listed(server), style),
});

export const addFreezes: AddVerb = (program, context) => {
  for (const addVerb of [addFreeze, addUnfreeze, addList]) addVerb(program, context);
};

/** Polls until no patch is in flight in the scope, or until the sending limit is over. */
async function settled(world: World, server: Server, scope: FreezeScope, first: FreezesView): Promise<FreezesView> {
  const end = plus(world.now(), sendingLimit);
  let view = first;
  while (inFlightIn(scope, view).length > 0 && world.now() < end) {
    await world.pause(pollInterval);
    // The freeze is stored already, so a failed request does no harm.
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
  return server.ask("listFreezes");
}

function answerOf(view: FreezesView, style: Style): Answer {
  return {
    value: view,
    text: () => renderFreezes(printable(view), style),
    names: () => view.freezes.map(({ scope }) => scope),
  };
}

/** Returns the scope that a word and the flags name. The server refuses an unknown scope. */
async function namedScope(server: Server, word: string | undefined, flags: FreezeFlags): Promise<NamedScope> {
  if (word?.includes("/") === true || word === fleet || (word !== undefined && flags.force === true))
    return readScope(word);
  const { scopes, unknown } = await readFollowed(server, word === undefined ? [] : [word], flags);
  const [found = {}] = scopes;
  if (word !== undefined && unknown.length > 0) return readScope(word);
  if (found.name !== undefined)
    throw new Failure(
      exitCodes.wrongInput,
      `"${word ?? ""}" is a workload, and a freeze covers a namespace at least.`,
      [`To stop one workload, annotate it:  lookout.dev/suspend: "true"`],
    );
  return readScope(await serverScope(server, found));
}

/** Returns the scope of a freeze. Its cluster may be gone, so only the freezes tell. */
async function frozenScope(server: Server, word: string | undefined, flags: PlaceFlags): Promise<NamedScope> {
  const text = word ?? placeText(placeOf(flags));
  if (text.includes("/") || text === fleet) return readScope(text);
  const scopes = (await listed(server)).freezes.map(({ scope }) => scope);
  const ofNamespace = scopes.filter((scope) => scope.endsWith(`/${text}`));
  const [only, ...more] = scopes.includes(text) ? [text] : ofNamespace;
  if (more.length === 0) return readScope(only ?? text);
  const sentence = `"${text}" names ${ofNamespace.length} freezes. Use one of these:`;
  throw new Failure(exitCodes.wrongInput, sentence, ofNamespace);
}

function placeText({ cluster, namespace }: Scope): string {
  return [cluster, namespace].filter((part) => part !== undefined).join("/") || fleet;
}

/** An unknown scope is a wrong command, because nothing was frozen. */
function unknownIsWrongInput(error: unknown): never {
  if (error instanceof Failure && error.exitCode === exitCodes.notSo)
    throw new Failure(exitCodes.wrongInput, error.message, error.advice);
  throw error;
}

function requestOf(world: World, server: Server, scope: string, flags: FreezeFlags): FreezeRequest {
  const until = flags.for === undefined ? flags.until : plus(world.now(), flags.for);
  const by = flags.by ?? userOf(world, server);
  const force = flags.force === undefined ? {} : { force: flags.force };
  if (until === undefined) return { scope, why: flags.why, by, ...force };
  const wrong = endProblem(until, world.now());
  if (wrong !== undefined) throw new Failure(exitCodes.wrongInput, `The end of the freeze, ${toIso(until)}, ${wrong}.`);
  return { scope, why: flags.why, by, until: toIso(until), ...force };
}

/** Checks the form of a scope before the first request. */
function scopeText(text: string): string {
  return readScope(text).text;
}

function readScope(text: string): NamedScope {
  const scope = parseFreezeScope(text);
  if (scope.ok) return { text, scope: scope.value };
  throw new Failure(exitCodes.wrongInput, `${scope.problem}.`, ["For example: prod, prod/shop"]);
}

function readReason(text: string): string {
  if (text.trim() !== "") return text;
  throw new Failure(exitCodes.wrongInput, "--why is empty: give the reason of the freeze.");
}

function readLength(text: string): DurationMs {
  const length = parseDuration(text);
  if (length.ok) return length.value;
  throw new Failure(exitCodes.wrongInput, `--for ${length.problem}.`);
}

function readEnd(text: string): EpochMs {
  const until = parseInstant(text);
  if (until !== undefined) return until;
  throw new Failure(exitCodes.wrongInput, `--until "${text}" is not a time with its zone.`, [
    "For example: 2026-12-27T08:00:00+01:00, 2026-12-27T07:00:00Z",
  ]);
}
