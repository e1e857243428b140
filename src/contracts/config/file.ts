import { type Document, isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, visit } from "yaml";
import { ok, problem, type Result } from "#domain/shared/result";
import { printableText } from "#domain/shared/shown-text";
import { type Configuration, moreProblems, mostProblems, parseConfiguration } from "./configuration.ts";

/** The name of the configuration file in the working directory. */
export const configurationFileName = "lookout.yaml";

/** The length of the longest file that is parsed, in characters. */
const longestFile = 2 * 1_048_576;

/** A position in a file. Line and column are counted from 1. */
export interface FilePosition {
  readonly line: number;
  readonly column: number;
}

/** The content of a YAML file, with positions. */
export interface YamlContent {
  /** Null for an empty file. */
  readonly content: unknown;
  /** Returns the position of a key or a list entry. A missing key has its parent's position. */
  readonly positionOf: (steps: readonly (string | number)[]) => FilePosition;
}

/** The parsed content of a `lookout.yaml`. */
export interface ReadConfiguration {
  readonly configuration: Configuration;
  /** The content before defaults, with positions. */
  readonly written: YamlContent;
}

/** A problem of a file, with its position. */
export interface FileProblem extends FilePosition {
  readonly text: string;
}

/**
 * Parses the text of a `lookout.yaml`. Paths and names are unchanged.
 *
 * @param file - the name of the file in problems.
 * @returns the configuration, or a text with one line for each problem and its place:
 * `lookout.yaml:3:5`.
 */
export function readConfiguration(text: string, file: string): Result<ReadConfiguration, string> {
  const read = checkConfiguration(text);
  return read.ok ? read : problem(problemsText(file, read.problem));
}

/**
 * Parses the text of a `lookout.yaml`. Problems are values, sorted by position. After
 * {@link mostProblems} problems, the last row counts the others.
 */
export function checkConfiguration(text: string): Result<ReadConfiguration, readonly FileProblem[]> {
  const document = readYaml(text);
  if (!document.ok) return document;
  const { content, positionOf } = document.value;
  const parsed = parseConfiguration(content);
  if (parsed.ok) return ok({ configuration: parsed.value, written: document.value });
  const problems = parsed.problem.map(({ path, steps, value, message }) => ({
    ...positionOf(steps),
    text: `${[path === "" ? "the file" : path, value].filter((part) => part !== undefined).join(" ")}: ${message}`,
  }));
  return problem([...inOrder(problems.slice(0, mostProblems)), ...problems.slice(mostProblems)]);
}

/** Returns problems in the order of their positions. */
function inOrder(problems: readonly FileProblem[]): readonly FileProblem[] {
  return problems.toSorted((one, other) => one.line - other.line || one.column - other.column);
}

function problemsText(file: string, problems: readonly FileProblem[]): string {
  const lines = problems.map(({ line, column, text }) => `  ${file}:${line}:${column}  ${printableText(text)}`);
  const isCut = problems.length > mostProblems;
  const some = isCut ? `more than ${mostProblems} problems` : `${problems.length} problems`;
  const count = problems.length === 1 ? "a problem" : some;
  return [`the configuration ${file} has ${count}:`, ...lines].join("\n");
}

/**
 * Parses one YAML 1.2 document. Repeated keys, custom tags and aliases without an anchor are
 * problems.
 *
 * @see https://yaml.org/spec/1.2.2/
 */
function readYaml(text: string): Result<YamlContent, readonly FileProblem[]> {
  const lines = new LineCounter();
  if (text.length > longestFile) return problem([{ line: 1, column: 1, text: "the file: is longer than 2 MiB" }]);
  // The library's own check of repeated keys compares each key with all others.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
  const at = (offset: number): FilePosition => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const faults = [...document.errors, ...document.warnings, ...repeatedKeys(document)];
  if (faults.length > 0) {
    const listed = faults.slice(0, mostProblems).map(({ pos, message }) => ({ ...at(pos[0]), text: message }));
    const more = faults.length - listed.length;
    return problem([
      ...inOrder(listed),
      ...(more === 0 ? [] : [{ ...at(0), text: `the file: ${moreProblems(more)}` }]),
    ]);
  }
  try {
    const content: unknown = document.toJS();
    return ok({ content, positionOf: (steps) => at(offsetOf(document, steps)) });
  } catch (error) {
    // The library throws this error only for missing anchors and for too many aliases.
    if (!(error instanceof ReferenceError)) throw error;
    return problem([{ ...at(0), text: error.message }]);
  }
}

/** A fault of a YAML file, with its start in the text. */
interface YamlFault {
  readonly pos: readonly [number, ...number[]];
  readonly message: string;
}

/** Returns a fault for each key that its mapping has already. */
function repeatedKeys(document: Document): readonly YamlFault[] {
  const faults: YamlFault[] = [];
  visit(document, {
    Map(_, { items }) {
      const known = new Set<unknown>();
      for (const { key } of items) {
        const value = isScalar(key) ? key.value : key;
        if (known.has(value)) faults.push({ pos: [startOf(key) ?? 0], message: "Map keys must be unique" });
        known.add(value);
      }
    },
  });
  return faults;
}

function offsetOf(document: Document, steps: readonly (string | number)[]): number {
  let node: unknown = document.contents;
  let offset = startOf(node) ?? 0;
  for (const step of steps) {
    const child = childOf(isAlias(node) ? node.resolve(document) : node, step);
    if (child === undefined) break;
    node = child.value;
    offset = startOf(child.key) ?? startOf(node) ?? offset;
  }
  return offset;
}

function childOf(
  node: unknown,
  step: string | number,
): { readonly key?: unknown; readonly value: unknown } | undefined {
  if (isSeq(node)) {
    const value = typeof step === "number" ? node.items[step] : undefined;
    return value === undefined ? undefined : { value };
  }
  if (!isMap(node)) return undefined;
  return node.items.find(({ key }) => isScalar(key) && String(key.value) === step);
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}
