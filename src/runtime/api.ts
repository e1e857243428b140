import { randomUUID } from "node:crypto";
import { Hono, type HonoRequest } from "hono";
import * as z from "zod";
import { addCluster, checkCluster, type ClusterRefused, listClusters, removeCluster, syncNow } from "#app/api/clusters";
import { examine, examineCluster, readProbe, sendSyntheticPush } from "#app/api/doctor";
import { explain } from "#app/api/explain";
import { freeze, listFreezes, unfreeze } from "#app/api/freeze";
import { keyFrom, liftQuarantine, unblockWorkload, listQuarantine, putInQuarantine } from "#app/api/unblock";
import { listUpdates, listWorkloads, readCluster, readDecisions, readUpdate, readWorkload } from "#app/api/overview";
import { listRepositories, repositoryFrom, sweepNow } from "#app/api/repositories";
import { exportState, importState } from "#app/api/transfer";
import type { Ports } from "#app/shared/ports";
import type { FreezeRequest, FreezesView } from "#contracts/api/freezes";
import type { SweepRequest, SweepView } from "#contracts/api/repositories";
import { routes } from "#contracts/api/routes";
import { expected } from "#contracts/expected";
import { endProblem, parseFreezeScope } from "#domain/gates/freeze";
import { parseJson } from "#domain/shared/json";
import { epochMs } from "#domain/shared/time";
import { callerOf, json, maximumBodyBytes, readBody, refuse } from "./request.ts";

/** What the use cases are asked with. */
interface Served {
  readonly ports: Ports;
  readonly signal: AbortSignal;
  /** Answers who asks: whom the way here has proved, else who the caller says to be. */
  readonly by: (claimed: string) => string;
}

type Routes = typeof routes;
type Route = Routes[keyof Routes];

/** What a schema reads: of a part of a request, or of the JSON in a body or an answer. */
type Read<Part> = Part extends z.ZodType
  ? z.output<Part>
  : Part extends { readonly content: { readonly "application/json": { readonly schema: infer Schema } } }
    ? z.output<Schema>
    : never;

/** The parts of a request that a route has schemas of. */
type Asked<From> = From extends { readonly request: infer Parts }
  ? { readonly [Part in keyof Parts]: Read<Parts[Part]> }
  : object;

type Answer<From extends Route> = From["responses"] extends
  { readonly 200: infer Success } | { readonly 202: infer Success }
  ? Read<Success>
  : never;

/** Answers what a route promises, or a refusal. */
type UseCase<From extends Route, Rest extends readonly unknown[]> = (
  asked: Asked<From>,
  ...rest: Rest
) => Answer<From> | Response | Promise<Answer<From> | Response>;

