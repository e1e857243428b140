import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import type { Spending } from "#ports/spending";
import { freeSpending } from "#test/spending";
import { ask, closeServers, start } from "./asking.ts";
import type { Asked } from "./registry-server.ts";
import { imageStore, reply } from "./registry-server.ts";

afterEach(closeServers);

/** A server whose pages are told by the query of their address; the first page's is `?n=1000`. */
function pages(answers: Readonly<Record<string, readonly [tags: unknown, link?: string]>>) {
  return ({ path }: Asked, response: ServerResponse): void => {
    const [tags, link] = answers[path.slice(path.indexOf("?"))] ?? [];
    if (tags === undefined) reply(response, 500);
    else reply(response, 200, { tags }, link === undefined ? {} : { link });
  };
}

const numbered = (from: number, count: number) => Array.from({ length: count }, (_, index) => `1.0.${from + index}`);

describe("a listing of tags", () => {
  it("goes through all pages", async () => {
    const store = imageStore(1000);
    for (const tag of numbered(0, 2500)) store.tag("shop/api", tag, "sha256:any");
    const server = await start((request, response) => store.handle(request, response));

    const listing = await ask(server).tags();

    expect(listing).toEqual({ kind: "tags", tags: numbered(0, 2500).toSorted() });
    expect(server.asked.map(({ path }) => path)).toEqual([
      "/v2/shop/api/tags/list?n=1000",
      "/v2/shop/api/tags/list?n=1000&last=1.0.1898",
      "/v2/shop/api/tags/list?n=1000&last=1.0.548",
    ]);
  });

  it("asks before each further page, and ends with a refusal", async () => {
    const server = await start(
      pages({ "?n=1000": [["a"], '<?n=1000&last=a>; rel="next"'], "?n=1000&last=a": [["b"]] }),
    );
    const refusal = { kind: "unreachable", detail: "too often" } as const;

    expect(await ask(server).tags({ beforePage: async () => undefined })).toEqual({ kind: "tags", tags: ["a", "b"] });
    expect(await ask(server).tags({ beforePage: async () => refusal })).toEqual(refusal);
    expect(server.asked).toHaveLength(3);
  });

  it("has each tag once, also when a page changed during the listing", async () => {
    const server = await start(
      pages({ "?n=1000": [["a", "b"], '<?n=1000&last=b>; rel="next"'], "?n=1000&last=b": [["b", "c"]] }),
    );

    expect(await ask(server).tags()).toEqual({ kind: "tags", tags: ["a", "b", "c"] });
  });

  it.each([
    { because: "null, as Go writes an empty list", tags: null },
    { because: "an empty list", tags: [] },
  ])("of a repository without tags is empty: $because", async ({ tags }) => {
    const server = await start(pages({ "?n=1000": [tags] }));

    expect(await ask(server).tags()).toEqual({ kind: "tags", tags: [] });
  });

  it("asks for the page after a full page without a link", async () => {
    const server = await start(pages({ "?n=1000": [numbered(0, 1000)], "?n=1000&last=1.0.999": [numbered(1000, 1)] }));

    expect(await ask(server).tags()).toEqual({ kind: "tags", tags: numbered(0, 1001) });
  });

  it("ends at a full page if the registry has no pages", async () => {
    const server = await start((_, response) => reply(response, 200, { tags: numbered(0, 1000) }));

    expect(await ask(server).tags()).toEqual({ kind: "tags", tags: numbered(0, 1000) });
    expect(server.asked).toHaveLength(2);
  });

  it("omits the size of a page for a registry that refuses a thousand", async () => {
    const server = await start(({ path }, response) => {
      if (path.endsWith("?n=1000")) reply(response, 400, { errors: [{ code: "PAGINATION_NUMBER_INVALID" }] });
      else if (path.endsWith("/list"))
        reply(response, 200, { tags: ["a"] }, { link: '</v2/shop/api/tags/list?last=a>; rel="next"' });
      else reply(response, 200, { tags: ["b"] });
    });

    expect(await ask(server).tags()).toEqual({ kind: "tags", tags: ["a", "b"] });
  });

  it.each([
    { because: "fails", status: 503, body: {} },
    { because: "is gone", status: 404, body: {} },
    { because: "is no JSON", status: 200, body: '{"tags":["b"' },
    { because: "has no tags", status: 200, body: {} },
    { because: "holds something that is no tag", status: 200, body: { tags: ["b", "../c"] } },
    { because: "holds something that is no text", status: 200, body: { tags: ["b", 3] } },
    { because: "is the first page again", status: 200, body: { tags: ["b"] }, link: '<?last=a>; rel="next"' },
  ])("is rejected, not shortened, when a further page $because", async ({ status, body, link }) => {
    const server = await start(({ path }, response) => {
      if (path.endsWith("?n=1000")) reply(response, 200, { tags: ["a"] }, { link: '<?last=a>; rel="next"' });
      else reply(response, status, body, link === undefined ? {} : { link });
    });

    expect(await ask(server).tags()).toMatchObject({ kind: "unreachable" });
  });

  it("is rejected beyond 200,000 tags", async () => {
    let page = 0;
    const server = await start((_, response) => {
      page++;
      const link = `<?page=${page}>; rel="next"`;
      reply(response, 200, { tags: numbered(page * 50_000, 50_000) }, { link });
    });

    expect(await ask(server).tags()).toEqual({
      kind: "unreachable",
      detail: `${server.host} lists more than 200000 tags`,
    });
    expect(page).toBe(5);
  });
});

