import type { IncomingMessage, ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";

/** Answers one request for the tags of a repository. `page`: the number of the page, from 0. */
type AnswerTags = (page: number, response: ServerResponse, request: IncomingMessage) => void;

const mebibyte = 1024 * 1024;
const manyShort = Array.from({ length: 200_000 }, (_, index) => index.toString(36));
const manyVersions = Array.from({ length: 200_000 }, (_, index) => `1.${Math.floor(index / 1_000)}.${index % 1_000}`);
const manyA = Array.from({ length: 2_000 }, (_, index) => `${"a".repeat(97)}b${index}`);

function pageOf(tags: readonly string[], padding = 0): string {
  return `{"name":"x","tags":${JSON.stringify(tags)}${" ".repeat(padding)}}`;
}

function send(response: ServerResponse, body: string | Buffer, next?: string, headers: Record<string, string> = {}) {
  response.writeHead(200, {
    "content-type": "application/json",
    ...(next === undefined ? {} : { link: `<?n=1000&last=${next}>; rel="next"` }),
    ...headers,
  });
  response.end(body);
}

const shortPage = pageOf(manyShort);
const versionsPage = pageOf(manyVersions);
const bomb = gzipSync(Buffer.from(pageOf(["1.0.0"], 16 * mebibyte - 100)));
const deep = `{"name":"x","tags":["1.0.0"],"deep":${"[".repeat(400_000)}${"]".repeat(400_000)}}`;

/** What a hostile host answers to a request for tags. */
export const shapes = {
  "the same 200,000 tags on each page": (page, response) => send(response, shortPage, `p${page + 1}`),
  "200,000 versions on one page": (_, response) => send(response, versionsPage),
  "200,000 versions, each page with one more": (page, response) =>
    send(response, pageOf([...manyVersions, `2.0.${page}`]), `p${page + 1}`),
  "one new tag on each page": (page, response) => send(response, pageOf([`1.0.${page}`]), `p${page + 1}`),
  "16 MiB of white space on each page": (page, response) =>
    send(response, pageOf([`1.0.${page}`], 16 * mebibyte - 100), `p${page + 1}`),
  "16 MiB of white space, zipped": (page, response) =>
    send(response, bomb, `p${page + 1}`, { "content-encoding": "gzip" }),
  "deep JSON": (page, response) => send(response, deep, `p${page + 1}`),
  "headers after 8 s": (page, response) => {
    setTimeout(() => send(response, pageOf([`1.0.${page}`]), `p${page + 1}`), 8_000);
  },
  "a byte each second": (page, response) => {
    const body = pageOf([`1.0.${page}`]);
    let sent = 0;
    response.writeHead(200, {
      link: `<?n=1000&last=p${page + 1}>; rel="next"`,
    });
    const drip = setInterval(() => {
      if (sent < 8) response.write(body[sent++]);
      else {
        clearInterval(drip);
        response.end(body.slice(sent));
      }
    }, 1_000);
  },
  "2,000 tags for a slow pattern": (_, response) => send(response, pageOf(manyA)),
} as const satisfies Readonly<Record<string, AnswerTags>>;

/** The name of a shape. */
export type Shape = keyof typeof shapes;
