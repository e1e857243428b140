/** Writes the types of the API's client from the OpenAPI document. */
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import openapiTypes, { astToString, type OpenAPI3 } from "openapi-typescript";
import { format } from "prettier";
import { apiDocument } from "#runtime/api-document";

/** The file of the types. */
export const apiTypesFile = fileURLToPath(new URL("../client/api.ts", import.meta.url));

/** Returns the types of all paths and schemas as formatted text. */
export async function apiTypesText(): Promise<string> {
  const types = astToString(await openapiTypes(apiDocument() as unknown as OpenAPI3));
  const text = `/** The types of the API. \`npm run generate\` writes this file. */\n${types}`;
  return format(text, { parser: "typescript", printWidth: 120 });
}

if (import.meta.main) await writeFile(apiTypesFile, await apiTypesText());
