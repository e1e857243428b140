import { randomUUID } from "node:crypto";
import { Hono, type HonoRequest } from "hono";
import * as z from "zod";
import { addCluster, checkCluster, type ClusterRefused, listClusters, removeCluster, syncNow } from "#app/clusters";
import { examine, examineCluster, readEcho, tellSyntheticPush } from "#app/doctor";
import { explain } from "#app/explain";
import { freeze, listFreezes, unfreeze, type Unfrozen } from "#app/freeze";
import { keyFrom, liftQuarantine, liftWorkload, listQuarantine, putInQuarantine } from "#app/lift";
import { listUpdates, listWorkloads, readCluster, readDecisions, readUpdate, readWorkload } from "#app/overview";
import type { Ports } from "#app/ports";
import { listRepositories, repositoryFrom, sweepNow } from "#app/repositories";
import { exportState, importState } from "#app/transfer";
import type { FreezeRequest, ImportRequest, SweepRequest } from "#contracts/api";
import {
  DecisionsQuerySchema,
  ExportQuerySchema,
  UpdatesQuerySchema,
  WorkloadsQuerySchema,
} from "#contracts/api-queries";
import { ClusterRequestSchema } from "#contracts/cluster-schemas";
import { expected } from "#contracts/expected";
import { LiftRequestSchema, QuarantineRequestSchema, SweepRequestSchema } from "#contracts/api-schemas";
import { FreezeRequestSchema } from "#contracts/freeze-schemas";
import { ImportRequestSchema } from "#contracts/transfer-schemas";
import { endProblem, parseFreezeScope } from "#domain/freeze";
import { epochMs } from "#domain/time";
import { callerOf, json, maximumBodyBytes, readBody, refuse } from "./request.ts";

interface Served {
  readonly ports: Ports;
  readonly signal: AbortSignal;
}

const workloadPath = "/v1/workloads/:cluster/:namespace/:kind/:name";
const maximumRequestBytes = 16_384;

