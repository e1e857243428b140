import { resolve } from "node:path";
import { type AddVerb, styleOf, type ServerFlags, withExamples, withServer } from "../context.ts";
import { exitCodes } from "../failure.ts";
import type { AnswerOf } from "../operations.ts";
import { paintMark } from "../render/style.ts";
import { findServer, type Server } from "../server.ts";
import { writeWhole } from "../whole-file.ts";
import type { World } from "../world.ts";

interface Flags extends ServerFlags {
  readonly history?: boolean;
}

/** `lookout export [FILE]` */
export const addExport: AddVerb = (program, { world, setExitCode }) => {
  const command = program
    .command("export")
    .description("write the stored state as JSON Lines, for lookout import")
    .argument("[file]", "the file to write (default: stdout)")
    .option("--history", "include the last 1000 decisions of each workload")
    .action(async (file: string | undefined, flags: Flags) => {
      if ((await exportTo(file, world, flags)) > 0) setExitCode(exitCodes.notSo);
    });
  withExamples(withServer(command), [
    ["lookout export state.ndjson", "export the state without the history"],
    ["lookout export --history --stack Lookout lookout.ndjson", "export a stack's state with the history"],
  ]);
};

/** Writes the export. Returns the number of items that it lacks, because Lookout can't read them. */
async function exportTo(file: string | undefined, world: World, { history, ...flags }: Flags): Promise<number> {
  const server = await findServer(world, flags);
  const unreadable = new Set<string>();
  const lines = linesOf(server, history === true, progressTo(world), unreadable);
  if (file === undefined) {
    for await (const line of lines) world.stdout.write(`${line}\n`);
  } else {
    const path = resolve(world.cwd, file);
    let count = 0;
    const counted = async function* (): AsyncGenerator<string> {
      for await (const line of lines) {
        count += 1;
        yield `${line}\n`;
      }
    };
    await writeWhole(path, counted());
    world.stdout.write(`${paintMark("✓", styleOf(world))} ${count} lines in ${file}, from ${server.label}\n`);
  }
  if (unreadable.size > 0) {
    const items = unreadable.size === 1 ? "1 stored item" : `${unreadable.size} stored items`;
    const text = `${items} can't be read, so the export lacks the content: look at lookout doctor`;
    world.stderr.write(`${paintMark("✗", styleOf(world))} ${text}\n`);
  }
  return unreadable.size;
}

/** The page sizes. A page with histories has fewer lines, because histories are long. */
const linesPerPage = 100;
const linesPerPageWithHistory = 10;

/** Returns the lines of an export, and adds the keys of the items that they lack. */
async function* linesOf(
  server: Server,
  history: boolean,
  report: (lines: number) => void,
  unreadable: Set<string>,
): AsyncGenerator<string> {
  let after: string | undefined;
  let lines = 0;
  do {
    const limit = history ? linesPerPageWithHistory : linesPerPage;
    const query = { limit, ...(history ? { history: "true" as const } : {}), after };
    const page: AnswerOf<"exportState"> = await server.ask("exportState", { query });
    if (after === undefined) yield JSON.stringify(page.header);
    for (const { partition, sortKey } of page.unreadable ?? []) unreadable.add(`${partition}\n${sortKey}`);
    for (const row of page.rows) yield JSON.stringify(row);
    lines += page.rows.length;
    after = page.next;
    if (after !== undefined) report(lines);
  } while (after !== undefined);
  // The last line shows that the file is complete.
  yield JSON.stringify({ lookout: "end", rows: lines });
}

/** Returns a function that writes progress to a terminal. */
export function progressTo({ isTerminal, stderr }: World): (lines: number, of?: number) => void {
  return (lines, of) => {
    if (isTerminal) stderr.write(`${lines}${of === undefined ? "" : ` of ${of}`} lines\n`);
  };
}
