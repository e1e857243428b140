import { createHash, timingSafeEqual } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type ListenOptions, type Server } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { streamSSE } from "hono/streaming";
import { listRegistries } from "#app/api/registries";
import { type DemoPushRequest, type DemoPushView, type SettingsView, stateFileType } from "#contracts/api/process";
import { operations } from "#contracts/api/operations";
import { PermanentError } from "#ports/errors";
import { answerTo } from "../api.ts";
import type { Log } from "../handler.ts";
import type { Backups } from "./backups.ts";
import { answerToForeignHost, answerToForeignPage, isLoopback, ownNames } from "./browser-guard.ts";
import { busyAnswer, callerHeader, failedAnswer, json, problemResponse } from "../request.ts";
import { registryGauges } from "./metrics.ts";
import type { FactStream } from "./fact-stream.ts";
import { requestFunctions } from "./functions.ts";
import { codeOf } from "./system-errors.ts";
import type { Shell } from "./shell.ts";

/** The input of the server. */
export interface HttpOptions {
  readonly shell: Shell;
  /** The token that API requests must have. */
  readonly token: string;
  readonly log: Log;
  /** The settings of the process. */
  readonly settings: SettingsView;
  readonly facts: FactStream;
  /**
   * Returns the metrics of the process in Prometheus' text format. Absent if the process keeps no
   * metrics.
   */
  readonly metrics?: () => string;
  /** The copies of the state. Absent if the process has no state folder. */
  readonly backups?: Pick<Backups, "read">;
  /** Pushes an image to the demo's registry. Absent outside the demo. */
  readonly demoPush?: (request: DemoPushRequest) => Promise<DemoPushView>;
}

/** An address to listen on. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** A listening server. */
export interface HttpServer {
  readonly url: string;
  /** Stops accepting requests. Open requests are cut off after the given time. */
  stop(withinMs: number): Promise<void>;
}

/**
 * Returns the HTTP application: `/webhooks/<receiver>`, `/v1` and `/metrics` with the token, and
 * `/healthz`.
 */
export function httpFace({ shell, token, log, settings, facts, metrics, backups, demoPush }: HttpOptions): Hono {
  const app = new Hono();
  app.get("/healthz", () => json(200, { status: "ok" }));
  for (const path of ["/v1/*", "/metrics"])
    app.use(path, async ({ req }, next) => {
      const foreign = answerToForeignPage(req.raw);
      if (foreign !== undefined) return foreign;
      if (!isToken(req.header("authorization") ?? "", token))
        return problemResponse(
          "no-token",
          "the API needs the token of the state folder: Authorization: Bearer <token>",
        );
      // Only AWS proves this header. A local Lookout must not trust it.
      if (req.header(callerHeader) === undefined) return next();
      return problemResponse("bad-request", `a local Lookout does not accept the header ${callerHeader}`);
    });
  app.get("/metrics", async (context) =>
    context.text((metrics?.() ?? "") + registryGauges(await listRegistries(shell.ports))),
  );
  app.get("/v1/configuration", () => json(200, settings));
  app.get("/v1/events", (context) => follow(context, facts));
  if (backups !== undefined) app.get(operations.backUpState.path, () => copyAnswer(backups));
  if (demoPush !== undefined)
    app.post(operations.pushToDemo.path, ({ req }) =>
      answerTo(operations.pushToDemo, req, ({ body }) => demoPush(body)),
    );
  for (const { route, run } of Object.values(requestFunctions))
    app.all(route.trigger.path, ({ req }) => shell.serve(run, req.raw));
  app.notFound(({ req }) => problemResponse("not-found", `this server has no ${req.method} ${req.path}`));
  app.onError((error, { req }) => {
    log.failure({ id: `${req.method} ${req.path}`, error });
    return failedAnswer(error);
  });
  return app;
}

/** Answers with a copy of the state file. The caller gets the reason why there is none. */
async function copyAnswer(backups: Pick<Backups, "read">): Promise<Response> {
  try {
    const { bytes, content } = await backups.read();
    return new Response(content, { headers: { "content-type": stateFileType, "content-length": String(bytes) } });
  } catch (error) {
    const why = error instanceof Error ? error.message : "unknown error";
    return problemResponse("try-again", `Lookout can't copy its state: ${why}`);
  }
}

