import type { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { ProblemView } from "./schema.ts";

/** A path of `/v1`. */
export type ApiOperation = ReturnType<typeof createRoute>;

type JsonOf<Schema> = { readonly content: { readonly "application/json": { readonly schema: Schema } } };

/** The parsed value of a part of a request, or of the JSON of a body or an answer. */
type Read<Part> = Part extends z.ZodType
  ? z.output<Part>
  : Part extends JsonOf<infer Schema>
    ? z.output<Schema>
    : never;

/** The parsed parts of a request for which its operation has schemas. */
export type Asked<Operation extends ApiOperation> = Operation extends { readonly request: infer Parts }
  ? { readonly [Part in keyof Parts]: Read<Parts[Part]> }
  : object;

/** The body of an operation's 200 or 202. */
export type Answer<Operation extends ApiOperation> = Operation["responses"] extends
  { readonly 200: infer Success } | { readonly 202: infer Success }
  ? Read<Success>
  : never;

/** Why a request is refused, by its status. */
const refusals = {
  400: "It was not understood.",
  401: "There is no token, or a wrong one.",
  403: "The caller is not proved, or may not do it.",
  404: "There is no such thing.",
  409: "Refused by what is so now.",
  413: "The body is over 16 KiB, or over one MiB for an import.",
  501: "This Lookout does not have it.",
  503: "Not available now. Ask again later.",
} as const;

const json = <Schema extends z.ZodType>(schema: Schema) => ({ "application/json": { schema } });

const problem = { "application/problem+json": { schema: ProblemView } };

/** Returns refusals by status. Each request can be refused with 401 and 503. */
export const refused = (...statuses: (keyof typeof refusals)[]) =>
  Object.fromEntries(
    [...statuses, 401 as const, 503 as const].map((status) => [
      status,
      { description: refusals[status], content: problem },
    ]),
  );

/** Describes the refusals of an operation and its 200, by the schema of the answer. */
export const answered = <Schema extends z.ZodType>(schema: Schema, ...statuses: (keyof typeof refusals)[]) => ({
  200: { description: schema.description ?? "", content: json(schema) },
  ...refused(...statuses),
});

/** Describes the refusals of an operation and its 202: work that continues after the answer. */
export const accepted = <Schema extends z.ZodType>(schema: Schema, ...statuses: (keyof typeof refusals)[]) => ({
  202: { description: schema.description ?? "", content: json(schema) },
  ...refused(...statuses),
});

/** Describes a required body. */
export const body = <Schema extends z.ZodType>(schema: Schema) => ({ required: true, content: json(schema) });

/** Describes a body that may be absent, which means `{}`. */
export const bodyIfAny = <Schema extends z.ZodType>(schema: Schema) => ({ required: false, content: json(schema) });

/** The parameter of a path that names a cluster. */
export const cluster = z.string().describe("The name of the cluster in lookout.yaml.");
export const ClusterPath = z.object({ cluster });
