import type { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { ProblemView } from "./schema.ts";

/** An operation of `/v1`: a method and a path. */
export type ApiOperation = ReturnType<typeof createRoute>;

type JsonOf<Schema> = { readonly content: { readonly "application/json": { readonly schema: Schema } } };

/** The parsed value of a schema, or of the JSON body that a schema describes. */
type Read<Part> = Part extends z.ZodType
  ? z.output<Part>
  : Part extends JsonOf<infer Schema>
    ? z.output<Schema>
    : never;

/** The parsed parts of an operation's request: params, query, headers and body. */
export type Asked<Operation extends ApiOperation> = Operation extends { readonly request: infer Parts }
  ? { readonly [Part in keyof Parts]: Read<Parts[Part]> }
  : object;

/**
 * The parts of an operation's request, as a client sends them. A part may be absent if it may be
 * empty.
 */
export type Sent<Operation extends ApiOperation> = Operation extends { readonly request: infer Parts }
  ? OptionalIfEmpty<{ readonly [Part in keyof Parts]: Part extends "body" ? Read<Parts[Part]> : Written<Parts[Part]> }>
  : object;

/** The value that a schema accepts. */
type Written<Part> = Part extends z.ZodType ? z.input<Part> : never;

type OptionalIfEmpty<Parts> = {
  readonly [Part in keyof Parts as object extends Parts[Part] ? never : Part]: Parts[Part];
} & { readonly [Part in keyof Parts as object extends Parts[Part] ? Part : never]?: Parts[Part] };

/** The body of an operation's 200 or 202. */
export type Answer<Operation extends ApiOperation> = Operation["responses"] extends
  { readonly 200: infer Success } | { readonly 202: infer Success }
  ? Read<Success>
  : never;

/** The description of each status that refuses a request. */
const refusals = {
  400: "The request is malformed.",
  401: "The token is missing, wrong, revoked or expired.",
  403: "The caller is not authenticated, or lacks the role or the right.",
  404: "The requested item does not exist.",
  409: "The current state does not allow the request.",
  413: "The body is over 16 KiB, or over one MiB for an import.",
  501: "This installation does not have the requested function.",
  503: "Lookout is not available now. Retry later.",
} as const;

const json = <Schema extends z.ZodType>(schema: Schema) => ({ "application/json": { schema } });

const problem = { "application/problem+json": { schema: ProblemView } };

/** Returns the refusals of an operation by status. The result always contains 401, 403 and 503. */
export const refused = (...statuses: (keyof typeof refusals)[]) =>
  Object.fromEntries(
    [...new Set([...statuses, 401, 403, 503] as const)].map((status) => [
      status,
      { description: refusals[status], content: problem },
    ]),
  );

/** Describes the refusals of an operation, and its 200 with the schema of the answer. */
export const answered = <Schema extends z.ZodType>(schema: Schema, ...statuses: (keyof typeof refusals)[]) => ({
  200: { description: schema.description ?? "", content: json(schema) },
  ...refused(...statuses),
});

/** Describes the refusals of an operation and its 202. The work continues after the answer. */
export const accepted = <Schema extends z.ZodType>(schema: Schema, ...statuses: (keyof typeof refusals)[]) => ({
  202: { description: schema.description ?? "", content: json(schema) },
  ...refused(...statuses),
});

/** Describes a required body. */
export const body = <Schema extends z.ZodType>(schema: Schema) => ({ required: true, content: json(schema) });

/** Describes a body that may be absent. An absent body means `{}`. */
export const bodyIfAny = <Schema extends z.ZodType>(schema: Schema) => ({ required: false, content: json(schema) });

/** The parameter of a path that names a cluster. */
export const cluster = z.string().describe("The name of the cluster in lookout.yaml.");
export const ClusterPath = z.object({ cluster });
