// This file is loaded into the measured process before its program, and records all outgoing
// requests.
import { subscribe } from "node:diagnostics_channel";
import { writeFileSync } from "node:fs";

/** One outgoing request. Instants are epoch milliseconds with a fraction. */
export interface TracedRequest {
  readonly from: number;
  readonly to: number;
  readonly what: string;
}

interface UndiciRequest {
  readonly method: string;
  readonly path: string;
}

interface HttpRequest {
  readonly method: string;
  readonly path: string;
  getHeader(name: string): string | undefined;
}

const file = process.env.LOOKOUT_BENCH_TRACE;
if (file !== undefined) trace(file);

function trace(to: string): void {
  const requests: TracedRequest[] = [];
  const open = new WeakMap<object, number>();
  const now = (): number => performance.timeOrigin + performance.now();
  const begin = (message: unknown): void => {
    open.set((message as { readonly request: object }).request, now());
  };
  const end = (message: unknown, what: (request: object) => string): void => {
    const { request } = message as { readonly request: object };
    const from = open.get(request);
    if (from !== undefined) requests.push({ from, to: now(), what: what(request) });
  };
  subscribe("undici:request:create", begin);
  subscribe("undici:request:trailers", (message) => {
    end(message, (request) => {
      const { method, path } = request as UndiciRequest;
      return `${method} ${path}`;
    });
  });
  subscribe("http.client.request.start", begin);
  subscribe("http.client.response.finish", (message) => {
    end(message, (request) => {
      const asked = request as HttpRequest;
      return `${asked.method} ${asked.getHeader("x-amz-target") ?? asked.path}`;
    });
  });
  process.on("exit", () => {
    writeFileSync(to, JSON.stringify(requests));
  });
}
