import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { ProblemView } from "#contracts/api/schema";
import { isObject, parseJson } from "#domain/shared/json";
import type { DeployedStack } from "#runtime/stack";
import type { ServerFlags } from "./context.ts";
import { eventsIn, eventStream } from "./event-stream.ts";
import { exitCodes, type ExitCode, Failure } from "./failure.ts";
import { findServerPlace, type ServerPlace } from "./find-server.ts";
import { waitingLines } from "./render/approvals.ts";
import { refusedByAws } from "./stack-place.ts";
import type { World } from "./world.ts";

/** A Lookout server. An answer without the field `member` is not an answer of Lookout. */
export interface Server {
  /** Its address and where that comes from, for people. */
  readonly label: string;
  /** The stack of a server on AWS. */
  readonly stack?: DeployedStack;
  get<Answer extends object>(path: string, member: keyof Answer & string): Promise<Answer>;
  post<Answer extends object>(
    path: string,
    member: keyof Answer & string,
    body?: object,
    headers?: Headers,
  ): Promise<Answer>;
  remove<Answer extends object>(path: string, member: keyof Answer & string): Promise<Answer>;
  /** Returns the same server for requests with the person's own token. A stack on AWS needs none. */
  asPerson(): Promise<Server>;
  /** Returns the data of each server-sent event, until the connection ends. */
  follow(path: string, signal: AbortSignal): Promise<AsyncIterable<string>>;
}

/**
 * Finds the server that the flags and the environment name.
 *
 * @throws Failure when there is none. Requests throw one when the server can't be reached or refuses.
 */
export async function findServer(world: World, flags: ServerFlags): Promise<Server> {
  return serverAt(await findServerPlace(world, flags), world, {});
}

type Headers = Readonly<Record<string, string>>;

/** `personal`: the headers of every request. */
function serverAt(place: ServerPlace, world: World, personal: Headers): Server {
  const ask = (method: string, path: string, member: string, body?: object, headers: Headers = {}): Promise<unknown> =>
    request(world, place, { method, path, body, headers: { ...personal, ...headers } }, member);
  return {
    label: `Lookout at ${place.url}, ${place.found}`,
    ...(place.stack === undefined ? {} : { stack: place.stack }),
    get: async <Answer>(path: string, member: string) => (await ask("GET", path, member)) as Answer,
    post: async <Answer>(path: string, member: string, body?: object, headers?: Headers) =>
      (await ask("POST", path, member, body, headers)) as Answer,
    asPerson: async () =>
      place.stack === undefined ? serverAt(place, world, await personHeaders(world)) : serverAt(place, world, {}),
    remove: async <Answer>(path: string, member: string) => (await ask("DELETE", path, member)) as Answer,
    follow: (path, signal) => follow(world, place, path, signal),
  };
}

interface Question {
  readonly method: string;
  readonly path: string;
  readonly body: object | undefined;
  readonly headers: Headers;
}

async function request(
  world: World,
  place: ServerPlace,
  { method, path, body, headers }: Question,
  member: string,
): Promise<unknown> {
  const text = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await send(world, place, { method, path, accept: "application/json", headers, ...text });
  const answer = parseJson(await reached(place, response.text()));
  if (response.ok && isObject(answer) && member in answer) return answer;
  throw refusal(place, path, response.status, answer);
}

async function follow(
  world: World,
  place: ServerPlace,
  path: string,
  signal: AbortSignal,
): Promise<AsyncIterable<string>> {
  const response = await send(world, place, { method: "GET", path, accept: eventStream, headers: {}, signal });
  const isStream = response.headers.get("content-type")?.startsWith(eventStream) === true;
  if (!response.ok || !isStream || response.body === null)
    throw refusal(place, path, response.status, parseJson(await response.text()));
  return eventsIn(response.body);
}

