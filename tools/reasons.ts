import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { format } from "prettier";
import { reasons, tagRejections } from "#domain/shared/reasons";

/** Where people read the reasons. */
export const reasonsFile = fileURLToPath(new URL("../docs/reasons.md", import.meta.url));

const introduction = `# Every reason for a "no"

Lookout never just does nothing. What it does not do has one or more of these reasons, shown by \`lookout status\`,
\`lookout explain\` and \`lookout history\`, and sent with every fact. This page is written by \`tools/reasons.ts\` from
\`src/domain/shared/reasons.ts\`; there is no other list.

| reason | what it says | what to do |
|---|---|---|
`;

const ofTags = `## Why a tag is no candidate

\`lookout explain\` and \`lookout policy elect\` say it of each tag that a policy passes over.

| reason | of a tag it says | what to do |
|---|---|---|
`;

/** Writes the page of all reasons, in the order of their lists. */
export function reasonsText(): Promise<string> {
  const rows = Object.entries(reasons).map(([reason, { sentence, remedy }]) => rowOf(reason, sentence, remedy));
  const tagRows = Object.entries(tagRejections).map(([reason, { says, remedy }]) => rowOf(reason, says, remedy));
  const text = `${introduction}${rows.join("\n")}\n\n${ofTags}${tagRows.join("\n")}\n`;
  return format(text, { parser: "markdown", printWidth: 120 });
}

function rowOf(reason: string, says: string, remedy: string): string {
  return `| \`${reason}\` | ${says} | ${remedy} |`;
}

if (import.meta.main) await writeFile(reasonsFile, await reasonsText());