/** The use case of each path that any Lookout has. */
const useCases: { readonly [Name in Exclude<keyof Routes, "pushToDemo">]: UseCase<Routes[Name], [Served]> } = {
  listWorkloads: ({ query }, { ports }) => listWorkloads(query, ports),
  readWorkload: ({ params }, { ports }) => ofWorkload(params, (key) => readWorkload(key, ports)),
  explainWorkload: ({ params }, { ports, signal }) => ofWorkload(params, (key) => explain(key, ports, signal)),
  readDecisions: ({ params, query }, { ports }) => ofWorkload(params, (key) => readDecisions(key, query, ports)),
  readUpdate: ({ params }, { ports }) =>
    ofWorkload(params, (key) => readUpdate(key, params.seq, ports), `has no update ${params.seq} that is known`),
  unblockWorkload: ({ params, body }, { ports, by }) =>
    ofWorkload(params, (key) => unblockWorkload(key, by(body.by ?? "api"), ports)),
  listUpdates: ({ query }, { ports }) => listUpdates(query, ports),
  listClusters: (_, { ports }) => listClusters(ports),
  readCluster: ({ params }, { ports }) => ofCluster(params, (name) => readCluster(name, ports)),
  addCluster: async ({ body }, { ports, signal, by }) => {
    const added = await addCluster({ ...body, by: by(body.by) }, ports, signal);
    return added.kind === "added" ? added.view : leftAsItIs(added, body.name);
  },
  removeCluster: async ({ params: { cluster } }, { ports }) => {
    const removed = await removeCluster(cluster, ports);
    return removed.kind === "removed" ? removed.view : leftAsItIs(removed, cluster);
  },
  checkCluster: ({ params }, { ports, signal }) => ofCluster(params, (name) => checkCluster(name, ports, signal)),
  syncCluster: ({ params }, { ports }) => ofCluster(params, (name) => syncNow(name, ports)),
  listRepositories: (_, { ports }) => listRepositories(ports),
  sweepNow: ({ body }, served) => answerSweep(body, served),
  listQuarantine: (_, { ports }) => listQuarantine(ports),
  putInQuarantine: ({ body }, { ports, by }) => putInQuarantine({ ...body, by: by(body.by) }, ports),
  liftQuarantine: async ({ params: { digest } }, { ports }) =>
    (await liftQuarantine(digest, ports)) ?? notFound(`${digest} is not in quarantine`),
  listFreezes: (_, { ports }) => listFreezes(ports),
  freeze: ({ body }, served) => answerFreeze({ ...body, by: served.by(body.by) }, served),
  liftFreeze: ({ params }, served) => answerUnfreeze(params.scope, served),
  examine: (_, { ports, signal }) => examine(ports, signal),
  examineCluster: ({ params }, { ports, signal }) => ofCluster(params, (name) => examineCluster(name, ports, signal)),
  sendSyntheticPush: (_, { ports }) => sendSyntheticPush(randomUUID(), ports),
  readProbe: ({ params }, { ports }) => readProbe(params.probe, ports),
  exportState: ({ query }, { ports }) => exportState(query, ports),
  importState: async ({ body }, { ports }) => {
    const outcome = await importState(body, ports);
    return "stored" in outcome
      ? outcome
      : refuse(outcome.kind === "bad-line" ? 400 : 409, outcome.kind, outcome.message);
  },
  readConfiguration: () =>
    notHere(
      "its settings are those of the lookout.yaml that it was deployed with: lookout config --config lookout.yaml",
    ),
  followFacts: () =>
    notHere("its facts are on its bus, and what happened to a workload is told by: lookout history WORKLOAD"),
  // Loaded when it is asked for: a function must not begin with it.
  readDocument: async () => (await import("./api-document.ts")).apiDocument(),
};

/** The paths of `/v1` that any Lookout has. */
export const api = new Hono<{ Bindings: Omit<Served, "by"> }>();
for (const [name, useCase] of Object.entries(useCases)) {
  const route = routes[name as keyof typeof useCases];
  // An HTTP API of AWS decodes paths: an encoded slash arrives as one.
  const path = route.getRoutingPath().replace(":scope", ":scope{.+}");
  api.on(route.method, [path], ({ req, env }) =>
    answerTo(route, req, (asked) =>
      (useCase as UseCase<Route, [Served]>)(asked, { ...env, by: (claimed) => callerOf(req.raw, claimed) }),
    ),
  );
}
api.notFound(({ req }) => notFound(`there is no ${req.method} ${req.path}`));
api.onError((error) => {
  throw error;
});

/** Serves the `/v1` API; who may ask is decided before. Throws what the use cases throw. */
export async function serveApi(request: Request, ports: Ports, signal: AbortSignal): Promise<Response> {
  return api.fetch(request, { ports, signal });
}

/**
 * Answers a request with the use case of its route when its schemas take it; else says, part by
 * part, what is wrong.
 */
export async function answerTo<From extends Route>(
  route: From,
  req: HonoRequest,
  useCase: UseCase<From, []>,
): Promise<Response> {
  const { query, params, body } = ("request" in route ? route.request : {}) as RequestSchemas;
  const read = body === undefined ? {} : await readJson(req.raw, mostBytes(route), body.required);
  if (read instanceof Response) return read;
  const schemas = {
    ...(query && { query }),
    ...(params && { params }),
    ...(body && { body: body.content["application/json"].schema }),
  };
  const given = { query: req.query(), params: req.param(), ...read };
  const asked = z.object(schemas).safeParse(given, { error: expected });
  if (!asked.success) return refuse(400, "bad-request", asked.error.issues.map(wrongIn).join("; "));
  const answer = await useCase(asked.data as Asked<From>);
  return answer instanceof Response ? answer : json(200 in route.responses ? 200 : 202, answer);
}