/** Starts a host that answers each page, and lists its tags. */
async function listEndless(page: (number: number) => { readonly tags: unknown; readonly padding?: number }) {
  let pages = 0;
  const server = await start((_, response) => {
    const { padding = 0, ...body } = page(pages);
    pages += 1;
    response.writeHead(200, { link: `<?page=${pages}>; rel="next"` });
    response.end(`${JSON.stringify(body)}${" ".repeat(padding)}`);
  });
  const listing = await ask(server).tags();
  return { pages, listing, says: (what: string) => ({ kind: "unreachable", detail: `${server.host} ${what}` }) };
}

describe("a listing without end", () => {
  const many = numbered(0, 1_000);

  it.each([
    { because: "the same tags on each page", page: () => ({ tags: many }) },
    { because: "no tags on each page after the first", page: (number: number) => ({ tags: number === 0 ? many : [] }) },
    { because: "null on each page after the first", page: (number: number) => ({ tags: number === 0 ? many : null }) },
  ])("ends at a page without a new tag: $because", async ({ page }) => {
    const { pages, listing, says } = await listEndless(page);

    expect(listing).toEqual(says("sent page 2 of its tags without a new tag, and names a further page"));
    expect(pages).toBe(2);
  });

  it.each([
    {
      because: "white space",
      page: (number: number) => ({ tags: [`1.0.${number}`], padding: 15 * 1024 * 1024 }),
      most: 3,
    },
    { because: "growing pages", page: (number: number) => ({ tags: numbered(0, 20_000 + number) }), most: 200 },
  ])("ends after 32 MiB: $because", async ({ page, most }) => {
    const { pages, listing, says } = await listEndless(page);

    expect(listing).toEqual(says("sent more than 33554432 bytes of tags"));
    expect(pages).toBeLessThanOrEqual(most);
  });

  it("ends after 2,000 pages of one new tag", async () => {
    const { pages, listing, says } = await listEndless((number) => ({ tags: [`1.0.${number}`] }));

    expect(listing).toEqual(says("needs more than 2000 requests to list its tags"));
    expect(pages).toBe(2_000);
  });

  it("ends after 20 s, also if each page arrives", async () => {
    let page = 0;
    let now = 0;
    const server = await start((_, response) => {
      page += 1;
      now += 8_000;
      reply(response, 200, { tags: [`1.0.${page}`] }, { link: `<?page=${page}>; rel="next"` });
    });

    expect(await ask(server, { monotonicMs: () => now }).tags()).toEqual({
      kind: "unreachable",
      detail: `${server.host} needs more than 20 s to answer all its pages of tags`,
    });
    expect(page).toBe(3);
  });

  it("ends where the namespace may not hold more, before the page is read", async () => {
    const held: [string, number][] = [];
    const spending: Spending = {
      ...freeSpending(["prod/a"]),
      hold(thing, bytes) {
        held.push([thing, bytes]);
        return bytes > 1_000_000 ? { detail: "prod/a may not" } : undefined;
      },
    };
    const server = await start((_, response) => reply(response, 200, { tags: numbered(0, 10_000) }));

    expect(await ask(server).tags({ spending })).toEqual({
      kind: "unreachable",
      reason: "over-budget",
      detail: "prod/a may not",
    });
    expect(held.filter(([thing]) => thing.startsWith("tags of"))).toEqual([
      [`tags of ${server.host}/shop/api`, 10_001 * 128],
    ]);
    // The bytes of the answer are free again.
    expect(held.at(-1)?.[1]).toBe(0);
  });

  it.each([
    { because: "deep JSON", body: `{"tags":["1.0.0"],"deep":${"[".repeat(100_000)}${"]".repeat(100_000)}}` },
    { because: "many empty objects", body: `{"tags":["1.0.0"],"many":[${"{},".repeat(400_000)}{}]}` },
  ])("is no listing: $because", async ({ body }) => {
    const server = await start((_, response) => response.end(body));

    expect(["tags", "unreachable"]).toContain((await ask(server).tags()).kind);
  });

  it("ends at 16 MiB of a page that is zipped", async () => {
    const bomb = gzipSync(`{"tags":["1.0.0"]${" ".repeat(17 * 1024 * 1024)}}`);
    const server = await start((_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(bomb));

    expect(await ask(server).tags()).toEqual({
      kind: "unreachable",
      detail: `${server.host} sent more than 16777216 bytes`,
    });
  });

  it("is read from a page that is zipped more than twenty times", async () => {
    const zipped = gzipSync(`{"tags":["1.0.0"]${" ".repeat(1024 * 1024)}}`);
    const server = await start((_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(zipped));

    expect(await ask(server).tags()).toEqual({ kind: "tags", tags: ["1.0.0"] });
  });
});
