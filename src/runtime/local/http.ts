import { createHash, timingSafeEqual } from "node:crypto";
import { createAdaptorServer } from "@hono/node-server";
import { Hono } from "hono";
import type { DemoPushRequest, DemoPushView } from "#contracts/api";
import { PermanentError } from "#ports/errors";
import * as z from "zod";
import { readJson } from "../api.ts";
import type { Log } from "../handler.ts";
import { json, refuse } from "../request.ts";
import { requestFunctions } from "./functions.ts";
import { codeOf } from "./process-identity.ts";
import type { Shell } from "./shell.ts";

/** What the server answers from. */
export interface HttpOptions {
  readonly shell: Shell;
  /** What callers of the API prove themselves with. */
  readonly token: string;
  readonly log: Log;
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
  /** Answers what is in work, and no one else. */
  stop(): Promise<void>;
}

const demoPushRequest = z.strictObject({
  image: z.string().min(1),
  broken: z.boolean().exactOptional(),
}) satisfies z.ZodType<DemoPushRequest>;

/** Makes the HTTP face of the process: `/webhooks/<receiver>`, `/v1` for whoever has the token, `/healthz`. */
export function httpFace({ shell, token, log, demoPush }: HttpOptions): Hono {
  const app = new Hono();
  app.get("/healthz", () => json(200, { status: "ok" }));
  app.post("/webhooks/:receiver", ({ req }) => shell.serve(requestFunctions["detect/registry-webhook"], req.raw));
  app.use("/v1/*", async ({ req }, next) => {
    if (isToken(req.header("authorization") ?? "", token)) return next();
    return refuse(401, "unauthorized", "the API asks for the token of the state folder: Authorization: Bearer <token>");
  });
  if (demoPush !== undefined)
    app.post("/v1/demo/push", async ({ req }) => {
      const request = demoPushRequest.safeParse(await readJson(req.raw));
      return request.success
        ? json(202, await demoPush(request.data))
        : refuse(400, "bad-request", z.prettifyError(request.error));
    });
  app.all("/v1/*", ({ req }) => shell.serve(requestFunctions["api/v1"], req.raw));
  app.notFound(({ req }) => refuse(404, "not-found", `there is no ${req.method} ${req.path}`));
  app.onError((error, { req }) => {
    log.failure({ id: `${req.method} ${req.path}`, error });
    if (error instanceof PermanentError) return refuse(400, "refused", error.message);
    return refuse(503, "try-again", "that could not be done just now; the log says why");
  });
  return app;
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
    stop: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        if ("closeIdleConnections" in server) server.closeIdleConnections();
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
  return timingSafeEqual(digest(header), digest(`Bearer ${token}`));
}
