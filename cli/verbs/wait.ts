import { InvalidArgumentError, Option } from "commander";
import { parseImageReference } from "#domain/image/reference";
import { parseDuration } from "#domain/shared/duration";
import { type DurationMs, durationMs } from "#domain/shared/time";
import type { Condition } from "../answers/wait.ts";
import { type AddVerb, choice, type ServerFlags, withExamples, withServer } from "../context.ts";
import { type ExitCode, exitCodes, Failure, interruptedCode } from "../failure.ts";
import { findWorkload } from "../scopes.ts";
import type { World } from "../world.ts";
import { versionGoal, waitOutput } from "../wait-output.ts";
import type { Awaited } from "../wait-reads.ts";
import { waitForAll, type Waiting } from "../waiting.ts";

interface Flags extends ServerFlags {
  readonly for: Condition;
  readonly timeout: DurationMs;
  readonly output: "text" | "json";
}

const defaultTimeout = "10m";

/** `lookout wait WORKLOAD [VERSION]` */
export const addWait: AddVerb = (program, { world, setExitCode }) => {
  const command = program
    .command("wait")
    .description(
      "wait until a version runs in a workload; exit 1 if it failed, 4 if it is not wanted, 5 after the timeout",
    )
    .argument("<workload>", "[cluster/]namespace/[kind/]name")
    .argument("[version]", "a tag or a digest (default: the update that is open now, or the next one)", versionOf)
    .addOption(
      choice("--for <condition>", "succeeded, or settled: the update has ended in any way", [
        "succeeded",
        "settled",
      ]).default("succeeded"),
    )
    .addOption(timeoutOption())
    .addOption(
      choice("-o, --output <format>", "text, or one JSON object per step, with the result as the last", [
        "text",
        "json",
      ]).default("text"),
    )
    .action(async (workload: string, version: string | undefined, flags: Flags) => {
      const goal = versionGoal(version);
      const one = async (server: Parameters<Waiting["awaited"]>[0]): Promise<readonly Awaited[]> => [
        { workload: await findWorkload(server, workload), ...(goal === undefined ? {} : { goal }) },
      ];
      setExitCode(await wait(world, { ...flags, isAlone: true, awaited: one }));
    });
  withExamples(withServer(command), [
    ["lookout wait shop/api 1.5.0", "after a push: wait up to ten minutes until 1.5.0 runs"],
    ["lookout wait shop/api 1.5.0 --timeout 2h", "wait for approvals and windows too"],
    ["lookout wait shop/api --for settled", "wait until the open update has ended, also after a rollback"],
  ]);
};

/** How and for what to wait. */
export interface WaitFlags extends Flags {
  readonly isAlone: boolean;
  readonly awaited: Waiting["awaited"];
}

/** Waits, and writes the steps and the end. Returns the exit code. */
export async function wait(
  world: World,
  { for: condition, timeout, output: format, isAlone, awaited, ...flags }: WaitFlags,
): Promise<ExitCode | typeof interruptedCode> {
  // The exit code matters even if nobody reads the output.
  world.outputClosed();
  const { report, style, exitCode, clear } = waitOutput(world, { format, condition, isAlone });
  const ended = await waitForAll({ world, flags, report, style, timeout, awaited }).finally(clear);
  if (ended === "done") return exitCode();
  world.stderr.write("! Interrupted. The update goes on without this command.\n");
  return interruptedCode;
}

/** Returns the option `--timeout`, with its default. */
export function timeoutOption(): Option {
  return new Option("--timeout <duration>", "the longest wait: 90s, 10m, 2h")
    .argParser(timeoutOf)
    .default(timeoutOf(defaultTimeout), defaultTimeout);
}

/** Reads a duration. The longest is that of a timer: 24 days. */
function timeoutOf(text: string): DurationMs {
  const timeout = parseDuration(text);
  if (!timeout.ok) throw new InvalidArgumentError(`Expected a duration: 90s, 10m, 2h. ${timeout.problem}`);
  if (timeout.value > longestTimeout) throw new InvalidArgumentError("The longest timeout is 24d.");
  return timeout.value;
}

const longestTimeout = durationMs(24 * 24 * 3_600_000);

function versionOf(text: string): string {
  const digits = text.replace(/^sha256:/, "");
  const isDigest = text.startsWith("sha256:") && /^[0-9a-f]{12,64}$/.test(digits);
  const reference = parseImageReference(`registry.test/path:${text}`);
  const isTag = reference.ok && reference.value.tag === text;
  if (isDigest || isTag) return text;
  throw new Failure(exitCodes.wrongInput, `"${text}" is neither a tag nor a digest.`, [
    "For example: lookout wait shop/api 1.5.0",
  ]);
}
