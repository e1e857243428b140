import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What a server was asked, in the order of arrival. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: string;
}

/** Answers one request; `end` must be reached, unless the test is about a server that does not. */
export type Handler = (request: Asked, response: ServerResponse) => void;

/** An HTTP server on 127.0.0.1. */
export interface TestServer {
  /** `127.0.0.1:PORT` */
  readonly host: string;
  readonly port: number;
  readonly asked: readonly Asked[];
  close(): Promise<void>;
}

export async function serve(handler: Handler): Promise<TestServer> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const { method = "", url = "", headers } = request;
      const seen = { method, path: url, authorization: headers.authorization, body };
      asked.push(seen);
      handler(seen, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    host: `127.0.0.1:${port}`,
    port,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

/** Ends an answer with a status, a JSON body and headers. */
export function reply(
  response: ServerResponse,
  status: number,
  body: unknown = {},
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

/**
 * Images in memory, and a handler that serves them as a registry does, `pageSize` tags at most at a
 * time.
 */
export function imageStore(pageSize = 1000) {
  const tags = new Map<string, Map<string, string>>();
  const manifests = new Map<string, string>();
  const blobs = new Map<string, string>();
  const store = (into: Map<string, string>, document: object): string => {
    const text = JSON.stringify(document);
    const digest = `sha256:${createHash("sha256").update(text).digest("hex")}`;
    into.set(digest, text);
    return digest;
  };
  const put = (document: object): string => store(manifests, document);
  const image = (content: string, platform = "linux/amd64") => {
    const config = { digest: store(blobs, { ...platformOf(platform), content }) };
    return put({ schemaVersion: 2, config, layers: [{ content }] });
  };

  return {
    put,
    image,
    index: (children: readonly object[]) => put({ schemaVersion: 2, manifests: children }),
    push(repository: string, tag: string, content: string, platforms?: readonly string[]): string {
      const children = platforms?.map((platform) => ({
        digest: image(content, platform),
        platform: platformOf(platform),
      }));
      const digest = children === undefined ? image(content) : put({ schemaVersion: 2, manifests: children });
      this.tag(repository, tag, digest);
      return digest;
    },
    tag(repository: string, tag: string, digest: string): void {
      tags.set(repository, (tags.get(repository) ?? new Map<string, string>()).set(tag, digest));
    },
    untag: (repository: string, tag: string) => void tags.get(repository)?.delete(tag),
    handle({ method, path }: Asked, response: ServerResponse): void {
      const url = new URL(path, "http://registry");
      const [, repository = "", kind, reference = ""] =
        /^\/v2\/(.+)\/(tags|manifests|blobs)\/([^/]+)$/.exec(url.pathname) ?? [];
      const known = tags.get(repository);
      if (known === undefined) reply(response, 404, { errors: [{ code: "NAME_UNKNOWN" }] });
      else if (kind === "tags") listPage(response, url, repository, [...known.keys()].toSorted(), pageSize);
      else {
        const digest = reference.includes(":") ? reference : (known.get(reference) ?? "");
        const content = (kind === "blobs" ? blobs : manifests).get(digest);
        if (content === undefined) reply(response, 404, { errors: [{ code: "MANIFEST_UNKNOWN" }] });
        else reply(response, 200, method === "HEAD" ? "" : content, { "docker-content-digest": digest });
      }
    },
  };
}

function listPage(
  response: ServerResponse,
  url: URL,
  repository: string,
  all: readonly string[],
  pageSize: number,
): void {
  const size = Math.min(Number(url.searchParams.get("n") ?? pageSize), pageSize);
  const last = url.searchParams.get("last") ?? "";
  const rest = all.filter((tag) => tag > last);
  const page = rest.slice(0, size);
  const more = rest.length > size ? { link: `<${url.pathname}?n=${size}&last=${page.at(-1) ?? ""}>; rel="next"` } : {};
  reply(response, 200, { name: repository, tags: page }, more);
}

/** `linux/arm/v7` as an index names it. */
function platformOf(text: string): Readonly<Record<string, string>> {
  const [os = "", architecture = "", variant] = text.split("/");
  return { os, architecture, ...(variant === undefined ? {} : { variant }) };
}
