import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { format } from "prettier";
import { operations } from "#contracts/api/operations";
import { apiDocument } from "#runtime/api-document";
import { withSection } from "./page-sections.ts";

/** The file of the OpenAPI document, with the content of `GET /v1/openapi.json`. */
export const apiDocumentFile = fileURLToPath(new URL("../docs/openapi.json", import.meta.url));
/** The page that lists the paths. */
export const apiPageFile = fileURLToPath(new URL("../docs/api.md", import.meta.url));

/** Returns the OpenAPI document as formatted text. */
export function apiDocumentText(): Promise<string> {
  return format(JSON.stringify(apiDocument()), { parser: "json", printWidth: 120, objectWrap: "collapse" });
}

/** Returns a page with the list of the paths in its section `paths`. */
export async function withApiTable(page: string): Promise<string> {
  const rows = Object.values(operations).map(({ method, path, summary, ...operation }) => {
    const query =
      "request" in operation && "query" in operation.request ? Object.keys(operation.request.query.shape) : [];
    const asked = query.length === 0 ? "" : `; \`?${query.join("`, `")}\``;
    return `- \`${method.toUpperCase()} ${path}\`: ${summary}${asked}.`;
  });
  const list = await format(rows.join("\n"), { parser: "markdown", printWidth: 100, proseWrap: "always" });
  return withSection(page, "paths", list.trimEnd());
}

if (import.meta.main) {
  await writeFile(apiDocumentFile, await apiDocumentText());
  await writeFile(apiPageFile, await withApiTable(await readFile(apiPageFile, "utf8")));
}