interface OutgoingRequest {
  readonly method: string;
  readonly path: string;
  readonly accept: string;
  readonly headers: Headers;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

async function send(
  world: World,
  place: ServerPlace,
  { method, path, accept, headers: more, signal, ...text }: OutgoingRequest,
): Promise<Response> {
  const url = place.url + path;
  const type = text.body === undefined ? {} : { "content-type": "application/json" };
  const headers = await withCredentials(place, { method, url, headers: { accept, ...type, ...more }, ...text }, world);
  // A redirect must not get the token or the signature.
  const init = { method, redirect: "error", headers, ...text } as const;
  return reached(place, world.fetch(url, signal === undefined ? init : { ...init, signal }));
}

/** Reads the person's token; none without the variable. */
async function personHeaders({ environment, cwd }: World): Promise<Headers> {
  const path = environment.LOOKOUT_TOKEN_FILE;
  if (path === undefined || path === "") return {};
  const token = await readFile(resolve(cwd, path), "utf8").catch((error: unknown) => {
    throw new Failure(exitCodes.wrongInput, `LOOKOUT_TOKEN_FILE names ${path}, which can't be read.`, [], {
      cause: error,
    });
  });
  if (/^[\w-]{1,200}$/.test(token.trim())) return { "x-lookout-person": token.trim() };
  throw new Failure(exitCodes.wrongInput, `LOOKOUT_TOKEN_FILE names ${path}, which holds no token.`, [
    "To make one:  lookout approvals token NAME",
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
    place.pid === undefined ? [] : [`Its folder names process ${place.pid}, which has ended or does not listen.`];
  return new Failure(
    exitCodes.unreachable,
    `Lookout can't be reached at ${place.url}: ${causeOf(error)}.`,
    [...ended, isOfThisMachine(place) ? "To start it here:  lookout start" : `This address is ${place.found}.`],
    { cause: error },
  );
}

/** True for the process of a state folder, false for a named server. */
function isOfThisMachine({ found }: ServerPlace): boolean {
  return found.startsWith("the process");
}

const causes: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ECONNRESET: "the connection was cut",
  ENOTFOUND: "there is no such host",
  EAI_AGAIN: "the host's name can't be looked up now",
  EHOSTUNREACH: "there is no way to the host",
  ENETUNREACH: "there is no way to its network",
  UND_ERR_SOCKET: "the connection was cut",
};

/** `fetch` says "fetch failed", and why in its causes. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown error";
  if (error.name === "TimeoutError") return "it does not answer in time";
  const code = "code" in error && typeof error.code === "string" ? error.code : undefined;
  if (code !== undefined) return causes[code] ?? code;
  return error.cause === undefined ? error.message : causeOf(error.cause);
}

function refusal(place: ServerPlace, path: string, status: number, answer: unknown): Failure {
  const problem = problemIn(answer);
  if (place.stack !== undefined && problem === undefined && (status === 401 || status === 403))
    return refusedByAws(place.stack, answer);
  if (status === 401)
    return new Failure(exitCodes.refused, `Lookout at ${place.url} does not know this token.`, [
      isOfThisMachine(place)
        ? "Its folder holds another token than at its start. Restart Lookout:  lookout start"
        : "Set LOOKOUT_TOKEN to the token in its state folder, or name that folder:  --data FOLDER",
    ]);
  if (problem === undefined && place.stack !== undefined && (status === 429 || status >= 500))
    return unanswered(place.stack.name, status);
  if (problem === undefined)
    return new Failure(
      exitCodes.unreachable,
      `The server at ${place.url} does not answer as Lookout does (HTTP ${status}).`,
      [`This address is ${place.found}.`],
    );
  return new Failure(codeOf(status), problem.detail, adviceOf(problem, status, path));
}

function adviceOf({ pending, deciders, remedy }: Problem, status: number, path: string): readonly string[] {
  if (status === 404 && path.startsWith("/v1/clusters/")) return ["To see all clusters:  lookout cluster list"];
  if (codeOf(status) !== exitCodes.refused) return [];
  return [
    ...(deciders === undefined ? [] : waitingLines(pending, deciders)),
    ...(remedy === undefined || remedy === "Nothing to do." ? [] : [remedy]),
  ];
}

/** The failure when API Gateway answers instead of Lookout. */
function unanswered(stack: string, status: number): Failure {
  if (status === 429)
    return new Failure(exitCodes.unreachable, `The stack ${stack} gets too many requests (HTTP 429).`, [
      "Its API limits the requests per second. Try again in a moment.",
    ]);
  return new Failure(exitCodes.unreachable, `The stack ${stack} failed to answer (HTTP ${status}).`, [
    "See the log of its function api/v1. If it is empty, the account's limit of concurrent functions is reached.",
    "For a cluster with its own network, check that its subnets can reach AWS.",
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
