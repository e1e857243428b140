import { createServer, type IncomingMessage, type Server as WebServer, type ServerResponse } from "node:http";
import { createServer as createTlsServer, type Server as TlsServer } from "node:https";
import {
  type AddressInfo,
  createServer as createTcpServer,
  type ListenOptions,
  type Server,
  type Socket,
} from "node:net";
import { getRequestListener } from "@hono/node-server";
import { type Context, Hono, type MiddlewareHandler } from "hono";
import { streamSSE } from "hono/streaming";
import { requestRefusal, roleRefusal } from "#app/api/access";
import { answerWithin } from "#app/api/scoped-ports";
import { listRegistries } from "#app/api/registries";
import { metricsAccess, type NeededAccess, neededAccess } from "#contracts/api/access";
import { type DemoPushRequest, type DemoPushView, type SettingsView, stateFileType } from "#contracts/api/process";
import { operations } from "#contracts/api/operations";
import type { Access } from "#domain/access/access";
import { PermanentError } from "#ports/errors";
import { answerTo, refusalAnswer } from "../api.ts";
import type { Log } from "../handler.ts";
import type { Backups } from "./backups.ts";
import { answerToForeignHost, answerToForeignPage, isLoopback, ownNames } from "./browser-guard.ts";
import { type Certificate, oldestTls } from "./certificate.ts";
import { callerIn, maySee, type Proofs } from "./callers.ts";
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
  /** Returns the settings of the process. */
  readonly settings: () => SettingsView;
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

/** A certificate with its private key, in PEM. */
export type TlsPair = Pick<Certificate, "cert" | "key">;

/** A listening server. */
export interface HttpServer {
  readonly url: string;
  /** Uses another certificate for new connections. Open connections stay. */
  useCertificate(pair: TlsPair): void;
  /** Stops accepting requests. Open requests are cut off after the given time. */
  stop(withinMs: number): Promise<void>;
}

/** What the server knows of a request: the rights of its caller, for paths that need a token. */
interface Known {
  readonly Variables: { readonly access: Access };
}

/** The HTTP application. */
export type HttpFace = Hono<Known>;

/**
 * Returns the HTTP application: `/webhooks/<receiver>`, `/v1` and `/metrics` with the token, and
 * `/healthz`.
 */
export function httpFace({ shell, token, log, settings, facts, metrics, backups, demoPush }: HttpOptions): HttpFace {
  const app: HttpFace = new Hono();
  const proofs = { folderToken: token, tokens: shell.ports.tokens, clock: shell.ports.clock };
  app.get("/healthz", () => json(200, { status: "ok" }));
  for (const path of ["/v1/*", "/metrics"])
    app.use(path, async ({ req, set }, next) => {
      const foreign = answerToForeignPage(req.raw);
      if (foreign !== undefined) return foreign;
      const caller = await callerIn(req.header("authorization"), proofs);
      if (!caller.ok) return problemResponse("no-token", caller.problem);
      // Only AWS proves this header. A local Lookout must not trust it.
      if (req.header(callerHeader) !== undefined)
        return problemResponse("bad-request", `a local Lookout does not accept the header ${callerHeader}`);
      set("access", caller.value);
      return next();
    });
  app.get("/metrics", needing(metricsAccess), async (context) =>
    context.text((metrics?.() ?? "") + registryGauges(await listRegistries(shell.ports))),
  );
  app.get("/v1/configuration", needing(neededAccess.readConfiguration), () => json(200, settings()));
  app.get("/v1/events", needing(neededAccess.followFacts), (context) => follow(context, facts, proofs));
  if (backups !== undefined)
    app.get(operations.backUpState.path, needing(neededAccess.backUpState), () => copyAnswer(backups));
  if (demoPush !== undefined)
    app.post(operations.pushToDemo.path, ({ req, get }) => {
      const rights = { needed: neededAccess.pushToDemo, access: get("access") };
      return answerTo(operations.pushToDemo, req, ({ body }) => demoPush(body), rights);
    });
  for (const { route, run } of Object.values(requestFunctions))
    app.all(route.trigger.path, ({ req, get }) => shell.serve(run, req.raw, get("access")));
  app.notFound(({ req }) => problemResponse("not-found", `this server has no ${req.method} ${req.path}`));
  app.onError((error, { req }) => {
    log.failure({ id: `${req.method} ${req.path}`, error });
    return failedAnswer(error);
  });
  return app;
}

