import { Hono } from "hono";
import * as z from "zod";
import { explain } from "#app/explain";
import { freeze, listFreezes, unfreeze } from "#app/freeze";
import { keyFrom, liftQuarantine, liftWorkload, listQuarantine, putInQuarantine } from "#app/lift";
import { listUpdates, listWorkloads, readDecisions, readWorkload } from "#app/overview";
import type { Ports } from "#app/ports";
import { listRepositories, repositoryFrom, sweepNow } from "#app/repositories";
import type { FreezeRequest, QuarantineRequest } from "#contracts/api";
import type { SweepRequest } from "#contracts/sweep-api";
import { parseFreezeScope } from "#domain/freeze";
import { isDigest } from "#domain/image-reference";
import { epochMs } from "#domain/time";
import { json, readBody, refuse } from "./request.ts";

interface Served {
  readonly ports: Ports;
  readonly signal: AbortSignal;
}

const workloadPath = "/v1/workloads/:cluster/:namespace/:kind/:name";
const maximumDecisions = 1000;
const maximumRequestBytes = 16_384;

const quarantineRequest = z.strictObject({
  digest: z.string().refine(isDigest, "expected sha256:<64 hexadecimal digits>"),
  why: z.string().min(1),
  by: z.string().min(1),
}) satisfies z.ZodType<QuarantineRequest>;

const freezeRequest = z.strictObject({
  scope: z.string(),
  why: z.string().min(1),
  by: z.string().min(1),
  until: z.iso.datetime({ offset: true }).exactOptional(),
}) satisfies z.ZodType<FreezeRequest>;

const sweepRequest = z.strictObject({ repository: z.string().exactOptional() }) satisfies z.ZodType<SweepRequest>;

const api = new Hono<{ Bindings: Served }>();
api.get("/v1/workloads", async ({ env }) => json(200, await listWorkloads(env.ports)));
api.get("/v1/updates", async ({ env }) => json(200, await listUpdates(env.ports)));
api.get(workloadPath, async ({ req, env }) => {
  const key = keyOf(req.param());
  return found(key, key && (await readWorkload(key, env.ports)));
});
api.get(`${workloadPath}/explanation`, async ({ req, env }) => {
  const key = keyOf(req.param());
  return found(key, key && (await explain(key, env.ports, env.signal)));
});
api.get(`${workloadPath}/decisions`, async ({ req, env }) => {
  const key = keyOf(req.param());
  const limit = Number(req.query("limit") ?? 100);
  if (!Number.isInteger(limit) || limit < 1 || limit > maximumDecisions)
    return refuse(
      400,
      "bad-limit",
      `limit "${req.query("limit") ?? ""}" is not a whole number from 1 to ${maximumDecisions}`,
    );
  return found(key, key && (await readDecisions(key, limit, env.ports)));
});
api.post(`${workloadPath}/lift`, async ({ req, env }) => {
  const key = keyOf(req.param());
  return found(key, key && (await liftWorkload(key, "api", env.ports)));
});
api.get("/v1/repositories", async ({ env }) => json(200, await listRepositories(env.ports)));
api.post("/v1/sweep", async ({ req, env }) => {
  const request = sweepRequest.safeParse(await readJson(req.raw, {}));
  if (!request.success) return refuse(400, "bad-request", z.prettifyError(request.error));
  return answerSweep(request.data, env);
});
api.get("/v1/quarantine", async ({ env }) => json(200, await listQuarantine(env.ports)));
api.post("/v1/quarantine", async ({ req, env }) => {
  const request = quarantineRequest.safeParse(await readJson(req.raw));
  if (!request.success) return refuse(400, "bad-request", z.prettifyError(request.error));
  return json(200, await putInQuarantine(request.data, env.ports));
});
api.delete("/v1/quarantine/:digest", async ({ req, env }) => {
  const lifted = await liftQuarantine(req.param("digest"), env.ports);
  return lifted === undefined
    ? refuse(404, "not-found", `${req.param("digest")} is not in quarantine`)
    : json(200, lifted);
});
api.get("/v1/freezes", async ({ env }) => json(200, await listFreezes(env.ports)));
api.post("/v1/freezes", async ({ req, env }) => {
  const request = freezeRequest.safeParse(await readJson(req.raw));
  if (!request.success) return refuse(400, "bad-request", z.prettifyError(request.error));
  const { until, ...rest } = request.data;
  const scope = parseFreezeScope(rest.scope);
  if (!scope.ok) return refuse(400, "bad-scope", scope.problem);
  const end = until === undefined ? {} : { until: epochMs(Date.parse(until)) };
  if (end.until !== undefined && end.until <= env.ports.clock.now())
    return refuse(400, "bad-end", `until ${until ?? ""} is past`);
  return json(200, await freeze({ ...rest, ...end, scope: scope.value }, env.ports));
});
api.delete("/v1/freezes/:scope", async ({ req, env }) => {
  const scope = parseFreezeScope(req.param("scope"));
  if (!scope.ok) return refuse(400, "bad-scope", scope.problem);
  const lifted = await unfreeze(scope.value, env.ports);
  return lifted === undefined
    ? refuse(404, "not-found", `${req.param("scope")} has no freeze of its own`)
    : json(200, lifted);
});
api.notFound(({ req }) => refuse(404, "not-found", `there is no ${req.method} ${req.path}`));
api.onError((error) => {
  throw error;
});

/** Serves the `/v1` API; who may ask is decided before. Throws what the use cases throw. */
export async function serveApi(request: Request, ports: Ports, signal: AbortSignal): Promise<Response> {
  return api.fetch(request, { ports, signal });
}

async function answerSweep({ repository }: SweepRequest, { ports, signal }: Served): Promise<Response> {
  const name = repository === undefined ? undefined : repositoryFrom(repository);
  if (repository !== undefined && name === undefined)
    return refuse(400, "bad-name", `"${repository}" is not a repository: expected registry/path, without a tag`);
  const view = await sweepNow(name, ports, signal);
  return view === undefined
    ? refuse(404, "not-found", `no workload that takes part has an image of ${repository ?? ""}`)
    : json(200, view);
}

/** Reads a small JSON body; undefined when it is none, and `whenEmpty` when it has no bytes. */
export async function readJson(request: Request, whenEmpty?: unknown): Promise<unknown> {
  const body = await readBody(request, maximumRequestBytes);
  if (body?.byteLength === 0) return whenEmpty;
  try {
    return body === undefined ? undefined : JSON.parse(Buffer.from(body).toString("utf8"));
  } catch {
    return undefined;
  }
}

function keyOf({
  cluster,
  namespace,
  kind,
  name,
}: Readonly<Record<"cluster" | "namespace" | "kind" | "name", string>>): string | undefined {
  return keyFrom(cluster, namespace, kind.toLowerCase(), name);
}

function found(key: string | undefined, view: unknown): Response {
  if (key === undefined) return refuse(400, "bad-name", "a workload is cluster/namespace/kind/name");
  return view === undefined || view === "" ? refuse(404, "not-found", `${key} does not take part`) : json(200, view);
}
