import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { format } from "prettier";
import { reasons, tagRejections } from "#domain/shared/reasons";
import { notificationRefusals, requestRefusals } from "#domain/shared/refusals";

/** The page of the reasons. */
export const reasonsFile = fileURLToPath(new URL("../docs/reasons.md", import.meta.url));

const introduction = `# Reasons

Every update that Lookout does not make has at least one of these reasons. A reason without a remedy needs no action. \`npm run generate\` writes this page from
\`src/domain/shared/reasons.ts\` and \`src/domain/shared/refusals.ts\`.

`;

const ofTags = `## Rejected tags

These reasons reject a tag.

`;

const ofNotifications = `## Refused notifications

These reasons are in the answer to a sender, in the metric \`WebhooksRejected\` and in the log.

`;

const ofRequests = `## Refused requests

These reasons are the \`code\` of a refused request to [the API](api.md), beside some reasons of the first list. Each answer has a \`remedy\`.

`;

/** Returns the page of all reasons, in the order of their lists. */
export function reasonsText(): Promise<string> {
  const rows = Object.entries(reasons).map(([reason, { sentence, remedy }]) => rowOf(reason, sentence, remedy));
  const tagRows = Object.entries(tagRejections).map(([reason, { says, remedy }]) => rowOf(reason, `${says}.`, remedy));
  const notificationRows = Object.entries(notificationRefusals).map(([reason, { sentence, remedy }]) =>
    rowOf(reason, sentence, remedy),
  );
  const requestRows = Object.entries(requestRefusals).map(([reason, { sentence }]) => `- \`${reason}\`: ${sentence}`);
  const sections = [
    introduction + rows.join("\n"),
    ofTags + tagRows.join("\n"),
    ofNotifications + notificationRows.join("\n"),
    ofRequests + requestRows.join("\n"),
  ];
  const text = `${sections.join("\n\n")}\n`;
  return format(text, { parser: "markdown", printWidth: 100, proseWrap: "always" });
}

function rowOf(reason: string, says: string, remedy: string): string {
  return `- \`${reason}\`: ${says}${remedy === "Nothing to do." ? "" : ` ${remedy}`}`;
}

if (import.meta.main) await writeFile(reasonsFile, await reasonsText());
