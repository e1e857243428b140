import { createHash, timingSafeEqual } from "node:crypto";
import { createAdaptorServer } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { streamSSE } from "hono/streaming";
import type { DemoPushRequest, DemoPushView, SettingsView } from "#contracts/api/process";
import { routes } from "#contracts/api/routes";
import { PermanentError } from "#ports/errors";
import { answerTo } from "../api.ts";
import type { Log } from "../handler.ts";
import { failedAnswer, json, refuse } from "../request.ts";
import type { FactStream } from "./fact-stream.ts";
import { requestFunctions } from "./functions.ts";
import { codeOf } from "./system-errors.ts";
import type { Shell } from "./shell.ts";

/** What the server answers from. */
export interface HttpOptions {
  readonly shell: Shell;
  /** What callers of the API prove themselves with. */
  readonly token: string;
  readonly log: Log;
  /** What the process was started with. */
  readonly settings: SettingsView;
  readonly facts: FactStream;
  /** Present in the demo: pushes to its registry. */
  readonly demoPush?: (request: DemoPushRequest) => Promise<DemoPushView>;
}

/** An address to listen on. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** A server that listens. */
export interface HttpServer {
  readonly url: string;
  /** Answers what is in work, and no one else; what is not done within the given time is cut off. */
  stop(withinMs: number): Promise<void>;
}

/** Makes the HTTP face of the process: `/webhooks/<receiver>`, `/v1` for whoever has the token, `/healthz`. */
export function httpFace({ shell, token, log, settings, facts, demoPush }: HttpOptions): Hono {
  const app = new Hono();
  app.get("/healthz", () => json(200, { status: "ok" }));
  app.use("/v1/*", async ({ req }, next) => {
    if (isToken(req.header("authorization") ?? "", token)) return next();
    return refuse(401, "unauthorized", "the API asks for the token of the state folder: Authorization: Bearer <token>");
  });
  app.get("/v1/configuration", () => json(200, settings));
  app.get("/v1/events", (context) => follow(context, facts));
  if (demoPush !== undefined)
    app.post(routes.pushToDemo.path, ({ req }) => answerTo(routes.pushToDemo, req, ({ body }) => demoPush(body)));
  for (const { route, run } of Object.values(requestFunctions))
    app.all(route.trigger.path, ({ req }) => shell.serve(run, req.raw));
  app.notFound(({ req }) => refuse(404, "not-found", `there is no ${req.method} ${req.path}`));
  app.onError((error, { req }) => {
    log.failure({ id: `${req.method} ${req.path}`, error });
    return failedAnswer(error);
  });
  return app;
}

function follow(context: Context, facts: FactStream): Response {
  const response = streamSSE(context, (stream) => {
    const gone = new AbortController();
    stream.onAbort(() => {
      gone.abort();
    });
    return facts.follow((text) => stream.write(text), gone.signal);
  });
  // A line that is kept open would be asked again while the process stops, and hold it up.
  response.headers.set("connection", "close");
  return response;
}

/** Listens. @throws PermanentError when the address is in use or not this machine's. */
export async function listen(app: Hono, { host, port }: Address): Promise<HttpServer> {
  const server = createAdaptorServer({ fetch: app.fetch });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => {
      reject(unusable(error, { host, port }));
    });
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const actual = typeof address === "object" && address !== null ? address.port : port;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${actual}`,
    stop: (withinMs) =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        if (!("closeIdleConnections" in server)) return;
        server.closeIdleConnections();
        setTimeout(() => {
          server.closeAllConnections();
        }, withinMs).unref();
      }),
  };
}

function unusable(error: unknown, { host, port }: Address): Error {
  const code = codeOf(error);
  if (code === "EADDRINUSE")
    return new PermanentError(
      `${host}:${port} is in use: stop what listens there, or choose another with --listen HOST:PORT`,
    );
  if (code === "EADDRNOTAVAIL" || code === "EACCES" || code === "ENOTFOUND")
    return new PermanentError(
      `can't listen on ${host}:${port} (${code}): choose another address with --listen HOST:PORT`,
    );
  return error instanceof Error ? error : new Error("the server did not start");
}

/** Compares digests of the two, so that neither length nor content shows in the time it takes. */
function isToken(header: string, token: string): boolean {
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  // The name of a scheme may be written in either case. Source: https://www.rfc-editor.org/rfc/rfc9110 §11.1
  const shown = /^bearer +(.*)$/i.exec(header)?.[1] ?? "";
  return timingSafeEqual(digest(shown), digest(token));
}