function follow(context: Context, facts: FactStream): Response {
  const response = streamSSE(context, (stream) => {
    const gone = new AbortController();
    stream.onAbort(() => {
      gone.abort();
    });
    return facts.follow((text) => stream.write(text), gone.signal);
  });
  // A kept-alive connection would delay the stop of the process.
  response.headers.set("connection", "close");
  return response;
}

/**
 * The number of sockets that listen. Node accepts one connection of each socket in a turn of its
 * event loop, and registries open a connection for each notification. Only Linux distributes
 * connections among sockets.
 */
const listeners = process.platform === "linux" ? 64 : 1;
/** The maximum number of new connections that wait. A refused client tries again after a second. */
const mostUnaccepted = 4_096;

const surplus = busyAnswer("too many notifications arrive at the same time");
const surplusBody = JSON.stringify(surplus.problem);

/** Refuses a notification before its body is read and before any proof is verified. */
function refuse(response: ServerResponse): void {
  response.writeHead(surplus.problem.status, { ...surplus.headers, "content-length": surplusBody.length });
  response.end(surplusBody);
}

/**
 * Starts a server.
 *
 * @param shell - the process, which can refuse notifications.
 * @throws PermanentError if the address is in use or not usable
 */
export async function listen(
  app: Hono,
  { host, port }: Address,
  shell?: Pick<Shell, "refusesNotification">,
): Promise<HttpServer> {
  const answer = getRequestListener(
    (request, environment) =>
      answerToForeignHost(request, ownNames(host, portOf(server, port))) ?? app.fetch(request, environment),
  );
  const server = createServer((request, response) => {
    const isNotification = request.url?.startsWith("/webhooks/") === true;
    if (isNotification && shell?.refusesNotification() === true) refuse(response);
    else void answer(request, response);
  });
  const others = Array.from({ length: listeners - 1 }, () =>
    // The options are the options of an HTTP server.
    createTcpServer({ allowHalfOpen: true, noDelay: true }, (socket) => server.emit("connection", socket)),
  );
  try {
    // Two processes could share an address. This listener fails if the address is in use.
    const first = createTcpServer();
    await listenOn(first, { port, host });
    const chosen = portOf(first, port);
    await closed(first);
    const shared = { port: chosen, host, reusePort: listeners > 1, backlog: mostUnaccepted / listeners };
    for (const one of [server, ...others]) await listenOn(one, shared);
  } catch (error) {
    throw unusable(error, { host, port });
  }
  const actual = portOf(server, port);
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${actual}`,
    stop: (withinMs) =>
      new Promise((resolve) => {
        void Promise.all([server, ...others].map(closed)).then(() => {
          resolve();
        });
        server.closeIdleConnections();
        setTimeout(() => {
          server.closeAllConnections();
        }, withinMs).unref();
      }),
  };
}

function listenOn(server: Server, options: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(options, resolve);
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => {
      resolve();
    });
  });
}

/** Returns the actual port of a server. For port 0, the system chooses the port. */
function portOf(server: { address(): AddressInfo | string | null }, port: number): number {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : port;
}

/** Returns a warning for an address that other machines reach; undefined for the loopback. */
export function plainHttpWarning(host: string, url: string): string | undefined {
  if (isLoopback(host)) return undefined;
  return `${url} answers other machines over plain HTTP: others on the network can read the API's token and the webhooks' secrets. Put a proxy with TLS before Lookout, or set listen to 127.0.0.1:PORT`;
}

function unusable(error: unknown, { host, port }: Address): Error {
  const code = codeOf(error);
  if (code === "EADDRINUSE")
    return new PermanentError(
      `the address ${host}:${port} is in use: stop the other server, or choose another address with --listen HOST:PORT`,
    );
  if (code === "EADDRNOTAVAIL" || code === "EACCES" || code === "ENOTFOUND")
    return new PermanentError(
      `Lookout can't listen on ${host}:${port} (${code}): choose another address with --listen HOST:PORT`,
    );
  return error instanceof Error ? error : new Error("the server did not start");
}

/**
 * Returns whether a header contains the token. The function compares hashes in constant time, so
 * that the time of the comparison reveals nothing.
 */
function isToken(header: string, token: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  // The name of a scheme is case-insensitive: https://www.rfc-editor.org/rfc/rfc9110 §11.1
  const shown = /^bearer +(.*)$/i.exec(header)?.[1] ?? "";
  return timingSafeEqual(digest(shown), digest(token));
}
