import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { configurationSchemaFile, configurationSchemaText } from "../../../tools/configuration-schema.ts";

it("the published schema of lookout.yaml is current; if not: npm run generate", async () => {
  expect(await readFile(configurationSchemaFile, "utf8")).toBe(await configurationSchemaText());
});

it("every key of the published schema has a description", async () => {
  const unexplained: string[] = [];
  const visit = (schema: unknown, path: string): void => {
    if (typeof schema !== "object" || schema === null) return;
    if ("items" in schema) visit(schema.items, `${path}[]`);
    if (!("properties" in schema) || typeof schema.properties !== "object" || schema.properties === null) return;
    for (const [key, value] of Object.entries(schema.properties) as [string, object][]) {
      if (!("description" in value)) unexplained.push(`${path}.${key}`);
      visit(value, `${path}.${key}`);
    }
  };
  visit(JSON.parse(await configurationSchemaText()), "");
  expect(unexplained).toEqual([]);
});
