import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { format } from "prettier";
import * as z from "zod";
import { type ApiRoute, apiRoutes, pathParameters, refusals } from "#contracts/api-routes";
import * as schemas from "#contracts/api-schemas";
import * as clusterSchemas from "#contracts/cluster-schemas";
import * as doctorSchemas from "#contracts/doctor-schemas";
import * as freezeSchemas from "#contracts/freeze-schemas";
import * as transferSchemas from "#contracts/transfer-schemas";
import { lookoutVersion } from "#contracts/version";

/** Where the OpenAPI document is published; `GET /v1/openapi.json` answers with it. */
export const apiDocumentFile = fileURLToPath(new URL("../docs/openapi.json", import.meta.url));
/** The page that lists the paths. */
export const apiPageFile = fileURLToPath(new URL("../docs/local.md", import.meta.url));

const routes: readonly ApiRoute[] = apiRoutes;

/** Every exported schema is a component, named without its `Schema`. */
const componentNames = new Map(
  Object.entries({ ...schemas, ...clusterSchemas, ...doctorSchemas, ...freezeSchemas, ...transferSchemas })
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([name, schema]) =>
      schema instanceof z.ZodType ? [[schema as z.ZodType, name.replace(/Schema$/, "")] as const] : [],
    ),
);

const reference = (name: string): object => ({ $ref: `#/components/schemas/${name}` });

/** Writes the OpenAPI 3.1 document of `/v1`. @see https://spec.openapis.org/oas/v3.1.1.html */
export function apiDocumentText(): Promise<string> {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) (paths[route.path] ??= {})[route.method.toLowerCase()] = operationOf(route);
  const document = {
    openapi: "3.1.1",
    info: {
      title: "Lookout",
      version: lookoutVersion,
      description: "Instants are RFC 3339 in UTC, digests are whole, workloads are named cluster/namespace/kind/name.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "http://127.0.0.1:4040", description: "The local process, unless `listen` says otherwise." }],
    security: [{ token: [] }],
    paths,
    components: {
      schemas: components(),
      securitySchemes: {
        token: { type: "http", scheme: "bearer", description: "The text of the file `token` in the state folder." },
      },
    },
  };
  return format(JSON.stringify(document), { parser: "json", printWidth: 120, objectWrap: "collapse" });
}

function components(): Readonly<Record<string, object>> {
  const registry = z.registry<{ id: string }>();
  for (const [schema, id] of componentNames) registry.add(schema, { id });
  const { schemas: made } = z.toJSONSchema(registry, { ...forReaders, uri: (id) => `#/components/schemas/${id}` });
  return Object.fromEntries(Object.entries(made).map(([name, { $schema, $id, ...schema }]) => [name, schema]));
}

/** Answers may gain members, so nothing is said of others than those that are known. */
const forReaders = {
  io: "input",
  override: ({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }) => {
    delete jsonSchema.readOnly;
    // The format says it, in fewer words than zod's pattern; and no count comes near the bound of exact numbers.
    if (jsonSchema.format === "date-time") delete jsonSchema.pattern;
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  },
} as const;

function operationOf(route: ApiRoute): object {
  const { name, summary, query, body, refusals: own } = route;
  const parameters = [...pathParametersOf(route), ...(query === undefined ? [] : queryParametersOf(query))];
  const refused = [...own, 401, 503, ...(body === undefined ? [] : [413])].sort(
    (left, right) => left - right,
  ) as (keyof typeof refusals)[];
  return {
    operationId: name,
    summary,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: { required: route.bodyMayBeAbsent !== true, content: json(body) } }),
    responses: {
      [route.status ?? 200]: answerOf(route),
      ...Object.fromEntries(
        refused.map((status) => [status, { description: refusals[status], content: json(schemas.ErrorSchema) }]),
      ),
    },
  };
}

function answerOf({ answer, stream, summary }: ApiRoute): object {
  if (typeof answer === "string") return { description: answer, content: { "application/json": {} } };
  if (stream === true)
    return { description: summary, content: { "text/event-stream": { schema: { type: "string" } } } };
  return { description: answer.description ?? summary, content: json(answer) };
}

function json(schema: z.ZodType): object {
  const name = componentNames.get(schema);
  if (name === undefined) throw new Error("what a route takes and answers is exported from a file of schemas");
  return { "application/json": { schema: reference(name) } };
}

function pathParametersOf({ path }: ApiRoute): readonly object[] {
  const described: Readonly<Record<string, string>> = pathParameters;
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => {
    const description = described[name];
    if (description === undefined) throw new Error(`say in api-routes.ts what {${name}} stands for`);
    return { name, in: "path", required: true, description, schema: { type: "string" } };
  });
}

function queryParametersOf(query: z.ZodObject): readonly object[] {
  const { properties = {}, required = [] } = z.toJSONSchema(query, forReaders);
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...schema } = typeof property === "object" ? property : {};
    return { name, in: "query", required: required.includes(name), description, schema };
  });
}

const [begin, end] = ["<!-- paths of the API: npm run generate -->", "<!-- end of the paths -->"];

/** Writes the table of the paths into a page, between its two marks. */
export async function withApiTable(page: string): Promise<string> {
  const rows = routes.map(({ method, path, summary, query }) => {
    const asked = query === undefined ? "" : `; \`?${Object.keys(query.shape).join("`, `")}\``;
    return `| \`${method} ${path}\` | ${summary}${asked} |`;
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
