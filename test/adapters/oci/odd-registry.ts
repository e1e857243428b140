import { createHash } from "node:crypto";
import { reply, type Asked, type Handler } from "./registry-server.ts";

/** An answer that takes the place of the usual one. */
export interface OddAnswer {
  readonly status?: number;
  readonly body?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request as quirks see it. */
export interface OddRequest {
  readonly method: string;
  readonly url: URL;
  /** The `host:port` of the registry. */
  readonly host: string;
}

/** The ways in which a registry differs. An absent member, and an undefined answer, is the usual one. */
export interface Quirks {
  /** The `Link` header for the query of the next page. */
  readonly link?: (query: string, host: string) => string | undefined;
  /** The body of a page of tags. */
  readonly page?: (tags: readonly string[]) => string | Buffer;
  /** More headers of a page of tags. */
  readonly pageHeaders?: Readonly<Record<string, string>>;
  readonly list?: (request: OddRequest) => OddAnswer | undefined;
  readonly manifest?: (request: OddRequest) => OddAnswer | undefined;
}

/** The tags of the repository, two on a page. */
export const oddTags = ["1.0.0", "1.1.0", "1.2.0", "1.3.0", "1.4.0"] as const;
const content = '{"layers":[],"config":{}}';
/** The digest of each tag. */
export const oddDigest = `sha256:${createHash("sha256").update(content).digest("hex")}`;

const pageSize = 2;

/** Returns the handler of a registry that works, except for its quirks. */
export function oddRegistry(quirks: Quirks): Handler {
  return (asked, response) => {
    const host = response.req.headers.host ?? "";
    const request = { method: asked.method, url: new URL(asked.path, `http://${host}`), host };
    const isList = request.url.pathname.includes("/tags/list");
    const odd = isList ? quirks.list?.(request) : quirks.manifest?.(request);
    const { status = 200, body = "", headers = {} } = odd ?? (isList ? pageOf(request, quirks) : manifestOf(asked));
    if (typeof body === "string") reply(response, status, body, headers);
    else {
      response.writeHead(status, headers);
      response.end(body);
    }
  };
}

function pageOf({ url, host }: OddRequest, { link = usualLink, page = usualPage, pageHeaders }: Quirks): OddAnswer {
  const last = url.searchParams.get("last") ?? "";
  const rest = oddTags.filter((tag) => tag > last);
  const tags = rest.slice(0, pageSize);
  const next = rest.length > pageSize ? link(`last=${tags.at(-1) ?? ""}`, host) : undefined;
  return { body: page(tags), headers: { ...pageHeaders, ...(next === undefined ? {} : { link: next }) } };
}

function manifestOf({ method }: Asked): OddAnswer {
  return { body: method === "HEAD" ? "" : content, headers: { "docker-content-digest": oddDigest } };
}

export const usualPage = (tags: readonly string[]): string => JSON.stringify({ name: "shop/api", tags });
const usualLink = (query: string): string => `</v2/shop/api/tags/list?${query}>; rel="next"`;