/** The paths of `/v1` that any Lookout has; src/contracts/api-routes.ts describes each. */
export const api = new Hono<{ Bindings: Served }>();
api.get("/v1/workloads", ({ req, env }) =>
  asked(WorkloadsQuerySchema, req.query(), async (query) => json(200, await listWorkloads(query, env.ports))),
);
api.get("/v1/updates", ({ req, env }) =>
  asked(UpdatesQuerySchema, req.query(), async (query) => json(200, await listUpdates(query, env.ports))),
);
api.get(workloadPath, ({ req, env }) => ofWorkload(req, (key) => readWorkload(key, env.ports)));
api.get(`${workloadPath}/explanation`, ({ req, env }) => ofWorkload(req, (key) => explain(key, env.ports, env.signal)));
api.get(`${workloadPath}/decisions`, ({ req, env }) =>
  asked(DecisionsQuerySchema, req.query(), (query) => ofWorkload(req, (key) => readDecisions(key, query, env.ports))),
);
api.get(`${workloadPath}/updates/:seq`, ({ req, env }) =>
  asked(seqSchema, req.param("seq"), (seq) =>
    ofWorkload(req, (key) => readUpdate(key, seq, env.ports), `has no update ${seq} that is known`),
  ),
);
api.post(`${workloadPath}/lift`, ({ req, env }) =>
  askedInBody(
    LiftRequestSchema,
    req.raw,
    ({ by = "api" }) => ofWorkload(req, (key) => liftWorkload(key, callerOf(req.raw, by), env.ports)),
    {},
  ),
);
api.get("/v1/clusters", async ({ env }) => json(200, await listClusters(env.ports)));
api.get("/v1/clusters/:cluster", async ({ req, env }) => {
  const name = req.param("cluster");
  return found(await readCluster(name, env.ports), `no cluster is called ${name}`);
});
api.post("/v1/clusters", async ({ req, env }) =>
  askedInBody(ClusterRequestSchema, req.raw, async (request) => {
    const by = callerOf(req.raw, request.by);
    const added = await addCluster({ ...request, by }, env.ports, env.signal);
    return added.kind === "added" ? json(200, added.view) : leftAsItIs(added, request.name);
  }),
);
api.delete("/v1/clusters/:cluster", async ({ req, env }) => {
  const removed = await removeCluster(req.param("cluster"), env.ports);
  return removed.kind === "removed" ? json(200, removed.view) : leftAsItIs(removed, req.param("cluster"));
});
api.post("/v1/clusters/:cluster/check", async ({ req, env }) => {
  const name = req.param("cluster");
  return found(await checkCluster(name, env.ports, env.signal), `no cluster is called ${name}`);
});
api.post("/v1/clusters/:cluster/sync", async ({ req, env }) => {
  const name = req.param("cluster");
  const view = await syncNow(name, env.ports);
  return view === undefined ? refuse(404, "not-found", `no cluster is called ${name}`) : json(202, view);
});
api.get("/v1/repositories", async ({ env }) => json(200, await listRepositories(env.ports)));
api.post("/v1/sweep", async ({ req, env }) =>
  askedInBody(SweepRequestSchema, req.raw, (request) => answerSweep(request, env), {}),
);
api.get("/v1/quarantine", async ({ env }) => json(200, await listQuarantine(env.ports)));
api.post("/v1/quarantine", async ({ req, env }) =>
  askedInBody(QuarantineRequestSchema, req.raw, async (request) =>
    json(200, await putInQuarantine({ ...request, by: callerOf(req.raw, request.by) }, env.ports)),
  ),
);
api.delete("/v1/quarantine/:digest", async ({ req, env }) => {
  const digest = req.param("digest");
  return found(await liftQuarantine(digest, env.ports), `${digest} is not in quarantine`);
});
api.get("/v1/freezes", async ({ env }) => json(200, await listFreezes(env.ports)));
api.post("/v1/freezes", async ({ req, env }) =>
  askedInBody(FreezeRequestSchema, req.raw, (request) =>
    answerFreeze({ ...request, by: callerOf(req.raw, request.by) }, env),
  ),
);
// An HTTP API of AWS decodes paths: an encoded slash arrives as one.
api.delete("/v1/freezes/:scope{.+}", async ({ req, env }) => {
  const scope = parseFreezeScope(req.param("scope"));
  if (!scope.ok) return refuse(400, "bad-scope", scope.problem);
  return answerUnfreeze(req.param("scope"), await unfreeze(scope.value, env.ports));
});
api.get("/v1/doctor", async ({ env }) => json(200, await examine(env.ports, env.signal)));
api.get("/v1/doctor/clusters/:cluster", async ({ req, env }) => {
  const name = req.param("cluster");
  return found(await examineCluster(name, env.ports, env.signal), `no cluster is called ${name}`);
});
api.post("/v1/doctor/echoes", async ({ env }) => json(202, await tellSyntheticPush(randomUUID(), env.ports)));
api.get("/v1/doctor/echoes/:echo", async ({ req, env }) => json(200, await readEcho(req.param("echo"), env.ports)));
api.get("/v1/state", ({ req, env }) =>
  asked(ExportQuerySchema, req.query(), async (query) => json(200, await exportState(query, env.ports))),
);
api.post("/v1/state", ({ req, env }) =>
  askedInBody(ImportRequestSchema, req.raw, (request) => answerImport(request, env), undefined, maximumBodyBytes),
);
// Loaded when it is asked for: a function must not begin with it.
api.get("/v1/openapi.json", async () =>
  json(200, (await import("../../docs/openapi.json", { with: { type: "json" } })).default),
);
for (const [path, instead] of Object.entries({
  "/v1/configuration":
    "its settings are those of the lookout.yaml that it was deployed with: lookout config --config lookout.yaml",
  "/v1/events": "its facts are on its bus, and what happened to a workload is told by: lookout history WORKLOAD",
}))
  api.get(path, () => refuse(501, "not-here", `this Lookout does not run as one process: ${instead}`));
api.notFound(({ req }) => refuse(404, "not-found", `there is no ${req.method} ${req.path}`));
api.onError((error) => {
  throw error;
});

/** Serves the `/v1` API; who may ask is decided before. Throws what the use cases throw. */
export async function serveApi(request: Request, ports: Ports, signal: AbortSignal): Promise<Response> {
  return api.fetch(request, { ports, signal });
}

