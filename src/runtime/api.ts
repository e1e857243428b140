import { randomBytes, randomUUID } from "node:crypto";
import { Hono, type HonoRequest } from "hono";
import { compress } from "hono/compress";
import { etag } from "hono/etag";
import * as z from "zod";
import { requestRefusal, roleRefusal } from "#app/api/access";
import { approvalHandlers } from "#app/api/approvals";
import { channelHandlers } from "#app/api/channels";
import { clusterHandlers } from "#app/api/clusters";
import { controlHandlers } from "#app/api/control";
import { doctorHandlers } from "#app/api/doctor";
import { freezeHandlers } from "#app/api/freezes";
import { type Handler, type Handlers, notFound, type ApiError, type Served } from "#app/api/handler";
import { historyHandlers } from "#app/api/history";
import { quarantineHandlers } from "#app/api/quarantine";
import { registryHandlers } from "#app/api/registries";
import { repositoryHandlers } from "#app/api/repositories";
import { answerWithin, portsWithin } from "#app/api/scoped-ports";
import { storedHandlers } from "#app/api/stored";
import { tierHandlers } from "#app/api/tiers";
import { tokenHandlers } from "#app/api/tokens";
import { transferHandlers } from "#app/api/transfer";
import { workloadHandlers } from "#app/api/workloads";
import type { Ports } from "#app/shared/ports";
import { type NeededAccess, neededAccess } from "#contracts/api/access";
import type { ApiOperation, Asked } from "#contracts/api/operation";
import { operations } from "#contracts/api/operations";
import { expected } from "#contracts/expected";
import { type Access, fullAccess } from "#domain/access/access";
import { parseJson } from "#domain/shared/json";
import { callerOf, credentialOf, json, maximumBodyBytes, readRequestBody, problemResponse } from "./request.ts";

/** The operations that a stack and the local process share. */
const { pushToDemo, ...commonOperations } = operations;

const handlersOf = (served: Served): Handlers<typeof commonOperations> => ({
  ...workloadHandlers(served),
  ...clusterHandlers(served),
  ...repositoryHandlers(served),
  ...registryHandlers(served),
  ...channelHandlers(served),
  ...tierHandlers(served),
  ...quarantineHandlers(served),
  ...freezeHandlers(served),
  ...controlHandlers(served),
  ...approvalHandlers(served),
  ...historyHandlers(served),
  ...doctorHandlers(served),
  ...storedHandlers(served),
  ...transferHandlers(served),
  ...tokenHandlers(served),
  backUpState: () =>
    notHere(
      "the table of a stack has point-in-time recovery, and AWS Backup can keep copies of it; to move the state, run lookout export",
    ),
  readConfiguration: () =>
    notHere(
      "the stack contains the settings of its deployment; to list them, run lookout config --config lookout.yaml",
    ),
  followFacts: () =>
    notHere("the stack publishes facts on its bus; to list a workload's decisions, run lookout history WORKLOAD"),
  // The import is lazy, because the document would slow down the start of a function.
  readDocument: async () => (await import("./api-document.ts")).apiDocument(),
});

/** The HTTP application with the operations of `/v1` that a stack and the local process share. */
export const api = new Hono<{
  Bindings: { readonly ports: Ports; readonly signal: AbortSignal; readonly access: Access };
}>();
// The threshold is in bytes. A shorter answer fits into one packet.
api.use(compress({ encoding: "gzip", threshold: 1_024 }));
api.use(etag({ generateDigest: digestWithoutInstant }));
for (const [name, operation] of Object.entries(commonOperations)) {
  // An HTTP API of AWS decodes paths, so an encoded slash arrives as a slash.
  const path = operation.getRoutingPath().replace(":scope", ":scope{.+}");
  api.on(operation.method, [path], ({ req, env }) => {
    const { access } = env;
    const handlers = handlersOf({
      ...env,
      ports: portsWithin(access.scope, env.ports),
      allPorts: env.ports,
      id: randomUUID(),
      secret: () => randomBytes(32).toString("base64url"),
      by: (claimed) => callerOf(req.raw, access, claimed),
      credential: credentialOf(req.raw, access),
    });
    return answerTo<ApiOperation>(operation, req, handlers[name as keyof typeof handlers], {
      needed: neededAccess[name as keyof typeof handlers],
      access,
    });
  });
}
api.notFound(({ req }) => refusalAnswer(notFound(`the API has no ${req.method} ${req.path}`)));
api.onError((error) => {
  throw error;
});

