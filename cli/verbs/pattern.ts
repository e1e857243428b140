import type { Command } from "commander";
import { type EventRule, matchesPattern, parseEventPattern } from "#domain/event-pattern";
import { isObject } from "#domain/json";
import { readJson } from "#domain/json-fault";
import { answerLines } from "../batch/lines.ts";
import { answerPatternLine } from "../batch/pattern-line.ts";
import { type AddVerb, type Context, lookOf, withBatch, withExamples, withOutput } from "../context.ts";
import { exitCodes, Failure } from "../failure.ts";
import { inputText, nameOfInput } from "../input.ts";
import { writeAnswer } from "../output.ts";
import { renderTable } from "../render/table.ts";
import type { World } from "../world.ts";

interface Flags {
  readonly pattern?: string;
  readonly batch?: boolean;
  readonly output: string;
}

/** `lookout pattern match` */
export const addPattern: AddVerb = (program, context) => {
  const group = program.command("pattern").description("which events a rule of EventBridge takes");
  const command: Command = group
    .command("match")
    .description("try an event pattern on events, as the bus does; exit 1 when none matches")
    .argument("[files...]", "each holds an event as JSON; - is the input")
    .option("--pattern <json>", "the event pattern")
    .action((files: readonly string[], flags: Flags) => match(context, files, flags));
  withExamples(withBatch(withOutput(command, ["table", "json", "yaml", "name"])), [
    [`lookout pattern match --pattern '{"source":["aws.ecr"]}' event.json`, "whether a rule would take it"],
    ["lookout pattern match --batch < cases.jsonl", '{"pattern":{…},"event":{…}} on each line'],
  ]);
};

async function match(context: Context, files: readonly string[], { pattern, batch, output }: Flags): Promise<void> {
  if (batch === true) return answerLines(context, answerPatternLine);
  if (pattern === undefined) throw new Failure(exitCodes.wrongInput, "Say which pattern: --pattern.");
  if (files.length === 0)
    throw new Failure(exitCodes.wrongInput, "Name a file that holds an event, or - for the input.");
  const rule = ruleOf(pattern);
  const answers = await Promise.all(
    files.map(async (file) => ({ event: file, matches: matchesPattern(rule, await eventIn(context.world, file)) })),
  );
  const matching = answers.filter(({ matches }) => matches);
  await writeAnswer(context.world, output, {
    value: answers,
    text: () =>
      renderTable(
        ["EVENT", "MATCHES"],
        answers.map(({ event, matches }) => [event, matches ? "yes" : "no"]),
        lookOf(context.world),
      ),
    names: () => matching.map(({ event }) => event),
  });
  if (matching.length === 0) context.endWith(exitCodes.notSo);
}

function ruleOf(typed: string): EventRule {
  const rule = parseEventPattern(jsonOf(typed, "--pattern"));
  if (rule.ok) return rule.value;
  throw new Failure(exitCodes.wrongInput, `Not a pattern: ${rule.problem.message}.`);
}

async function eventIn(world: World, file: string): Promise<Readonly<Record<string, unknown>>> {
  const event = jsonOf(await inputText(file, world), nameOfInput(file));
  if (isObject(event)) return event;
  throw new Failure(exitCodes.wrongInput, `${nameOfInput(file)} holds no event: expected an object.`);
}

function jsonOf(text: string, place: string): unknown {
  const read = readJson(text);
  if (read.ok) return read.value;
  throw new Failure(exitCodes.wrongInput, `${place} is not JSON: ${read.problem}.`);
}
