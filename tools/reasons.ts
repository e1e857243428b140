import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { format } from "prettier";
import { reasons } from "#domain/reasons";

/** Where people read the reasons. */
export const reasonsFile = fileURLToPath(new URL("../docs/reasons.md", import.meta.url));

const introduction = `# Every reason for a "no"

Lookout never just does nothing. What it does not do has one or more of these reasons, shown by \`lookout status\`,
\`lookout explain\` and \`lookout history\`, and sent with every fact. This page is written by \`tools/reasons.ts\` from
\`src/domain/reasons.ts\`; there is no other list.

| reason | what it says | what to do |
|---|---|---|
`;

/** Writes the page of all reasons, in the order of their list. */
export function reasonsText(): Promise<string> {
  const rows = Object.entries(reasons).map(
    ([reason, { sentence, remedy }]) => `| \`${reason}\` | ${sentence} | ${remedy} |`,
  );
  return format(`${introduction}${rows.join("\n")}\n`, { parser: "markdown", printWidth: 120 });
}

if (import.meta.main) await writeFile(reasonsFile, await reasonsText());
