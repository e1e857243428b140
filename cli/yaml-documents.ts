import type { ParsedNode } from "yaml";
import { isObject } from "#domain/shared/json";
import { ok, problem, type Result } from "#domain/shared/result";

/** An object of a file, and where it stands in it. */
export interface FoundObject {
  /** `deploy.yaml:12`, or `deploy.yaml:12 items[3]` for an item of a list. */
  readonly place: string;
  readonly value: unknown;
}

/**
 * Takes the objects out of a text of YAML or JSON: those of all documents, and the items of lists. Empty documents are none.
 *
 * @returns the problem with its place, for a text that is not YAML.
 */
export async function objectsIn(text: string, file: string): Promise<Result<readonly FoundObject[], string>> {
  const { LineCounter, parseAllDocuments } = await import("yaml");
  const lines = new LineCounter();
  const found: FoundObject[] = [];
  const placeAt = (offset: number): string => `${file}:${String(Math.max(lines.linePos(offset).line, 1))}`;
  for (const document of parseAllDocuments(text, { lineCounter: lines, prettyErrors: false })) {
    const [fault] = [...document.errors, ...document.warnings];
    if (fault !== undefined) return problem(`${placeAt(fault.pos[0])}: ${fault.message}`);
    const content: ParsedNode | null = document.contents;
    const place = placeAt(content?.range[0] ?? 0);
    try {
      const value: unknown = document.toJS();
      if (value !== null) found.push(...itemsOf({ place, value }));
    } catch (error) {
      // The library finds aliases without an anchor, and too many of them, only here, and throws.
      if (!(error instanceof ReferenceError)) throw error;
      return problem(`${place}: ${error.message}`);
    }
  }
  return ok(found);
}

/** What a server lists of one kind needs no kind in its items. */
function itemsOf({ place, value }: FoundObject): readonly FoundObject[] {
  if (!isObject(value)) return [{ place, value }];
  const { kind, apiVersion, items } = value;
  if (typeof kind !== "string" || !kind.endsWith("List") || !Array.isArray(items)) return [{ place, value }];
  const implied = kind === "List" ? {} : { apiVersion, kind: kind.slice(0, -"List".length) };
  return items.flatMap((item: unknown, index) =>
    itemsOf({ place: `${place} items[${String(index)}]`, value: isObject(item) ? { ...implied, ...item } : item }),
  );
}
