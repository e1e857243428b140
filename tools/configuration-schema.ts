import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { format } from "prettier";
import * as z from "zod";
import { ConfigurationSchema } from "#contracts/config/schema";

/** The file of the JSON Schema, for editors. */
export const configurationSchemaFile = fileURLToPath(new URL("../docs/lookout.schema.json", import.meta.url));

/** Returns the JSON Schema of `lookout.yaml` for editors. */
export function configurationSchemaText(): Promise<string> {
  const schema = z.toJSONSchema(ConfigurationSchema, {
    io: "input",
    // With `readOnly`, editors would forbid writing the keys.
    override: ({ jsonSchema }) => {
      delete jsonSchema.readOnly;
    },
  });
  return format(JSON.stringify(schema), { parser: "json", printWidth: 120, objectWrap: "collapse" });
}

if (import.meta.main) await writeFile(configurationSchemaFile, await configurationSchemaText());
