import type { ExportHeader, ImportRequest, ImportView } from "#contracts/api/transfer";
import { isObject, parseJson } from "#domain/shared/json";
import { asking } from "../asking.ts";
import { exitCodes, Failure } from "../failure.ts";
import { inputText, nameOfInput } from "../input.ts";
import { paintMark } from "../render/look.ts";
import type { World } from "../world.ts";
import { progressTo } from "./export.ts";

/** `lookout import FILE` */
export const addImport = asking<[file: string]>({
  name: "import",
  tells: "store what lookout export wrote, in a Lookout that knows no workload yet, or that is the same installation",
  takes: [["<file>", "as lookout export wrote it; - is the input"]],
  formats: ["text", "json", "yaml"],
  examples: [["lookout import --stack Lookout state.ndjson", "before its clusters are in lookout.yaml"]],
  async answer({ world, server, look }, file) {
    const { header, rows } = await readExport(world, file);
    const tell = progressTo(world);
    let sum: ImportView = { stored: 0, kept: 0 };
    // All are checked before any is stored.
    for (const batch of batchesOf(header, rows))
      await server.post<ImportView>("/v1/state", "stored", { ...batch, checkOnly: true });
    for (const batch of batchesOf(header, rows)) {
      const { stored, kept } = await server.post<ImportView>("/v1/state", "stored", batch);
      sum = { stored: sum.stored + stored, kept: sum.kept + kept };
      tell(sum.stored + sum.kept, rows.length);
    }
    const kept = sum.kept === 0 ? "" : `; ${sum.kept} were there already, and are left as they are`;
    return {
      value: sum,
      text: () =>
        `${paintMark("✓", look)} ${sum.stored} of ${rows.length} lines of ${nameOfInput(file)} are stored${kept}.\n${server.label}\n`,
    };
  },
});

interface Row {
  readonly text: string;
  readonly value: object;
}

/** All lines are read before any is sent: of a file that is broken nothing is stored. */
async function readExport(
  world: World,
  file: string,
): Promise<{ readonly header: ExportHeader; readonly rows: readonly Row[] }> {
  const lines = (await inputText(file, world)).split("\n");
  // What ends without a line break was cut off.
  if (lines.pop() !== "")
    throw broken(file, lines.length + 1, "it is cut off: the file does not end with a line break");
  const [header, ...rows] = lines.map((line, index): Row => ({ text: line, value: objectIn(line, file, index + 1) }));
  if (header === undefined || !isHeader(header.value)) throw broken(file, 1, "it is not the first line of an export");
  return { header: header.value, rows };
}

function objectIn(line: string, file: string, number: number): object {
  const value = parseJson(line);
  if (isObject(value)) return value;
  throw broken(file, number, "it is not a line of an export");
}

/** The rest of it is checked by who stores it. */
function isHeader(value: object): value is ExportHeader {
  return "lookout" in value && value.lookout === "export";
}

function broken(file: string, line: number, why: string): Failure {
  return new Failure(exitCodes.wrongInput, `${nameOfInput(file)}, line ${line}: ${why}. Nothing was stored.`);
}

/** A request may hold one mebibyte, and a line is far shorter than the rest. */
const mostCharacters = 250_000;
const mostRows = 200;

function* batchesOf(header: ExportHeader, rows: readonly Row[]): Generator<ImportRequest> {
  // The header is line 1.
  const first = 2;
  let [from, characters] = [0, 0];
  for (const [index, { text }] of rows.entries()) {
    if (index > from && (characters + text.length > mostCharacters || index - from >= mostRows)) {
      yield { header, firstLine: first + from, rows: rows.slice(from, index).map(({ value }) => value) };
      [from, characters] = [index, 0];
    }
    characters += text.length;
  }
  yield { header, firstLine: first + from, rows: rows.slice(from).map(({ value }) => value) };
}
