import { Command, CommanderError } from "commander";
import { lookoutVersion } from "#contracts/version";
import { type AddVerb, type Context, unknownCommand } from "./context.ts";
import { exitCodeMeanings, exitCodes, Failure, formatFailure } from "./failure.ts";
import { addApprovals } from "./verbs/approvals.ts";
import { addBackup } from "./verbs/backup.ts";
import { addChannel } from "./verbs/channel.ts";
import { addCluster } from "./verbs/cluster.ts";
import { addConfig } from "./verbs/config.ts";
import { addCompletion, complete, completeRequest } from "./verbs/completion.ts";
import { addControl } from "./verbs/control.ts";
import { addDemo } from "./verbs/demo.ts";
import { addDigest } from "./verbs/digest.ts";
import { addDoctor } from "./verbs/doctor.ts";
import { addExplain } from "./verbs/explain.ts";
import { addExport } from "./verbs/export.ts";
import { addFreezes } from "./verbs/freeze.ts";
import { addHistory } from "./verbs/history.ts";
import { addImage } from "./verbs/image.ts";
import { addImages } from "./verbs/images.ts";
import { addImport } from "./verbs/import.ts";
import { addUnblock } from "./verbs/unblock.ts";
import { addOutdated } from "./verbs/outdated.ts";
import { addPolicy } from "./verbs/policy.ts";
import { addPush } from "./verbs/push.ts";
import { addQuarantine } from "./verbs/quarantine.ts";
import { addRegistry } from "./verbs/registry.ts";
import { addRelease } from "./verbs/release.ts";
import { addStart } from "./verbs/start.ts";
import { addStatus } from "./verbs/status.ts";
import { addSweep } from "./verbs/sweep.ts";
import { addTiers } from "./verbs/tiers.ts";
import { addTokens } from "./verbs/token.ts";
import { addUpdates } from "./verbs/updates.ts";
import { addVersion } from "./verbs/version.ts";
import { addWait } from "./verbs/wait.ts";
import { addWatch } from "./verbs/watch.ts";
import { addWebhook } from "./verbs/webhook.ts";
import { addWindow } from "./verbs/window.ts";
import { addWorkload } from "./verbs/workload.ts";
import { terminalWidth } from "#runtime/text-width";
import { groupCommands } from "./help-groups.ts";
import { writtenHere } from "./kubectl-verbs.ts";
import type { World } from "./world.ts";

/** The functions that add verbs. */
const verbs: readonly AddVerb[] = [
  addStart,
  addDemo,
  addOutdated,
  addPush,
  addStatus,
  addWait,
  addWatch,
  addExplain,
  addHistory,
  addImages,
  addDigest,
  addUpdates,
  addTiers,
  addSweep,
  addApprovals,
  addUnblock,
  addRelease,
  addControl,
  addQuarantine,
  addFreezes,
  addCluster,
  addRegistry,
  addChannel,
  addImage,
  addPolicy,
  addWindow,
  addWebhook,
  addWorkload,
  addConfig,
  addDoctor,
  addTokens,
  addBackup,
  addExport,
  addImport,
  addCompletion,
  addVersion,
];

/**
 * Runs one command of `lookout`.
 *
 * @param arguments_ - without the names of the interpreter and the program
 * @returns one of {@link exitCodes}. A failure is written to stderr.
 */
export async function run(arguments_: readonly string[], surroundings: World): Promise<number> {
  const world = shownIn(surroundings, arguments_);
  let exitCode: number = exitCodes.done;
  const program = programOf({ world, setExitCode: (code) => void (exitCode = code) });
  try {
    if (arguments_[0] === "help") checkHelpNames(program, arguments_.slice(1));
    if (arguments_[0] === completeRequest) {
      await complete(world, arguments_, (others) => programOf({ world, setExitCode: () => undefined }, others));
      return exitCodes.done;
    }
    checkVerb(program, arguments_);
    await program.parseAsync([...arguments_], { from: "user" });
    return exitCode;
  } catch (error) {
    const failure = failureOf(error, program, arguments_);
    if (failure === undefined) return exitCodes.done;
    world.stderr.write(formatFailure(failure));
    return failure.exitCode;
  }
}

/** Returns the command with all its verbs. */
export function programOf(surroundings: Omit<Context, "run">, without?: AddVerb): Command {
  const context = { ...surroundings, run };
  const program = commandOf(context.world);
  for (const addVerb of verbs) if (addVerb !== without) addVerb(program, context);
  program.commands.forEach(setHelpOption);
  groupCommands(program);
  return program;
}

/** Returns the surroundings of a command: without colours for `--no-color`, and in ASCII without UTF-8. */
function shownIn(world: World, arguments_: readonly string[]): World {
  const { environment, stdout, stderr } = world;
  const isPlain = arguments_.includes("--no-color");
  const locale = environment.LC_ALL ?? environment.LC_CTYPE ?? environment.LANG ?? "";
  const isAscii = world.isTerminal && locale !== "" && !/utf-?8/i.test(locale);
  return {
    ...world,
    environment: isPlain ? { ...environment, NO_COLOR: "1" } : environment,
    ...(isAscii
      ? {
          stdout: { write: (text) => stdout.write(inAscii(text)) },
          stderr: { write: (text) => stderr.write(inAscii(text)) },
        }
      : {}),
  };
}

