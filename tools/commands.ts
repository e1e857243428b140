import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { format } from "prettier";
import { exitCodeMeanings } from "#cli/failure";
import { worldOfThisProcess } from "#cli/main";
import { programOf } from "#cli/program";

type Command = ReturnType<typeof programOf>;

/** The page that lists the commands. */
export const commandsFile = fileURLToPath(new URL("../docs/commands.md", import.meta.url));

const introduction = `# Commands

\`npm run generate\` writes this page from the program's help. \`lookout COMMAND --help\` shows the
options and examples of one command. In a checkout, write \`npx lookout\`.

A workload is \`[cluster/]namespace/[kind/]name\`. Its shortest unambiguous name is enough. Lists also take a cluster, a namespace or \`CLUSTER/NAMESPACE\`, and the flags \`-n\`, \`-A\` and \`--cluster\`. \`status\` also takes \`-l\`, \`--state\`, \`--image\`, \`--sort-by\` and \`-w\`. An ambiguous word is refused with its candidates. \`-o wide\` shows all rows with whole digests and labels; \`-o json\` and \`-o yaml\` print an \`apiVersion\` and a \`kind\`; \`-o name\` prints names that other commands accept. Commands use the process of this folder, or the Lookout of \`--server\` or \`--stack\` ([settings](local.md#settings)).
`;

const exitCodes = `
## Exit codes

| code | meaning |
|---|---|
${Object.entries(exitCodeMeanings)
  .map(([code, meaning]) => `| ${code} | ${meaning} |`)
  .join("\n")}

\`lookout start\` ends with 0 after a signal (Ctrl-C, SIGTERM or SIGHUP), with 2 if it can't start, and with 3 if its state is damaged. \`lookout watch\` ends with 0 on Ctrl-C, and with 3
without a process. \`lookout wait\` and \`lookout push --wait\` end with 130 on Ctrl-C ([all codes](pipelines.md)). \`lookout status\` ends with 1 only with \`--exit-code\`. If the reader of the output ends, \`start\` ends with 3, and other commands with 0.
`;

/** Returns the page of all commands, in the order of the help. */
export function commandsText(): Promise<string> {
  const program = programOf({
    world: worldOfThisProcess(() => new AbortController().signal),
    setExitCode: () => undefined,
  });
  const rows = program.commands.flatMap((command) => rowsOf(command, "lookout"));
  return format(`${introduction}\n${rows.join("\n")}\n${exitCodes}`, {
    parser: "markdown",
    printWidth: 100,
    proseWrap: "always",
  });
}

/** The groups of commands that are also commands themselves. */
const alone: ReadonlySet<string> = new Set(["config", "approvals"]);

/** Returns the rows of a command and its subcommands. A group that is no command has no row. */
function rowsOf(command: Command, parent: string): readonly string[] {
  const name = `${parent} ${command.name()}`;
  const own = command.commands.length > 0 && !alone.has(command.name()) ? [] : [rowOf(command, name)];
  return [...own, ...command.commands.flatMap((child) => rowsOf(child, name))];
}

function rowOf(command: Command, name: string): string {
  const usage = command.registeredArguments.map((argument) => {
    const shown = `${argument.name().toUpperCase()}${argument.variadic ? "…" : ""}`;
    return argument.required ? shown : `[${shown}]`;
  });
  return `- \`${[name, ...usage].join(" ")}\`: ${command.description()}.`;
}

if (import.meta.main) await writeFile(commandsFile, await commandsText());
