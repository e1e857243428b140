import { OpenAPIHono, z } from "@hono/zod-openapi";
import { operations } from "#contracts/api/operations";
import { components } from "#contracts/api/schema";
import { lookoutVersion } from "#contracts/version";

/** Returns the OpenAPI 3.1 document of `/v1`: https://spec.openapis.org/oas/v3.1.1.html */
export function apiDocument(): Readonly<Record<string, unknown>> {
  const written = new OpenAPIHono();
  for (const [operationId, operation] of Object.entries(operations))
    written.openAPIRegistry.registerPath({ operationId, ...operation });
  const { paths } = written.getOpenAPI31Document({ openapi: "3.1.1", info });
  return {
    openapi: "3.1.1",
    info,
    servers: [{ url: "http://127.0.0.1:4040", description: "The local process with the default `listen`." }],
    security: [{ token: [] }],
    paths,
    components: {
      schemas: componentSchemas(),
      securitySchemes: {
        token: {
          type: "http",
          scheme: "bearer",
          description:
            "A token of `lookout token create`, whose role and scope limit the requests, or the text of the file `token` in the state folder. On AWS, requests are signed instead.",
        },
      },
    },
  };
}

const info = {
  title: "Lookout",
  version: lookoutVersion,
  description:
    "Instants are RFC 3339 in UTC. Digests are whole. The name of a workload is cluster/namespace/kind/name.",
  license: { name: "Apache-2.0", identifier: "Apache-2.0" },
} as const;

/**
 * Returns the component schemas of the OpenAPI document, sorted by name. Zod makes these schemas,
 * because zod-to-openapi marks optional members as required and keeps only the first of several
 * literals.
 */
function componentSchemas(): object {
  const { schemas } = z.toJSONSchema(components, {
    io: "input",
    uri: (id) => `#/components/schemas/${id}`,
    override: ({ jsonSchema }) => {
      delete jsonSchema.readOnly;
      // `format` replaces zod's long pattern. The largest exact number is no useful maximum of a
      // count.
      if (jsonSchema.format === "date-time") delete jsonSchema.pattern;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return Object.fromEntries(
    Object.entries(schemas)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, { $schema, $id, ...schema }]) => [name, schema]),
  );
}
