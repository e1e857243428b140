import type { ParsedNode } from "yaml";
import { isObject } from "#domain/shared/json";
import { ok, problem, type Result } from "#domain/shared/result";

interface FoundObject {
  /**
   * The place of the object: `deploy.yaml:12`, or `deploy.yaml:12 items[3]` for an item of a list.
   */
  readonly place: string;
  readonly value: unknown;
}

/**
 * Returns the objects of a YAML or JSON text, from all documents and lists. Empty documents are
 * skipped.
 *
 * @returns the objects, or a problem with its place if the text is not YAML.
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
      // The library throws this error only for missing anchors and for too many aliases.
      if (!(error instanceof ReferenceError)) throw error;
      return problem(`${place}: ${error.message}`);
    }
  }
  return ok(found);
}

/**
 * Returns the items of a list. Items of a typed list (`DeploymentList`) may lack `kind` and
 * `apiVersion`.
 */
function itemsOf({ place, value }: FoundObject): readonly FoundObject[] {
  if (!isObject(value)) return [{ place, value }];
  const { kind, apiVersion, items } = value;
  if (typeof kind !== "string" || !kind.endsWith("List") || !Array.isArray(items)) return [{ place, value }];
  const implied = kind === "List" ? {} : { apiVersion, kind: kind.slice(0, -"List".length) };
  return items.flatMap((item: unknown, index) =>
    itemsOf({ place: `${place} items[${String(index)}]`, value: isObject(item) ? { ...implied, ...item } : item }),
  );
}
