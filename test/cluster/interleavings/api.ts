import { readFile } from "node:fs/promises";
import { Agent, request } from "undici";
import type { WorkloadKind } from "#domain/workload/kinds";
import type { ControlPlane } from "../bed/control-plane.ts";

/** The namespace of all workloads. */
export const namespace = "shop";

/** A workload object from the API server. */
export interface Shown {
  readonly kind?: string;
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly generation: number;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: Readonly<Record<string, unknown>>;
}

/** A workload by kind and name. */
export interface Target {
  readonly kind: WorkloadKind;
  readonly name: string;
}

/** One write to the API server. */
export interface Write {
  readonly method: "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly body?: unknown;
  /** The format of a PATCH. */
  readonly as?: "strategic-merge" | "merge" | "json" | "apply";
  /** The field manager that the writer names. */
  readonly manager?: string;
  readonly force?: boolean;
}

/** A response of the API server. */
export interface Answered {
  readonly status: number;
  readonly body: Shown;
}

/** Returns the object of a response. @throws Error for a refusal */
export function succeeded({ status, body }: Answered): Shown {
  if (status >= 300) throw new Error(`answered ${status}: ${JSON.stringify(body).slice(0, 500)}`);
  return body;
}

/** A client of the API server without Lookout's retries and guards. */
export interface Api {
  get(target: Target, subresource?: string): Promise<Answered>;
  write(write: Write): Promise<Answered>;
  /**
   * Reports each event of a kind's workloads since a version, until the signal aborts.
   *
   * @throws Error if the server ends the watch
   */
  watch(kind: WorkloadKind, since: string, onEvent: (event: WatchEvent) => void, signal: AbortSignal): Promise<void>;
  /** Returns the resource version of a kind's list. */
  version(kind: WorkloadKind): Promise<string>;
  close(): Promise<void>;
}

export interface WatchEvent {
  readonly type: string;
  readonly object: Shown;
}

/** Returns the path of a kind's list in the namespace. */
export function listPath(kind: WorkloadKind): string {
  const group = kind === "CronJob" ? "batch/v1" : "apps/v1";
  return `/apis/${group}/namespaces/${namespace}/${kind.toLowerCase()}s`;
}

/** Returns the path of a workload. */
export function pathOf({ kind, name }: Target): string {
  return `${listPath(kind)}/${name}`;
}

const mediaTypes = {
  "strategic-merge": "application/strategic-merge-patch+json",
  merge: "application/merge-patch+json",
  json: "application/json-patch+json",
  apply: "application/apply-patch+yaml",
} as const;

/** Returns a client of a control plane for its admin. */
export async function openApi(plane: ControlPlane): Promise<Api> {
  const dispatcher = new Agent({
    allowH2: false,
    bodyTimeout: 0,
    connect: { ca: await readFile(plane.certificateAuthority) },
  });
  const headers = { authorization: `Bearer ${plane.tokens.admin}`, accept: "application/json" };
  const get = async (path: string): Promise<Answered> => {
    const { statusCode, body } = await request(`${plane.server}${path}`, { dispatcher, headers });
    return { status: statusCode, body: (await body.json()) as Shown };
  };
  return {
    get: (target, subresource) => get(`${pathOf(target)}${subresource === undefined ? "" : `/${subresource}`}`),
    async write({ method, path, body, as, manager, force }) {
      const query = new URLSearchParams({
        ...(manager === undefined ? {} : { fieldManager: manager }),
        ...(force === true ? { force: "true" } : {}),
      }).toString();
      const type = as === undefined ? "application/json" : mediaTypes[as];
      const answer = await request(`${plane.server}${path}${query && `?${query}`}`, {
        method,
        dispatcher,
        headers: { ...headers, "content-type": type },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: answer.statusCode, body: (await answer.body.json()) as Shown };
    },
    async watch(kind, since, onEvent, signal) {
      const path = `${listPath(kind)}?watch=1&resourceVersion=${since}&timeoutSeconds=3600`;
      const { body } = await request(`${plane.server}${path}`, { dispatcher, headers, signal });
      for await (const line of linesOf(body)) onEvent(JSON.parse(line) as WatchEvent);
      throw new Error(`the watch of ${kind}s ended`);
    },
    version: async (kind) => succeeded(await get(`${listPath(kind)}?limit=1`)).metadata.resourceVersion,
    close: () => dispatcher.destroy(),
  };
}

async function* linesOf(body: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest = Buffer.alloc(0);
  for await (const chunk of body) {
    let whole = Buffer.concat([rest, chunk]);
    for (let end = whole.indexOf(10); end !== -1; end = whole.indexOf(10)) {
      yield whole.subarray(0, end).toString("utf8");
      whole = whole.subarray(end + 1);
    }
    rest = whole;
  }
}
