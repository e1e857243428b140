import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { alignedText, writeSections } from "./page-sections.ts";

/** The used part of Stryker's incremental report. */
export interface MutationReport {
  readonly files: Readonly<Record<string, { readonly mutants: readonly { readonly status: string }[] }>>;
}

const noticed = new Set(["Killed", "Timeout"]);
const missed = new Set(["Survived", "NoCoverage"]);

/**
 * Returns a table with the number of mutants and the share of killed mutants. Each folder has a
 * row, and the last row has the sums.
 */
export function mutationTable({ files }: MutationReport): string {
  const counted = Object.entries(files).flatMap(([file, { mutants }]) =>
    mutants
      .filter(({ status }) => noticed.has(status) || missed.has(status))
      .map(({ status }) => ({ folder: dirname(file), noticed: noticed.has(status) })),
  );
  const row = (name: string, changes: typeof counted): readonly string[] => [
    name,
    changes.length.toLocaleString("en"),
    `${Math.floor((100 * changes.filter((change) => change.noticed).length) / changes.length)} %`,
  ];
  const folders = [...new Set(counted.map(({ folder }) => folder))].sort();
  return alignedText([
    ["folder", "changes", "noticed"],
    ...folders.map((name) =>
      row(
        name,
        counted.filter(({ folder }) => folder === name),
      ),
    ),
    row("together", counted),
  ]);
}

if (import.meta.main) {
  const report = new URL("../reports/mutation/incremental.json", import.meta.url);
  await writeSections("mutation.md", {
    figures: mutationTable(JSON.parse(await readFile(report, "utf8")) as MutationReport),
  });
}
