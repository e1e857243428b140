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

A workload is \`[cluster/]namespace/[kind/]name\`. Its shortest unambiguous name is enough. Commands
that show something print JSON with \`--output json\`. Commands ask the process of this folder, unless
\`--server\` or \`--stack\` names another Lookout ([settings](local.md#settings)).
`;

const exitCodes = `
## Exit codes

| code | meaning |
|---|---|
${Object.entries(exitCodeMeanings)
  .map(([code, meaning]) => `| ${code} | ${meaning} |`)
  .join("\n")}

\`lookout start\` ends with 0 when it is stopped (Ctrl-C, SIGTERM or SIGHUP), with 2 when it can't
start, and with 3 when its state is damaged. \`lookout watch\` ends with 0 on Ctrl-C, and with 3
without a process. When the reader of its output ends, \`start\` ends with 3, other commands with 0.
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

/** Groups that do something without a subcommand. */
const alone: ReadonlySet<string> = new Set(["config", "approvals"]);

/** Any other group of commands has no row. */
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
