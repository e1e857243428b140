import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { format } from "prettier";
import { routes } from "#contracts/api/routes";
import { apiDocument } from "#runtime/api-document";

/** Where the OpenAPI document is published; `GET /v1/openapi.json` answers the same. */
export const apiDocumentFile = fileURLToPath(new URL("../docs/openapi.json", import.meta.url));
/** The page that lists the paths. */
export const apiPageFile = fileURLToPath(new URL("../docs/api.md", import.meta.url));

/** Writes what `GET /v1/openapi.json` answers, for people. */
export function apiDocumentText(): Promise<string> {
  return format(JSON.stringify(apiDocument()), { parser: "json", printWidth: 120, objectWrap: "collapse" });
}

const [begin, end] = ["<!-- paths of the API: npm run generate -->", "<!-- end of the paths -->"];

/** Writes the table of the paths into a page, between its two marks. */
export async function withApiTable(page: string): Promise<string> {
  const rows = Object.values(routes).map(({ method, path, summary, ...route }) => {
    const query = "request" in route && "query" in route.request ? Object.keys(route.request.query.shape) : [];
    const asked = query.length === 0 ? "" : `; \`?${query.join("`, `")}\``;
    return `| \`${method.toUpperCase()} ${path}\` | ${summary}${asked} |`;
  });
  const table = await format(["| method and path | answer |", "|---|---|", ...rows].join("\n"), {
    parser: "markdown",
    printWidth: 120,
  });
  const [before, , after] = page.split(new RegExp(`(?<=${begin}\n)|(?=${end})`));
  if (before === undefined || after === undefined) throw new Error(`the page has no ${begin} and ${end}`);
  return `${before}\n${table}\n${after}`;
}

if (import.meta.main) {
  await writeFile(apiDocumentFile, await apiDocumentText());
  await writeFile(apiPageFile, await withApiTable(await readFile(apiPageFile, "utf8")));
}