interface RequestSchemas {
  readonly query?: z.ZodType;
  readonly params?: z.ZodType;
  readonly body?: {
    readonly required: boolean;
    readonly content: { readonly "application/json": { readonly schema: z.ZodType } };
  };
}

/** An import holds many lines; any other request is small. */
function mostBytes(route: Route): number {
  return route === routes.importState ? maximumBodyBytes : 16_384;
}

async function readJson(
  request: Request,
  mostBytes: number,
  required: boolean,
): Promise<{ readonly body: unknown } | Response> {
  const bytes = await readBody(request, mostBytes);
  if (bytes === undefined) return refuse(413, "too-large", `a request may hold ${mostBytes} bytes`);
  if (bytes.byteLength === 0 && !required) return { body: {} };
  const body = parseJson(Buffer.from(bytes).toString("utf8"));
  return body === undefined ? refuse(400, "bad-request", "the body is not JSON") : { body };
}

/** What is wrong in a path is said in a whole sentence. */
function wrongIn(issue: z.core.$ZodIssue): string {
  if (issue.code === "unrecognized_keys") return `${issue.keys.join(", ")}: not known here`;
  const [part, ...place] = issue.path;
  return part === "params" || place.length === 0 ? issue.message : `${place.join(".")}: ${issue.message}`;
}

async function ofWorkload<View>(
  { cluster, namespace, kind, name }: Readonly<Record<"cluster" | "namespace" | "kind" | "name", string>>,
  read: (key: string) => Promise<View | undefined>,
  missing = "is not tracked",
): Promise<View | Response> {
  const key = keyFrom(cluster, namespace, kind.toLowerCase(), name);
  if (key === undefined) return refuse(400, "bad-name", "a workload is cluster/namespace/kind/name");
  return (await read(key)) ?? notFound(`${key} ${missing}`);
}

async function ofCluster<View>(
  { cluster }: { readonly cluster: string },
  read: (name: string) => Promise<View | undefined>,
): Promise<View | Response> {
  return (await read(cluster)) ?? notFound(`no cluster is called ${cluster}`);
}

async function answerFreeze({ until, ...request }: FreezeRequest, { ports }: Served): Promise<FreezesView | Response> {
  const scope = parseFreezeScope(request.scope);
  if (!scope.ok) return refuse(400, "bad-scope", scope.problem);
  const end = until === undefined ? {} : { until: epochMs(Date.parse(until)) };
  const wrong = end.until === undefined ? undefined : endProblem(end.until, ports.clock.now());
  if (wrong !== undefined) return refuse(400, "bad-end", `until ${until ?? ""} ${wrong}`);
  return freeze({ ...request, ...end, scope: scope.value }, ports);
}

async function answerUnfreeze(name: string, { ports }: Served): Promise<FreezesView | Response> {
  const scope = parseFreezeScope(name);
  if (!scope.ok) return refuse(400, "bad-scope", scope.problem);
  const unfrozen = await unfreeze(scope.value, ports);
  switch (unfrozen.kind) {
    case "lifted":
      return unfrozen.view;
    case "none":
      return notFound(`${name} has no freeze of its own`);
    case "planned":
      return refuse(
        409,
        "refused",
        `${name} is frozen by ${unfrozen.name} of lookout.yaml: change freezes there, and start or deploy Lookout again`,
      );
  }
}

async function answerSweep({ repository }: SweepRequest, { ports, signal }: Served): Promise<SweepView | Response> {
  const name = repository === undefined ? undefined : repositoryFrom(repository);
  if (repository !== undefined && name === undefined)
    return refuse(400, "bad-name", `"${repository}" is not a repository: expected registry/path, without a tag`);
  const view = await sweepNow(name, ports, signal);
  return view ?? notFound(`no workload that is tracked has an image of ${repository ?? ""}`);
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
      return notFound(`no cluster is registered as ${name}`);
    case "refused":
      return refuse(409, "refused", refused.why);
  }
}

function notFound(message: string): Response {
  return refuse(404, "not-found", message);
}

function notHere(instead: string): Response {
  return refuse(501, "not-here", `this Lookout does not run as one process: ${instead}`);
}
