import type { Endpoints } from "#contracts/api/operations";
import type { ProblemView } from "#contracts/api/schema";
import { isObject, parseJson } from "#domain/shared/json";
import type { DeployedStack } from "#runtime/stack";
import type { ServerFlags } from "./context.ts";
import { endpoints } from "./endpoints.ts";
import { eventsIn, eventStream } from "./event-stream.ts";
import { exitCodes, type ExitCode, Failure, NotFound } from "./failure.ts";
import { findServerPlace, personalTokenInFile, type ServerPlace, textOfTokenFile, withToken } from "./find-server.ts";
import {
  type AnswerOf,
  isAnswerOf,
  type OperationName,
  type PartsOf,
  pathOf,
  type RequestParts,
} from "./operations.ts";
import { waitingLines } from "./render/approvals.ts";
import { refusedByAws } from "./stack-place.ts";
import type { World } from "./world.ts";

/** A Lookout server. */
export interface Server {
  /** The address and its source, for messages. */
  readonly label: string;
  /** The stack of a server on AWS. */
  readonly stack?: DeployedStack;
  /** The name of the person whom the token proves. Absent for another proof. */
  readonly person?: string;
  /** Sends the request of an operation. Fails if the answer lacks a required member. */
  ask<Name extends OperationName>(name: Name, ...parts: Parts<Name>): Promise<AnswerOf<Name>>;
  /**
   * Returns the same server, with the person's token on each request. A stack on AWS needs no
   * token.
   */
  asPerson(): Promise<Server>;
  /** Returns the data of each server-sent event, until the connection ends. */
  follow(signal: AbortSignal): Promise<AsyncIterable<string>>;
  /** Returns a copy of the state file in pieces. Fails if the connection ends before the copy. */
  download(signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
}

/** The parts of a request. They may be absent if the operation needs none. */
type Parts<Name extends OperationName> =
  object extends PartsOf<Name> ? [parts?: PartsOf<Name>] : [parts: PartsOf<Name>];

/**
 * Returns the server that the flags and the environment name.
 *
 * @throws Failure if no server is found. Requests throw a Failure if the server does not answer or
 *   refuses.
 */
export async function findServer(world: World, flags: ServerFlags): Promise<Server> {
  return serverAt(await findServerPlace(world, flags), world, flags, {});
}

type Headers = Readonly<Record<string, string>>;

/** Returns the server at an address. Every request carries the headers `personal`. */
function serverAt(place: ServerPlace, world: World, flags: ServerFlags, personal: Headers): Server {
  return {
    label: `Lookout at ${place.url}, ${place.found}`,
    ...(place.stack === undefined ? {} : { stack: place.stack }),
    ...(place.person === undefined ? {} : { person: place.person }),
    ask: (name, ...[parts]) => request(world, place, name, parts ?? {}, personal),
    asPerson: async () => {
      if (place.stack !== undefined || place.person !== undefined) return serverAt(place, world, flags, {});
      const own = await personalTokenInFile(world);
      if (own !== undefined) return serverAt(withToken(place, own, flags), world, flags, {});
      return serverAt(place, world, flags, await personHeaders(world));
    },
    follow: async (signal) => eventsIn(await streamOf("followFacts", eventStream, { world, place, signal })),
    download: async (signal) => download(await streamOf("backUpState", stateFile, { world, place, signal }), place),
  };
}

async function request<Name extends OperationName>(
  world: World,
  place: ServerPlace,
  name: Name,
  parts: RequestParts,
  personal: Headers,
): Promise<AnswerOf<Name>> {
  const text = parts.body === undefined ? {} : { body: JSON.stringify(parts.body) };
  const headers = { ...personal, ...parts.headers };
  const response = await send(world, place, { name, parts, accept: "application/json", headers, ...text });
  const answer = parseJson(await reached(place, response.text()));
  if (response.ok && isAnswerOf(name, answer)) return answer;
  throw refusal(place, { name, parts }, response.status, answer);
}

/** The media type of a copy of the state file. */
const stateFile = "application/vnd.sqlite3";

interface Streamed {
  readonly world: World;
  readonly place: ServerPlace;
  readonly signal: AbortSignal;
}

/** Returns the body of an answer of a media type. The request has no time limit. */
async function streamOf(
  name: Exclude<keyof Endpoints, OperationName>,
  type: string,
  { world, place, signal }: Streamed,
): Promise<ReadableStream<Uint8Array>> {
  const asked = { name, parts: {} } as const;
  const response = await send(world, place, { ...asked, accept: type, headers: {}, signal });
  const isStream = response.headers.get("content-type")?.startsWith(type) === true;
  if (!response.ok || !isStream || response.body === null)
    throw refusal(place, asked, response.status, parseJson(await response.text()));
  return response.body;
}

async function* download(body: ReadableStream<Uint8Array>, place: ServerPlace): AsyncGenerator<Uint8Array> {
  const pieces = body.getReader();
  for (;;) {
    const { done, value } = await reached(place, pieces.read());
    if (done) return;
    yield value;
  }
}

/** An operation, and the parts of its request. */
interface Asked {
  readonly name: keyof Endpoints;
  readonly parts: RequestParts;
}

interface OutgoingRequest extends Asked {
  readonly accept: string;
  readonly headers: Headers;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

async function send(
  world: World,
  place: ServerPlace,
  { name, parts, accept, headers: more, signal, ...text }: OutgoingRequest,
): Promise<Response> {
  const method = endpoints[name].method.toUpperCase();
  const url = place.url + pathOf(name, parts);
  const type = text.body === undefined ? {} : { "content-type": "application/json" };
  const headers = await withCredentials(place, { method, url, headers: { accept, ...type, ...more }, ...text }, world);
  // A redirect must not receive the token or the signature.
  const init = { method, redirect: "error", headers, ...text } as const;
  return reached(place, world.fetch(url, signal === undefined ? init : { ...init, signal }, place.trust));
}

/** Returns the header with the person's token, or no header without LOOKOUT_TOKEN_FILE. */
async function personHeaders(world: World): Promise<Headers> {
  const token = await textOfTokenFile(world);
  if (token === undefined) return {};
  if (/^[\w-]{1,200}$/.test(token)) return { "x-lookout-person": token };
  const path = world.environment.LOOKOUT_TOKEN_FILE ?? "";
  throw new Failure(exitCodes.wrongInput, `LOOKOUT_TOKEN_FILE names ${path}, which contains no token.`, [
    "To make a token:  lookout approvals token NAME",
  ]);
}

async function withCredentials(
  { token, stack }: ServerPlace,
  request: Parameters<DeployedStack["sign"]>[0],
  world: World,
): Promise<Readonly<Record<string, string>>> {
  if (stack !== undefined) return stack.sign(request, world.now());
  return token === undefined ? request.headers : { ...request.headers, authorization: `Bearer ${token}` };
}

async function reached<Outcome>(place: ServerPlace, answer: Promise<Outcome>): Promise<Outcome> {
  try {
    return await answer;
  } catch (error) {
    throw notReached(place, error);
  }
}

function notReached(place: ServerPlace, error: unknown): Failure {
  const ended =
    place.pid === undefined ? [] : [`The state folder names process ${place.pid}, which has ended or does not listen.`];
  return new Failure(
    exitCodes.unreachable,
    `Lookout can't be reached at ${place.url}: ${causeOf(error)}.`,
    [...ended, isOfThisMachine(place) ? "To start Lookout here:  lookout start" : `The address is ${place.found}.`],
    { cause: error },
  );
}

/** Returns true for the process of a state folder, and false for a named server. */
function isOfThisMachine({ found }: ServerPlace): boolean {
  return found.startsWith("the process");
}

/** The errors of OpenSSL for certificates that no trusted authority has issued. */
const untrusted = [
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
] as const;
const untrustedText =
  "its certificate is not trusted here; name the file with its authority in LOOKOUT_CA_FILE or NODE_EXTRA_CA_CERTS";

const causes: Readonly<Record<string, string>> = {
  ECONNREFUSED: "no server listens at this address",
  ECONNRESET: "the connection was cut",
  ENOTFOUND: "the host does not exist",
  EAI_AGAIN: "the host's name can't be looked up now",
  EHOSTUNREACH: "no network route leads to the host",
  ENETUNREACH: "no route leads to the host's network",
  UND_ERR_SOCKET: "the connection was cut",
  CERT_HAS_EXPIRED: "the server's certificate has expired",
  CERT_NOT_YET_VALID: "the server's certificate is not valid yet; check the clocks",
  ERR_TLS_CERT_ALTNAME_INVALID: "the server's certificate is for other names",
  ERR_SSL_WRONG_VERSION_NUMBER: "the server does not use HTTPS",
  ...Object.fromEntries(untrusted.map((code) => [code, untrustedText])),
};

/** Returns the cause of an error in words. `fetch` puts the reason into the causes of its error. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown error";
  if (error.name === "TimeoutError") return "the server does not answer in time";
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined;
  if (code !== undefined) return causes[code] ?? code;
  return error.cause === undefined ? error.message : causeOf(error.cause);
}

function refusal(place: ServerPlace, asked: Asked, status: number, answer: unknown): Failure {
  const problem = problemIn(answer);
  if (place.stack !== undefined && problem === undefined && (status === 401 || status === 403))
    return refusedByAws(place.stack, answer);
  if (status === 401) return notAccepted(place, problem);
  if (problem === undefined && place.stack !== undefined && (status === 429 || status >= 500))
    return unanswered(place.stack.name, status);
  if (problem === undefined)
    return new Failure(exitCodes.unreachable, `The server at ${place.url} is not a Lookout server (HTTP ${status}).`, [
      `The address is ${place.found}.`,
    ]);
  return problemFailure(problem, status, asked);
}

/** Returns the failure of a request whose token is not accepted. Lookout says why only to a personal token. */
function notAccepted(place: ServerPlace, problem: Problem | undefined): Failure {
  if (place.person !== undefined && problem !== undefined)
    return new Failure(exitCodes.refused, `Lookout at ${place.url} refuses the request: ${problem.detail}.`);
  return new Failure(exitCodes.refused, `Lookout at ${place.url} does not accept this token.`, [
    isOfThisMachine(place)
      ? "The token in the state folder has changed since the start. Restart Lookout:  lookout start"
      : "Set LOOKOUT_TOKEN to your token of lookout token create, or name the server's state folder:  --data FOLDER",
  ]);
}

/** Returns the failure of a request that Lookout refused. */
export function problemFailure(problem: Problem, status: number, asked: Asked): Failure {
  const code = isUntracked(problem, status, asked) ? exitCodes.wrongInput : codeOf(status);
  const advice = adviceOf(problem, status, asked);
  const isMissing = status === 404 || status === 501;
  return isMissing ? new NotFound(code, problem.detail, advice) : new Failure(code, problem.detail, advice);
}

/** Returns whether a user typed the name of a workload that the server does not know. */
function isUntracked({ detail }: Problem, status: number, { parts: { params } }: Asked): boolean {
  return status === 404 && params?.["kind"] !== undefined && detail.endsWith("is not tracked");
}

const ofOneCluster: ReadonlySet<Asked["name"]> = new Set([
  "readCluster",
  "removeCluster",
  "checkCluster",
  "syncCluster",
] as const);

function adviceOf(problem: Problem, status: number, { name, parts }: Asked): readonly string[] {
  const { pending, deciders, remedy } = problem;
  if (status === 404 && ofOneCluster.has(name)) return ["To see all clusters:  lookout cluster list"];
  if (isUntracked(problem, status, { name, parts })) return ["To see all tracked workloads:  lookout status"];
  if (codeOf(status) !== exitCodes.refused) return [];
  return [
    ...(deciders === undefined ? [] : waitingLines(pending, deciders)),
    ...(remedy === undefined || remedy === "Nothing to do." ? [] : [withWorkload(remedy, parts.params)]),
  ];
}

/** Returns a remedy with the workload of a request in its commands. */
function withWorkload(remedy: string, { cluster, namespace, kind, name }: RequestParts["params"] = {}): string {
  const parts = [cluster, namespace, kind, name];
  return parts.includes(undefined) ? remedy : remedy.replaceAll(/\bWORKLOAD\b/g, () => parts.join("/"));
}

/** Returns the failure of a request that API Gateway answered instead of Lookout. */
function unanswered(stack: string, status: number): Failure {
  if (status === 429)
    return new Failure(exitCodes.unreachable, `The stack ${stack} gets too many requests (HTTP 429).`, [
      "The API of the stack limits the requests per second. Try again in a moment.",
    ]);
  return new Failure(exitCodes.unreachable, `The stack ${stack} failed to answer (HTTP ${status}).`, [
    "Read the log of the function api/v1. If the log is empty, the account's limit of concurrent functions is reached.",
    "For a cluster with its own network, check that the subnets can reach AWS.",
  ]);
}

function codeOf(status: number): ExitCode {
  if (status === 400) return exitCodes.wrongInput;
  if (status === 404 || status === 501) return exitCodes.notSo;
  return status < 500 && status !== 429 ? exitCodes.refused : exitCodes.unreachable;
}

type Problem = Pick<ProblemView, "detail" | "pending" | "deciders"> & Partial<Pick<ProblemView, "remedy">>;

function problemIn(answer: unknown): Problem | undefined {
  const isProblem = isObject(answer) && typeof answer["code"] === "string" && typeof answer["detail"] === "string";
  return isProblem ? (answer as unknown as Problem) : undefined;
}
