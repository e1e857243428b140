import { type Document, isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from "yaml";
import { ok, problem, type Result } from "#domain/result";

/** A place in a file, both counted from 1. */
export interface FilePosition {
  readonly line: number;
  readonly column: number;
}

/** What a YAML file says, and where. */
export interface YamlContent {
  /** Null for a file that says nothing. */
  readonly content: unknown;
  /** Answers where a key or an entry of a list begins; for one that is missing, where the nearest around it does. */
  readonly positionOf: (steps: readonly (string | number)[]) => FilePosition;
}

/** One thing that is wrong with the text as YAML. */
export interface YamlProblem extends FilePosition {
  readonly text: string;
}

/**
 * Reads one YAML 1.2 document. Keys that are written twice, tags that are not YAML's own, and aliases without an anchor are problems.
 *
 * @see https://yaml.org/spec/1.2.2/
 */
export function readYaml(text: string): Result<YamlContent, readonly YamlProblem[]> {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const at = (offset: number): FilePosition => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const faults = [...document.errors, ...document.warnings];
  if (faults.length > 0) return problem(faults.map(({ pos, message }) => ({ ...at(pos[0]), text: message })));
  try {
    const content: unknown = document.toJS();
    return ok({ content, positionOf: (steps) => at(offsetOf(document, steps)) });
  } catch (error) {
    // The library finds aliases without an anchor, and too many of them, only here, and throws.
    if (!(error instanceof ReferenceError)) throw error;
    return problem([{ ...at(0), text: error.message }]);
  }
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