async function answerFreeze({ until, ...request }: FreezeRequest, { ports }: Served): Promise<Response> {
  const scope = parseFreezeScope(request.scope);
  if (!scope.ok) return refuse(400, "bad-scope", scope.problem);
  const end = until === undefined ? {} : { until: epochMs(Date.parse(until)) };
  const wrong = end.until === undefined ? undefined : endProblem(end.until, ports.clock.now());
  if (wrong !== undefined) return refuse(400, "bad-end", `until ${until ?? ""} ${wrong}`);
  return json(200, await freeze({ ...request, ...end, scope: scope.value }, ports));
}

function answerUnfreeze(scope: string, unfrozen: Unfrozen): Response {
  switch (unfrozen.kind) {
    case "lifted":
      return json(200, unfrozen.view);
    case "none":
      return refuse(404, "not-found", `${scope} has no freeze of its own`);
    case "planned":
      return refuse(
        409,
        "refused",
        `${scope} is frozen by ${unfrozen.name} of lookout.yaml: change freezes there, and start or deploy Lookout again`,
      );
  }
}

function leftAsItIs(refused: ClusterRefused, name: string): Response {
  switch (refused.kind) {
    case "not-here":
      return refuse(
        501,
        "not-here",
        "the clusters of this Lookout are those of its lookout.yaml: change that, and start it again",
      );
    case "unknown":
      return refuse(404, "not-found", `no cluster is registered as ${name}`);
    case "refused":
      return refuse(409, "refused", refused.why);
  }
}

async function answerImport(request: ImportRequest, { ports }: Served): Promise<Response> {
  const outcome = await importState(request, ports);
  if ("stored" in outcome) return json(200, outcome);
  return refuse(outcome.kind === "bad-line" ? 400 : 409, outcome.kind, outcome.message);
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

/**
 * Hands on what a small JSON body asks when its schema takes it; else says what is wrong with it.
 *
 * @param whenEmpty - what a body without bytes means; absent: nothing.
 */
export async function askedInBody<Schema extends z.ZodType>(
  schema: Schema,
  request: Request,
  answer: (wanted: z.output<Schema>) => Response | Promise<Response>,
  whenEmpty?: unknown,
  mostBytes = maximumRequestBytes,
): Promise<Response> {
  const body = await readBody(request, mostBytes);
  if (body === undefined) return refuse(413, "too-large", `a request may hold ${mostBytes} bytes`);
  if (body.byteLength === 0 && whenEmpty !== undefined) return asked(schema, whenEmpty, answer);
  const read = parsedJson(Buffer.from(body).toString("utf8"));
  return read === undefined ? refuse(400, "bad-request", "the body is not JSON") : asked(schema, read, answer);
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Hands on what is asked when its schema takes it; else says, part by part, what is wrong with it. */
async function asked<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  answer: (wanted: z.output<Schema>) => Response | Promise<Response>,
): Promise<Response> {
  const parsed = schema.safeParse(input, { error: expected });
  if (parsed.success) return answer(parsed.data);
  return refuse(400, "bad-request", parsed.error.issues.map(wrongIn).join("; "));
}

function wrongIn(issue: z.core.$ZodIssue): string {
  if (issue.code === "unrecognized_keys") return `${issue.keys.join(", ")}: not known here`;
  return issue.path.length === 0 ? issue.message : `${issue.path.join(".")}: ${issue.message}`;
}

const aSeq = "the number of an update is a whole number from 1";
const seqSchema = z.coerce.number(aSeq).int(aSeq).min(1, aSeq);

async function ofWorkload(
  req: HonoRequest<typeof workloadPath>,
  read: (key: string) => Promise<object | undefined>,
  missing = "does not take part",
): Promise<Response> {
  const { cluster, namespace, kind, name } = req.param();
  const key = keyFrom(cluster, namespace, kind.toLowerCase(), name);
  if (key === undefined) return refuse(400, "bad-name", "a workload is cluster/namespace/kind/name");
  return found(await read(key), `${key} ${missing}`);
}

function found(view: object | undefined, missing: string): Response {
  return view === undefined ? refuse(404, "not-found", missing) : json(200, view);
}