/** The signs of the output and their ASCII forms, which have the same width. */
const signs: Readonly<Record<string, string>> = {
  ...{ "✓": "+", "✗": "x", "⏸": "=", "↻": "~", "↩": "<" },
  ...{ "→": ">", "·": "|", "–": "-", "…": "~" },
};

function inAscii(text: string): string {
  return text.replaceAll(/[✓✗⏸↻↩→·–…]/g, (sign) => signs[sign] ?? sign);
}

function commandOf({ stdout, columns, environment }: World): Command {
  const helpWidth = terminalWidth(columns, environment) ?? 100;
  return new Command("lookout")
    .description("Updates the images of Kubernetes workloads after each push, and gives the reason if an update waits.")
    .version(`lookout ${lookoutVersion}`, "-v, --version", "show the version")
    .option("--no-color", "no colours (NO_COLOR, TERM=dumb)")
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .helpOption("-h, --help", "show help")
    .helpCommand("help [command]", "show help for a command")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      // Commander writes the help of a missing subcommand here. `run` writes errors.
      writeErr: (text) => stdout.write(text),
      outputError: () => undefined,
      getOutHelpWidth: () => helpWidth,
      getErrHelpWidth: () => helpWidth,
    })
    .addHelpText("after", rootHelp);
}

const rootHelp = `
A workload is [cluster/]namespace/[kind/]name. You may omit a part if the rest matches only one workload.
Most commands also take a cluster, a namespace, or -n, --cluster and -l, as kubectl does.

The server comes from --server or --stack, else from LOOKOUT_SERVER or LOOKOUT_STACK, else from ./.lookout.
A named server gets LOOKOUT_TOKEN, and the local process gets its own token.
The file LOOKOUT_TOKEN_FILE may contain the token of a named server, or the token of a vote on a local Lookout.
Requests to a stack on AWS are signed with the credentials of your environment or profile.

Exit codes:
${Object.entries(exitCodeMeanings)
  .map(([code, meaning]) => `  ${code}  ${meaning}`)
  .join("\n")}

Examples:
  lookout start                 run the demo in this terminal
  lookout push shop/api:1.3.0   in another terminal: push an image that Lookout rolls out
  lookout status                list workloads and the reasons why updates wait
  lookout explain shop/api      list gates and rejected tags`;

/** Sets the text of the help option. Subcommands do not inherit the text. */
function setHelpOption(command: Command): void {
  command.helpOption("-h, --help", "show help");
  command.commands.forEach(setHelpOption);
}

/** Throws for an unknown command, with the command that does this here. */
function checkVerb(program: Command, arguments_: readonly string[]): void {
  const typed = arguments_.filter((word) => word !== "--no-color");
  const [name = "-"] = typed;
  if (name.startsWith("-") || name === "help" || program.commands.some((command) => command.name() === name)) return;
  const isCommand = (words: string): boolean => {
    const [first, second] = words.split(" ");
    const found = program.commands.find((command) => command.name() === first);
    return found !== undefined && (second === undefined || found.commands.some((one) => one.name() === second));
  };
  const here = writtenHere(typed, isCommand);
  const { message, advice } = unknownCommand(name, program);
  throw new Failure(exitCodes.wrongInput, message, [
    ...(here === undefined ? advice : [here]),
    "To see all commands:  lookout --help",
  ]);
}

/** Throws for an unknown command after `help`. Commander would show the root's help. */
function checkHelpNames(command: Command, [name, ...rest]: readonly string[]): void {
  if (name === undefined || name.startsWith("-")) return;
  const next = command.commands.find((candidate) => candidate.name() === name);
  if (next !== undefined) checkHelpNames(next, rest);
  else throw unknownCommand(name, command);
}

/** Returns the failure of an error; undefined if the command wrote its help or version. */
function failureOf(
  error: unknown,
  program: Command,
  arguments_: readonly string[],
): Pick<Failure, "message" | "advice" | "exitCode"> | undefined {
  if (error instanceof Failure) return error;
  if (error instanceof CommanderError)
    return error.exitCode === 0 || error.code === "commander.help"
      ? undefined
      : usageFailure(error, program, arguments_);
  const { message: text, name } = error instanceof Error ? error : new Error(String(error));
  const [message = "", ...more] = text.split("\n");
  const advice = more.map((line) => line.trim());
  if (name === "PermanentError") return { message, advice, exitCode: exitCodes.wrongInput };
  if (name === "TransientError" || name === "NewerRecordError")
    return { message, advice, exitCode: exitCodes.unreachable };
  return { message: `lookout failed: ${message}`, advice, exitCode: exitCodes.notSo };
}

function usageFailure({ message }: CommanderError, program: Command, arguments_: readonly string[]): Failure {
  const help = `To see all options:  ${nameOf(program, arguments_)} --help`;
  const [first = "", ...rest] = message.replace(/^error: /, "").split("\n");
  const sentence = first.charAt(0).toUpperCase() + first.slice(1);
  const suggestions = rest.map((line) => line.replace(/^\((.*)\)$/, "$1"));
  return new Failure(exitCodes.wrongInput, /[.?!]$/.test(sentence) ? sentence : `${sentence}.`, [...suggestions, help]);
}

/** Returns the longest command that the arguments name: `lookout quarantine add`. */
function nameOf(command: Command, [first, ...rest]: readonly string[]): string {
  const next = command.commands.find((candidate) => candidate.name() === first);
  return next === undefined ? command.name() : `${command.name()} ${nameOf(next, rest)}`;
}
