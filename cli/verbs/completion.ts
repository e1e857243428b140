import type { Command } from "commander";
import { durationMs } from "#domain/shared/time";
import { printableText } from "#domain/shared/shown-text";
import type { AddVerb, ServerFlags } from "../context.ts";
import { exitCodes, Failure } from "../failure.ts";
import { findServer, type Server } from "../server.ts";
import type { World } from "../world.ts";

const shells = ["bash", "zsh", "fish", "powershell"];

/**
 * The script for bash. The library's script needs another package, evaluates the typed words, and
 * prints errors when it is sourced again.
 */
const bashScript = `# bash completion for lookout
__lookout_complete() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    [[ $line == :* ]] || COMPREPLY+=("\${line%%$'\\t'*}")
  done < <(lookout complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F __lookout_complete lookout
`;

/** `lookout completion SHELL` */
export const addCompletion: AddVerb = (program, { world }) => {
  program
    .command("completion")
    .description("print the script that completes commands, options and workloads in your shell")
    .argument("<shell>", `one of ${shells.join(", ")}`)
    .addHelpText(
      "after",
      [
        "",
        "Examples:",
        "  source <(lookout completion bash)",
        "  source <(lookout completion zsh)",
        "  lookout completion fish > ~/.config/fish/completions/lookout.fish",
      ].join("\n"),
    )
    .action(async (shell: string) => {
      if (!shells.includes(shell))
        throw new Failure(exitCodes.wrongInput, `"${shell}" is no known shell: expected ${shells.join(", ")}.`);
      if (shell === "bash") {
        world.stdout.write(bashScript);
        return;
      }
      const { script } = await import("@bomb.sh/tab");
      script(shell, "lookout", "lookout");
    });
};

/** The first argument of the requests that the scripts send: `complete -- ARGUMENTS`. */
export const completeRequest = "complete";

/** Prints what may follow the given arguments, in the form of the scripts. The library adds its own `completion`. */
export async function complete(
  world: World,
  [, , ...typed]: readonly string[],
  programWithout: (verb: AddVerb) => Command,
): Promise<void> {
  const program = programWithout(addCompletion);
  const places = placesIn(commandIn(program, typed));
  if (places.length > 0) {
    const read = places.find(({ reads }) => reads !== undefined)?.reads ?? readNames;
    const names = await namesOfServer(world, serverFlagsIn(typed), read);
    for (const { place, offers } of places) place.argChoices = [...offers(names)];
  }
  const { default: completionOf } = await import("@bomb.sh/tab/commander");
  completionOf(program, { completionCommandName: "completion" }).parse([...typed]);
}

/** Returns the command that the first words name. */
function commandIn(command: Command, [first, ...rest]: readonly string[]): Command {
  const next = command.commands.find((candidate) => candidate.name() === first);
  return next === undefined ? command : commandIn(next, rest);
}

interface Names {
  readonly clusters: readonly string[];
  readonly namespaces: readonly string[];
  /** The shortest names that name one workload each. */
  readonly workloads: readonly string[];
  readonly channels: readonly string[];
  readonly groups: readonly string[];
}

const noNames: Names = { clusters: [], namespaces: [], workloads: [], channels: [], groups: [] };

interface Offered {
  readonly offers: (names: Names) => readonly string[];
  /** How the names are read. Absent: with {@link readNames}. */
  readonly reads?: (server: Server) => Promise<Names>;
}

interface Place extends Offered {
  readonly place: { argChoices?: string[] | undefined };
}

/** The arguments and options that name a part of the fleet. */
const offeredByName: Readonly<Record<string, Offered>> = {
  workload: { offers: ({ workloads }) => workloads },
  scope: { offers: ({ clusters, namespaces, workloads }) => [...new Set([...clusters, ...namespaces, ...workloads])] },
  namespace: { offers: ({ namespaces }) => namespaces },
  cluster: { offers: ({ clusters }) => clusters },
  channel: { offers: ({ channels }) => channels, reads: readChannels },
};
/** Options of these names mean something else. */
const offeredAsArgument: Readonly<Record<string, Offered>> = {
  ...offeredByName,
  group: { offers: ({ groups }) => groups, reads: readGroups },
};

function placesIn(command: Command): readonly Place[] {
  const parts = [
    ...command.registeredArguments.map((place) => ({ place, offered: offeredAsArgument[place.name()] })),
    ...command.options.map((place) => ({ place, offered: offeredByName[place.attributeName()] })),
  ];
  return parts.flatMap(({ place, offered }) => (offered === undefined ? [] : [{ place, ...offered }]));
}

/** The time limit of all requests of a completion. */
const answerWithin = durationMs(1_000);
const mostWorkloads = 1_000;

/** Returns the names that the server knows. Without an answer in time, there are none. */
async function namesOfServer(
  world: World,
  flags: ServerFlags,
  read: (server: Server) => Promise<Names>,
): Promise<Names> {
  const end = new AbortController();
  const fetch: World["fetch"] = (url, request, trust) => world.fetch(url, { signal: end.signal, ...request }, trust);
  const names = findServer({ ...world, fetch }, flags)
    .then(read)
    .catch(() => noNames);
  const late = world.pause(answerWithin, end.signal).then(() => noNames);
  const first = await Promise.race([names, late]);
  end.abort();
  return first;
}

async function readChannels(server: Server): Promise<Names> {
  const { channels } = await server.ask("listChannels");
  return { ...noNames, channels: channels.map(({ name }) => printableText(name)) };
}

async function readGroups(server: Server): Promise<Names> {
  const { groups } = await server.ask("listTiers", { query: {} });
  return { ...noNames, groups: groups.map(({ group }) => printableText(group)) };
}

async function readNames(server: Server): Promise<Names> {
  const { rows, clusters } = await server.ask("listWorkloads", { query: { view: "row", limit: mostWorkloads } });
  const keys = rows.map(({ workload }) => printableText(workload));
  const short = Map.groupBy(keys, (key) =>
    key
      .split("/")
      .filter((_, index) => index % 2 === 1)
      .join("/"),
  );
  return {
    ...noNames,
    clusters: clusters.map(({ name }) => name),
    namespaces: [...new Set(keys.map((key) => key.split("/").at(1) ?? ""))],
    workloads: [...short].flatMap(([name, [only = "", ...more]]) => (more.length === 0 ? [name] : [only, ...more])),
  };
}

/** Returns the options of the server among the typed words. */
function serverFlagsIn(typed: readonly string[]): ServerFlags {
  const valueOf = (flag: string): string | undefined => {
    const index = typed.indexOf(flag);
    return index < 0 ? undefined : typed[index + 1];
  };
  const flags = { server: valueOf("--server"), stack: valueOf("--stack"), data: valueOf("--data") };
  return Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined));
}
