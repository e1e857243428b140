import type { Command } from "commander";
import type { ControlView } from "#contracts/api/control";
import { parseDuration } from "#domain/shared/duration";
import { type EpochMs, parseInstant, plus, toIso } from "#domain/shared/time";
import { type AddVerb, userOf } from "../context.ts";
import { exitCodes, Failure } from "../failure.ts";
import { workloadParams } from "../names.ts";
import { findWorkload, type PlaceFlags } from "../scopes.ts";
import type { Answer } from "../output.ts";
import { controlText } from "../render/control.ts";
import { printable } from "../render/printable.ts";
import type { Style } from "../render/style.ts";
import { serverVerb } from "../server-verb.ts";

interface WhyFlags extends PlaceFlags {
  readonly why: string;
  readonly by?: string;
}

interface VersionFlags extends WhyFlags {
  readonly container?: string;
}

const formats = ["text", "json", "yaml"] as const;
const workload = ["<workload>", "[cluster/]namespace/[kind/]name"] as const;

/** `lookout set WORKLOAD VERSION` */
const addSet = serverVerb<[workload: string, version: string], VersionFlags>({
  name: "set",
  description: "update a workload to a version that you name, also a lower one; it keeps the version",
  parameters: [workload, ["<version>", "a tag, or a digest that Lookout knows"]],
  options: (command) => withContainer(withWhy(command)),
  scope: "place",
  formats,
  examples: [
    ['lookout set shop/api 1.4.2 --why "1.5 leaks memory"', "go to 1.4.2 through all gates, and stay there"],
    ['lookout resume shop/api --why "1.5.1 is fixed"', "follow the policy again"],
  ],
  async answer({ server, world, flags, style }, name, version) {
    const { by, why, container } = flags;
    const key = await findWorkload(server, name, flags);
    const own = await server.asPerson();
    const body = { version, why, by: by ?? userOf(world, server), ...(container === undefined ? {} : { container }) };
    return answerOf(await own.ask("setVersion", { params: workloadParams(key), body }), style);
  },
});

/** `lookout rollback WORKLOAD` */
const addRollback = serverVerb<[workload: string], VersionFlags & { readonly to?: string }>({
  name: "rollback",
  description: "go back to the version before the last update, and block the version that the workload leaves",
  parameters: [workload],
  options: (command) =>
    withContainer(withWhy(command)).option("--to <version>", "go back to this tag or digest, and not to the previous"),
  scope: "place",
  formats,
  examples: [
    ['lookout rollback shop/api --why "checkout fails"', "go back at once, past windows, freezes and approvals"],
    ['lookout rollback shop/api --to 1.3.0 --why "checkout fails"', "go back to a named version"],
  ],
  async answer({ server, world, flags, style }, name) {
    const { by, why, container, to } = flags;
    const key = await findWorkload(server, name, flags);
    const own = await server.asPerson();
    const named = { ...(container === undefined ? {} : { container }), ...(to === undefined ? {} : { to }) };
    const body = { why, by: by ?? userOf(world, server), ...named };
    return answerOf(await own.ask("rollBack", { params: workloadParams(key), body }), style);
  },
});

interface SkipFlags extends WhyFlags {
  readonly until?: string;
  readonly end?: true;
}

/** `lookout skip WORKLOAD TAG` */
const addSkip = serverVerb<[workload: string, tag: string], SkipFlags>({
  name: "skip",
  description: "let a workload skip a tag; its policy selects another one",
  parameters: [workload, ["<tag>", "the tag"]],
  options: (command) =>
    withWhy(command)
      .option("--until <time>", "a duration such as 7d, or a time with its zone (default: until --end)")
      .option("--end", "end the skip"),
  scope: "place",
  formats,
  examples: [
    ['lookout skip shop/api 1.5.0 --until 7d --why "wait for 1.5.1"', "skip 1.5.0 for a week"],
    ['lookout skip shop/api 1.5.0 --end --why "tested"', "take 1.5.0 again"],
  ],
  async answer({ server, world, flags, style }, name, tag) {
    const { by, why, until, end } = flags;
    if (until !== undefined && end === true)
      throw new Failure(exitCodes.wrongInput, "--until and --end exclude each other.");
    const last = until === undefined ? undefined : readUntil(until, world.now());
    const key = await findWorkload(server, name, flags);
    const own = await server.asPerson();
    const more = { ...(last === undefined ? {} : { until: toIso(last) }), ...(end === undefined ? {} : { end }) };
    const body = { tag, why, by: by ?? userOf(world, server), ...more };
    return answerOf(await own.ask("skipTag", { params: workloadParams(key), body }), style);
  },
});

/** A verb with a workload and a reason. */
function reasonedVerb(
  operation: "suspendWorkload" | "resumeWorkload" | "retryWorkload",
  verb: {
    readonly name: string;
    readonly description: string;
    readonly examples: readonly (readonly [string, string])[];
  },
): AddVerb {
  return serverVerb<[workload: string], WhyFlags>({
    ...verb,
    parameters: [workload],
    options: withWhy,
    scope: "place",
    formats,
    async answer({ server, world, flags, style }, name) {
      const { by, why } = flags;
      const key = await findWorkload(server, name, flags);
      const own = await server.asPerson();
      const body = { why, by: by ?? userOf(world, server) };
      return answerOf(await own.ask(operation, { params: workloadParams(key), body }), style);
    },
  });
}

const addSuspend = reasonedVerb("suspendWorkload", {
  name: "suspend",
  description: "stop all updates of a workload until lookout resume",
  examples: [['lookout suspend shop/api --why "load test"', "no update starts; a rollout that runs goes on"]],
});

const addResume = reasonedVerb("resumeWorkload", {
  name: "resume",
  description: "end a suspension, else a version that was set or rolled back to and the hold after a revert",
  examples: [['lookout resume shop/api --why "load test is over"', "follow the policy again"]],
});

const addRetry = reasonedVerb("retryWorkload", {
  name: "retry",
  description: "try the failed digests of a workload again, and ask its registry and its gates now",
  examples: [['lookout retry shop/api --why "the database is back"', "1.5.0 failed, and may be tried again"]],
});

export const addControl: AddVerb = (program, context) => {
  for (const addVerb of [addSet, addRollback, addSkip, addSuspend, addResume, addRetry]) addVerb(program, context);
};

function withWhy(command: Command): Command {
  return command
    .requiredOption("--why <text>", "the reason, for the history", readReason)
    .option("--by <name>", "your name in the history (default: the name of your token, else USER)");
}

function withContainer(command: Command): Command {
  return command.option("--container <name>", "the container, if the workload has several images");
}

function readReason(text: string): string {
  if (text.trim() !== "") return text;
  throw new Failure(exitCodes.wrongInput, "--why is empty: give the reason.");
}

function readUntil(text: string, now: EpochMs): EpochMs {
  const length = parseDuration(text);
  const until: EpochMs | undefined = length.ok ? plus(now, length.value) : parseInstant(text);
  if (until !== undefined) return until;
  throw new Failure(exitCodes.wrongInput, `--until "${text}" is neither a duration nor a time with its zone.`, [
    "For example: 7d, 2026-12-27T08:00:00+01:00",
  ]);
}

function answerOf(view: ControlView, style: Style): Answer {
  return { value: view, text: () => controlText(printable(view), style) };
}
