import type { ExportHeader, ImportRequest, ImportView } from "#contracts/api/transfer";
import { isObject, parseJson } from "#domain/shared/json";
import { serverVerb } from "../server-verb.ts";
import { exitCodes, Failure } from "../failure.ts";
import { inputText, nameOfInput } from "../input.ts";
import { paintMark } from "../render/style.ts";
import type { World } from "../world.ts";
import { progressTo } from "./export.ts";

/** `lookout import FILE` */
export const addImport = serverVerb<[file: string]>({
  name: "import",
  description: "import an export into an empty or the exporting installation",
  parameters: [["<file>", "the file of lookout export; - means stdin"]],
  formats: ["text", "json", "yaml"],
  examples: [["lookout import --stack Lookout state.ndjson", "import before the clusters are in lookout.yaml"]],
  async answer({ world, server, style }, file) {
    const { header, rows } = await readExport(world, file);
    const report = progressTo(world);
    let sum: ImportView = { stored: 0, kept: 0 };
    // All rows are checked before the first row is stored.
    for (const batch of batchesOf(header, rows))
      await server.ask("importState", { body: { ...batch, checkOnly: true } });
    for (const batch of batchesOf(header, rows)) {
      const { stored, kept } = await server.ask("importState", { body: batch });
      sum = { stored: sum.stored + stored, kept: sum.kept + kept };
      report(sum.stored + sum.kept, rows.length);
    }
    const kept = sum.kept === 0 ? "" : `; ${sum.kept} existed already and are unchanged`;
    const done = `${sum.stored} of ${rows.length} lines of ${nameOfInput(file)} are stored${kept}.`;
    return { value: sum, text: () => `${paintMark("✓", style)} ${done}\n${server.label}\n` };
  },
});

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
  const [header, ...rows] = lines.map((line, index): Row => ({ text: line, value: objectIn(line, file, index + 1) }));
  if (header === undefined || !isHeader(header.value)) throw broken(file, 1, "the line is not the header of an export");
  return { header: header.value, rows };
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
