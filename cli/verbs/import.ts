import type { ExportHeader, ImportRequest, ImportView } from "#contracts/api/transfer";
import { isObject, parseJson } from "#domain/shared/json";
import { userOf } from "../context.ts";
import { serverVerb } from "../server-verb.ts";
import { exitCodes, Failure } from "../failure.ts";
import { inputText, nameOfInput } from "../input.ts";
import { paintMark, type Style } from "../render/style.ts";
import type { World } from "../world.ts";
import { progressTo } from "./export.ts";

interface Flags {
  readonly withEvidence?: boolean;
}

/** `lookout import FILE` */
export const addImport = serverVerb<[file: string], Flags>({
  name: "import",
  description: "import an export into an empty or the exporting installation",
  parameters: [["<file>", "the file of lookout export; - means stdin"]],
  options: (command) =>
    command.option("--with-evidence", "store votes and first sightings too, which open gates (for an owner)"),
  formats: ["text", "json", "yaml"],
  examples: [
    ["lookout import --stack Lookout state.ndjson", "import before the clusters are in lookout.yaml"],
    ["lookout import --with-evidence state.ndjson", "keep approvals and ages, as an owner of lookout.yaml"],
  ],
  async answer({ world, server, flags, style }, file) {
    const { header, rows } = await readExport(world, file);
    const report = progressTo(world);
    const isOwner = flags.withEvidence === true;
    const evidence = isOwner ? { withEvidence: true } : {};
    const asked = isOwner ? await server.asPerson() : server;
    const by = userOf(world, asked);
    let sum: ImportView = { stored: 0, kept: 0, evidence: 0 };
    // All rows are checked before the first row is stored.
    for (const batch of batchesOf(header, rows))
      await asked.ask("importState", { body: { ...batch, ...evidence, checkOnly: true } });
    for (const batch of batchesOf(header, rows)) {
      const view = await asked.ask("importState", { body: { ...batch, ...evidence, by } });
      sum = {
        stored: sum.stored + view.stored,
        kept: sum.kept + view.kept,
        evidence: sum.evidence + view.evidence,
      };
      report(sum.stored + sum.kept + sum.evidence, rows.length);
    }
    return { value: sum, text: () => `${doneText(sum, rows.length, nameOfInput(file), style)}${server.label}\n` };
  },
});

function doneText({ stored, kept, evidence }: ImportView, of: number, file: string, style: Style): string {
  const existed = kept === 0 ? "" : `; ${kept} existed already and are unchanged`;
  const done = `${paintMark("✓", style)} ${stored} of ${of} lines of ${file} are stored${existed}.\n`;
  if (evidence === 0) return done;
  const lines =
    evidence === 1 ? "1 line of votes and first sightings was" : `${evidence} lines of votes and first sightings were`;
  return `${done}  ${lines} left out, because they open gates. An owner stores them: lookout import --with-evidence ${file}\n`;
}

interface Row {
  readonly text: string;
  readonly value: object;
}

/**
 * Returns the header and the rows of an export. All lines are read first, so a broken file stores
 * nothing.
 */
async function readExport(
  world: World,
  file: string,
): Promise<{ readonly header: ExportHeader; readonly rows: readonly Row[] }> {
  const lines = (await inputText(file, world)).split("\n");
  // A file without a final line break is incomplete.
  if (lines.pop() !== "")
    throw broken(file, lines.length + 1, "the file is incomplete: it does not end with a line break");
  const [header, ...rest] = lines.map((line, index): Row => ({ text: line, value: objectIn(line, file, index + 1) }));
  if (header === undefined || !isHeader(header.value)) throw broken(file, 1, "the line is not the header of an export");
  // An export of an earlier version has no end. The server refuses its header with the reason.
  if (!(header.value.schemaVersion >= firstSchemaWithEnd)) return { header: header.value, rows: rest };
  const end = rest.pop();
  if (end === undefined || !isEndOf(end.value, rest.length))
    throw broken(file, lines.length, "the file is incomplete: its last line does not end the export");
  return { header: header.value, rows: rest };
}

/** The first version of exports whose last line has the number of lines. */
const firstSchemaWithEnd: number = 6;

function isEndOf(value: object, rows: number): boolean {
  return "lookout" in value && value.lookout === "end" && "rows" in value && value.rows === rows;
}

function objectIn(line: string, file: string, number: number): object {
  const value = parseJson(line);
  if (isObject(value)) return value;
  throw broken(file, number, "the line is not a line of an export");
}

/** Returns whether a line is an export's header. The server checks its other fields. */
function isHeader(value: object): value is ExportHeader {
  return "lookout" in value && value.lookout === "export";
}

function broken(file: string, line: number, why: string): Failure {
  return new Failure(exitCodes.wrongInput, `${nameOfInput(file)}, line ${line}: ${why}. No line was stored.`);
}

/**
 * The maximum number of characters in a batch. A request may have 1 MiB, which leaves room for
 * other JSON and for characters of several bytes.
 */
const mostCharacters = 250_000;
const mostRows = 200;

function* batchesOf(header: ExportHeader, rows: readonly Row[]): Generator<ImportRequest> {
  // The header is line 1.
  const first = 2;
  let from = 0;
  let characters = 0;
  for (const [index, { text }] of rows.entries()) {
    if (index > from && (characters + text.length > mostCharacters || index - from >= mostRows)) {
      yield { header, firstLine: first + from, rows: rows.slice(from, index).map(({ value }) => value) };
      [from, characters] = [index, 0];
    }
    characters += text.length;
  }
  yield { header, firstLine: first + from, rows: rows.slice(from).map(({ value }) => value) };
}
