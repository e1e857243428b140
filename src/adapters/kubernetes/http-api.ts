import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { createConfiguration } from "@kubernetes/client-node/dist/gen/configuration.js";
import {
  type HttpLibrary,
  HttpMethod,
  type RequestContext,
  ResponseContext,
  wrapHttpLibrary,
} from "@kubernetes/client-node/dist/gen/http/http.js";
import { ServerConfiguration } from "@kubernetes/client-node/dist/gen/servers.js";
import {
  ObjectAppsV1Api,
  ObjectAuthorizationV1Api,
  ObjectBatchV1Api,
  ObjectCoreV1Api,
} from "@kubernetes/client-node/dist/gen/types/ObjectParamAPI.js";
import { request } from "undici";
import { readUpTo } from "../shared/bounded-body.ts";
import { isCutOff, untilAborted, untilReusable } from "../shared/undici.ts";
import { tooLongCode } from "./connection-answer.ts";
import type { Credentials } from "./credentials.ts";
import { goJson } from "./go-json.ts";

/** The generated APIs that Lookout calls. */
export interface Apis {
  readonly apps: ObjectAppsV1Api;
  readonly authorization: ObjectAuthorizationV1Api;
  readonly batch: ObjectBatchV1Api;
  readonly core: ObjectCoreV1Api;
  /** Sends a request that the generated APIs lack: server-side apply, and objects of any kind. */
  readonly any: (request: AnyRequest) => Promise<ResponseContext>;
}

/** A request to any path of the API. */
export interface AnyRequest {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly contentType?: string;
  readonly body?: object;
}

/** One `…WithHttpInfo` call of a generated API. Its response is unchanged. */
export type ApiCall = (apis: Apis) => Promise<ResponseContext>;

/**
 * The maximum size of an answer, and of a line of a watch, without compression. A list of 500
 * workloads has about 3 MB.
 */
export const answerBytes = 64 * 1_024 * 1_024;

const unzip = promisify(gunzip);

/**
 * Sends one call of a generated API with these credentials. Rejects with the signal's reason, or
 * with an error that has a `code`.
 */
export function callApi(
  call: ApiCall,
  credentials: Credentials,
  signal: AbortSignal,
  maximumBytes = answerBytes,
): Promise<ResponseContext> {
  const { server, headers, dispatcher } = credentials;
  const configuration = createConfiguration({
    // A server behind a gateway has a path.
    baseServer: new ServerConfiguration(`${server.origin}${server.pathname.replace(/\/$/, "")}`, {}),
    authMethods: {
      default: {
        getName: () => "lookout",
        applySecurityAuthentication: (asked) => {
          asked.setDispatcher(dispatcher);
        },
      },
    },
    httpApi: httpApi(signal, maximumBytes, headers),
  });
  return call({
    apps: new ObjectAppsV1Api(configuration, undefined, asItCame),
    authorization: new ObjectAuthorizationV1Api(configuration, undefined, asItCame),
    batch: new ObjectBatchV1Api(configuration, undefined, asItCame),
    core: new ObjectCoreV1Api(configuration, undefined, asItCame),
    any: ({ method, path, query = {}, contentType = "application/json", body }) => {
      const asked = configuration.baseServer.makeRequestContext(path, HttpMethod[method]);
      asked.setHeaderParam("Accept", "application/json");
      for (const [name, value] of Object.entries(query)) asked.setQueryParam(name, value);
      if (body !== undefined) {
        asked.setHeaderParam("Content-Type", contentType);
        asked.setBody(JSON.stringify(body));
      }
      asked.setDispatcher(dispatcher);
      return configuration.httpApi.send(asked).toPromise();
    },
  });
}

/**
 * Replaces the decoders of responses, which drop unknown fields and the body of a 401:
 * docs/decisions/0016-what-libraries-do.md.
 */
const asItCame = new Proxy({} as never, { get: () => (response: ResponseContext) => Promise.resolve(response) });

/** The library ignores the signal of a call's options, so each call has its own `httpApi`. */
function httpApi(signal: AbortSignal, maximumBytes: number, headers: Credentials["headers"]): HttpLibrary {
  return wrapHttpLibrary({
    send: (asked) => {
      const once = (): Promise<ResponseContext> => exchange(asked, signal, maximumBytes, headers);
      return once().catch((error: unknown) => {
        if (asked.getHttpMethod() === "GET" && isCutOff(error) && !signal.aborted) return once();
        throw error;
      });
    },
  });
}

/**
 * Sends one request. The signal is the only time limit, because a watch may be silent for a long
 * time.
 */
async function exchange(
  asked: RequestContext,
  signal: AbortSignal,
  maximumBytes: number,
  headers: Credentials["headers"],
): Promise<ResponseContext> {
  const url = asked.getUrl();
  const text = asked.getBody();
  const dispatcher = asked.getDispatcher();
  const sent = request(url, {
    method: asked.getHttpMethod(),
    headers: {
      ...asked.getHeaders(),
      "user-agent": "lookout",
      // The lines of a watch are read immediately, so they are not compressed.
      ...(new URL(url).searchParams.has("watch") ? {} : { "accept-encoding": "gzip" }),
      ...headers,
    },
    // The library's JSON differs from the JSON of Go, which the guards of a patch compare.
    ...(typeof text === "string" && { body: goJson(JSON.parse(text)) }),
    ...(dispatcher !== undefined && { dispatcher }),
    signal,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const response = await untilAborted(signal, sent);
  const binary = () => readBytes(response.body, response.headers["content-encoding"] === "gzip", maximumBytes);
  return new ResponseContext(
    response.statusCode,
    {},
    {
      binary,
      text: async () => (await binary()).toString("utf8"),
      stream: () => ReadableStream.from(response.body as AsyncIterable<Buffer>),
    },
  );
}

async function readBytes(body: AsyncIterable<Buffer>, isZipped: boolean, maximumBytes: number): Promise<Buffer> {
  const bytes = await readUpTo(maximumBytes, body);
  if (bytes === undefined) throw tooLong();
  await untilReusable();
  return isZipped ? unzip(bytes, { maxOutputLength: maximumBytes }) : bytes;
}

/**
 * Returns the error for an answer with too many bytes. The error has the same code as the error of
 * `zlib`.
 */
export function tooLong(): Error {
  return Object.assign(new Error("the answer is too long"), { code: tooLongCode });
}