/** Refuses callers without the rights, for an operation without parts. */
function needing(needed: NeededAccess): MiddlewareHandler<Known> {
  return async ({ get }, next) => {
    const access = get("access");
    const refused = roleRefusal(needed, access) ?? requestRefusal(needed, {}, access);
    return refused === undefined ? next() : refusalAnswer(refused);
  };
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

/** The time after which the stream of a token that was revoked or expired has ended. */
const proofIsOldAfterMs = 10_000;

function follow(context: Context<Known>, facts: FactStream, proofs: Proofs): Response {
  const access = context.get("access");
  const header = context.req.header("authorization");
  const response = streamSSE(context, async (stream) => {
    const gone = new AbortController();
    stream.onAbort(() => {
      gone.abort();
    });
    const proof = setInterval(() => {
      void callerIn(header, proofs).then(
        ({ ok }) => {
          if (!ok) gone.abort();
        },
        // The state may be unavailable for a moment.
        () => undefined,
      );
    }, proofIsOldAfterMs);
    try {
      await facts.follow(
        (text) => stream.write(text),
        gone.signal,
        (fact) => (maySee(access, fact) ? answerWithin(access.scope, fact) : undefined),
      );
    } finally {
      clearInterval(proof);
    }
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

/** The longest TLS handshake in milliseconds. A connection without one costs memory. */
const handshakeTimeout = 10_000;

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
  app: Pick<HttpFace, "fetch">,
  { host, port }: Address,
  shell?: Pick<Shell, "refusesNotification">,
  pair?: TlsPair,
): Promise<HttpServer> {
  const isTls = pair !== undefined;
  const answer = getRequestListener(
    (request, environment) =>
      answerToForeignHost(request, ownNames(host, portOf(server, port), isTls)) ?? app.fetch(request, environment),
  );
  const respond = (request: IncomingMessage, response: ServerResponse): void => {
    const isNotification = request.url?.startsWith("/webhooks/") === true;
    if (isNotification && shell?.refusesNotification() === true) refuse(response);
    else void answer(request, response);
  };
  const secure =
    pair === undefined ? undefined : createTlsServer({ ...pair, minVersion: oldestTls, handshakeTimeout }, respond);
  const rawSockets = new Set<Socket>();
  secure?.on("connection", (socket: Socket) => {
    rawSockets.add(socket);
    socket.once("close", () => rawSockets.delete(socket));
  });
  const server: WebServer | TlsServer = secure ?? createServer(respond);
  const others = Array.from({ length: listeners - 1 }, () =>
    // The options are the options of an HTTP server. With TLS, a socket
    // that stays half open would never close.
    createTcpServer({ allowHalfOpen: pair === undefined, noDelay: true }, (socket) =>
      server.emit("connection", socket),
    ),
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
    url: `${isTls ? "https" : "http"}://${host.includes(":") ? `[${host}]` : host}:${actual}`,
    useCertificate: (renewed) => {
      secure?.setSecureContext({ ...renewed, minVersion: oldestTls });
    },
    stop: (withinMs) =>
      new Promise((resolve) => {
        void Promise.all([server, ...others].map(closed)).then(() => {
          resolve();
        });
        server.closeIdleConnections();
        setTimeout(() => {
          server.closeAllConnections();
          // The server does not know these sockets yet.
          for (const socket of rawSockets) socket.destroy();
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

/** Returns a warning for an address that other machines reach without TLS; undefined for others. */
export function plainHttpWarning(host: string, url: string): string | undefined {
  if (isLoopback(host) || url.startsWith("https:")) return undefined;
  return `${url} answers other machines over plain HTTP: others on the network can read the API's token and the webhooks' secrets. Name certFile and keyFile under listen, put a proxy with TLS before Lookout, or set listen to 127.0.0.1:PORT`;
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
