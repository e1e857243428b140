import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { format } from "prettier";
import * as z from "zod";
import { ConfigurationSchema } from "#contracts/config/schema";

/** Where the schema is published, for editors. */
export const configurationSchemaFile = fileURLToPath(new URL("../docs/lookout.schema.json", import.meta.url));

/** Writes the JSON Schema of `lookout.yaml`, as editors read it. */
export function configurationSchemaText(): Promise<string> {
  const schema = z.toJSONSchema(ConfigurationSchema, {
    io: "input",
    // It would say that nobody may write the keys.
    override: ({ jsonSchema }) => {
      delete jsonSchema.readOnly;
    },
  });
  return format(JSON.stringify(schema), { parser: "json", printWidth: 120, objectWrap: "collapse" });
}

if (import.meta.main) await writeFile(configurationSchemaFile, await configurationSchemaText());
