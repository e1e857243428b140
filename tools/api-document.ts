import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { format } from "prettier";
import * as z from "zod";
import type { ApiOperation } from "#contracts/api/operation";
import { operations } from "#contracts/api/operations";
import { apiDocument } from "#runtime/api-document";
import { withSection } from "./page-sections.ts";

/** The file of the OpenAPI document, with the content of `GET /v1/openapi.json`. */
export const apiDocumentFile = fileURLToPath(new URL("../docs/openapi.json", import.meta.url));
/** The page that lists the paths. */
export const apiPageFile = fileURLToPath(new URL("../docs/api.md", import.meta.url));

/** The file with the rows that the command reads. The operations themselves load the HTTP framework. */
export const endpointsFile = fileURLToPath(new URL("../cli/endpoints.ts", import.meta.url));

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

/** Returns the module with the method, the path and the answer's required members of each operation. */
export function endpointsText(): Promise<string> {
  const rows = Object.entries(operations).map(([name, operation]) => {
    const { method, path } = operation;
    return `${name}: ${JSON.stringify({ method, path, members: requiredMembers(operation) })},`;
  });
  const text = [
    'import type { Endpoints } from "#contracts/api/operations";',
    "",
    "/** The endpoint of each operation of the API. `npm run generate` writes this file. */",
    `export const endpoints = {${rows.join("\n")}} as const satisfies Endpoints;`,
  ];
  return format(text.join("\n"), { parser: "typescript", printWidth: 120, objectWrap: "collapse" });
}

/** Returns the members that every answer of an operation has. Empty for a stream of events. */
function requiredMembers(operation: ApiOperation): readonly string[] {
  const schema = answerSchema(operation);
  if (!(schema instanceof z.ZodType)) return [];
  const { required = [], oneOf = [{ required }] } = z.toJSONSchema(schema, { io: "input" });
  const [first = [], ...others] = oneOf.map((one) => one.required ?? []);
  return first.filter((member) => others.every((members) => members.includes(member)));
}

function answerSchema({ responses }: ApiOperation): unknown {
  const success = responses[200] ?? responses[202];
  const media = success !== undefined && "content" in success ? success.content["application/json"] : undefined;
  return media !== undefined && "schema" in media ? media.schema : undefined;
}

if (import.meta.main) {
  await writeFile(apiDocumentFile, await apiDocumentText());
  await writeFile(endpointsFile, await endpointsText());
  await writeFile(apiPageFile, await withApiTable(await readFile(apiPageFile, "utf8")));
}