/** Serves `/v1` to an authorized caller. @throws the errors of the use cases */
export async function serveApi(
  request: Request,
  ports: Ports,
  signal: AbortSignal,
  access = fullAccess,
): Promise<Response> {
  return api.fetch(request, { ports, signal, access });
}

/** Matches the instant with which an answer begins. It differs each time. */
const instantOfAnswer = /^\{"at":"[^"]*",?/;

/** Returns the hash of an answer, which is the same until something else than its instant changes. */
async function digestWithoutInstant(body: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer> {
  const start = instantOfAnswer.exec(Buffer.from(body.subarray(0, 100)).toString("latin1"))?.[0].length ?? 0;
  return crypto.subtle.digest("SHA-256", body.subarray(start));
}

/** The rights that a request needs, and the rights of its caller. */
interface Rights {
  readonly needed: NeededAccess;
  readonly access: Access;
}

/**
 * Returns the response of an operation's handler, 403 for a caller without the needed rights, or 400
 * for a request that the operation's schemas reject.
 */
export async function answerTo<Operation extends ApiOperation>(
  operation: Operation,
  req: HonoRequest,
  handle: Handler<Operation>,
  { needed, access }: Rights,
): Promise<Response> {
  const refused = roleRefusal(needed, access);
  if (refused !== undefined) return refusalAnswer(refused);
  const request = ("request" in operation ? operation.request : {}) as RequestSchemas;
  const { body } = request;
  const read = body === undefined ? {} : await readJson(req.raw, mostBytes(operation), body.required);
  if (read instanceof Response) return read;
  const given = { query: req.query(), params: req.param(), headers: req.header(), ...read };
  const asked = z.object(schemasOf(request)).safeParse(given, { error: expected });
  if (!asked.success) return problemResponse("bad-request", asked.error.issues.map(wrongIn).join("; "));
  const answer = requestRefusal(needed, asked.data, access) ?? (await handle(asked.data as Asked<Operation>));
  if (isApiError(answer)) return refusalAnswer(answer);
  return json(200 in operation.responses ? 200 : 202, answerWithin(access.scope, answer));
}

function schemasOf({ query, params, headers, body }: RequestSchemas) {
  return {
    ...(query && { query }),
    ...(params && { params }),
    ...(headers && { headers }),
    ...(body && { body: body.content["application/json"].schema }),
  };
}

interface RequestSchemas {
  readonly query?: z.ZodType;
  readonly params?: z.ZodType;
  readonly headers?: z.ZodType;
  readonly body?: {
    readonly required: boolean;
    readonly content: { readonly "application/json": { readonly schema: z.ZodType } };
  };
}

/** Returns the size limit of a request's body. Only an import is large. */
function mostBytes(operation: ApiOperation): number {
  return operation === operations.importState ? maximumBodyBytes : 16_384;
}

/**
 * Returns a JSON value without halves of characters. Such a half has no UTF-8, so it would be another
 * text after it was stored.
 */
function withWholeCharacters(value: unknown): unknown {
  if (value === undefined) return undefined;
  return parseJson(
    JSON.stringify(value, (_, held: unknown) => (typeof held === "string" ? held.toWellFormed() : held)),
  );
}

async function readJson(
  request: Request,
  mostBytes: number,
  required: boolean,
): Promise<{ readonly body: unknown } | Response> {
  const bytes = await readRequestBody(request, mostBytes);
  if (bytes === undefined) return problemResponse("request-too-large", `a request may hold ${mostBytes} bytes`);
  if (bytes.byteLength === 0 && !required) return { body: {} };
  const text = Buffer.from(bytes).toString("utf8");
  const parsed = parseJson(text);
  // An escape of a half is rare, so usual bodies are read once.
  const body = /\\u[dD][89a-fA-F]/.test(text) ? withWholeCharacters(parsed) : parsed;
  return body === undefined ? problemResponse("bad-request", "the body is not JSON") : { body };
}

/**
 * Returns the message of an issue, with the faulty member. The message about a path needs no
 * member.
 */
function wrongIn(issue: z.core.$ZodIssue): string {
  if (issue.code === "unrecognized_keys") return `${issue.keys.join(", ")}: ${issue.message}`;
  const [part, ...place] = issue.path;
  return part === "params" || place.length === 0 ? issue.message : `${place.join(".")}: ${issue.message}`;
}

function isApiError(answer: object): answer is ApiError {
  return "kind" in answer;
}

/** Returns the response of a refusal. */
export function refusalAnswer({ kind, detail, now }: ApiError): Response {
  return problemResponse(kind, detail, now);
}

function notHere(instead: string): ApiError {
  return { kind: "not-here", detail: `only a local Lookout answers this request: ${instead}` };
}
