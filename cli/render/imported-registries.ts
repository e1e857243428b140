import { printableText } from "#domain/shared/shown-text";
import type { ImportedRegistry } from "../answers/imported-registries.ts";

/** Returns the section `registries` of lookout.yaml. Comments name the objects, and the fields without a key. */
export async function importedRegistriesText(imported: readonly ImportedRegistry[]): Promise<string> {
  const { stringify } = await import("yaml");
  const entries = imported.filter(({ entry }) => entry !== undefined);
  const blocks = imported.map(({ object, place, entry, notes }) => {
    const about = [`${object} (${place})`, ...notes.map(({ field, message }) => `  ${field}: ${message}`)];
    const lines = entry === undefined ? [] : stringify([entry], { lineWidth: 0 }).trimEnd().split("\n");
    return [...about.map((line) => `# ${printableText(line)}`), ...lines].map((line) => `  ${line}\n`).join("");
  });
  const head = "# lookout.yaml: merge these entries into yours, then run: lookout config check\n";
  return `${head}registries:${entries.length === 0 ? " []" : ""}\n${blocks.join("")}`;
}
