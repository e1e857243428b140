import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { ociRegistry } from "#adapters/oci/registry";
import { closeServers, onLoopback, start } from "./asking.ts";
import { oddDigest, oddRegistry, oddTags, usualPage, type Quirks } from "./odd-registry.ts";

afterEach(closeServers);

const { signal } = new AbortController();

/** The answers of a registry with quirks about one repository, and the paths that it was asked for. */
async function answersOf(quirks: Quirks, repository = "shop/api") {
  const server = await start(oddRegistry(quirks));
  const registry = ociRegistry({ credentials: async () => undefined, registries: [onLoopback(server.host)] });
  const name = { registry: server.host, repository };
  const listing = await registry.tags(name, signal);
  const resolved = await registry.resolve(name, "1.4.0", signal);
  const asked = server.asked.map(({ method, path }) => `${method} ${path}`);
  return { listing, resolved, asked, host: server.host };
}

const tags = { kind: "tags", tags: oddTags } as const;
const image = { kind: "manifest", digest: oddDigest, platforms: [] } as const;
const list = "/v2/shop/api/tags/list";

describe("the tags are listed and the digest is resolved", () => {
  const link = (write: (query: string, host: string) => string): Quirks => ({ link: write });
  const pathless = (host: string): string => host.split(":")[0] ?? "";
  const refusedHead = (status: number, headers = {}): Quirks => ({
    manifest: ({ method }) => (method === "HEAD" ? { status, headers } : undefined),
  });
  const refusedSize = (status: number): Quirks => ({
    list: ({ url }) => (url.searchParams.has("n") ? { status } : undefined),
  });

  const rows: readonly { readonly name: string; readonly quirks: Quirks }[] = [
    {
      name: "the Link header has lost the port",
      quirks: link((q, h) => `<http://${pathless(h)}${list}?${q}>; rel="next"`),
    },
    {
      name: "the Link header has https, before a proxy without TLS",
      quirks: link((q, h) => `<https://${h}${list}?${q}>; rel="next"`),
    },
    {
      name: "the Link header has the inner host of a proxy",
      quirks: link((q) => `<http://harbor-core:8080${list}?${q}>; rel="next"`),
    },
    {
      name: "the Link header has the metadata service",
      quirks: link((q) => `<http://169.254.169.254/latest?${q}>; rel="next"`),
    },
    {
      name: "the Link header has a host without a scheme",
      quirks: link((q) => `<//registry.example.com/v2/x?${q}>; rel="next"`),
    },
    { name: "the Link header has a login", quirks: link((q, h) => `<http://a:b@${h}${list}?${q}>; rel="next"`) },
    {
      name: "the Link header has the path prefix of Nexus",
      quirks: link((q) => `</repository/docker-proxy${list}?${q}>; rel="next"`),
    },
    {
      name: "the Link header has the path prefix of Artifactory",
      quirks: link((q) => `</artifactory/api/docker/local${list}?${q}>; rel="next"`),
    },
    { name: "the Link header has no path", quirks: link((q) => `<?${q}>; rel="next"`) },
    {
      name: "the Link header has a path without a slash",
      quirks: link((q) => `<v2/shop/api/tags/list?${q}>; rel="next"`),
    },
    { name: "the Link header has a path that climbs", quirks: link((q) => `<../../../_catalog?${q}>; rel="next"`) },
    { name: "the Link header has an address that is none", quirks: link((q) => `<http://[${list}?${q}>; rel="next"`) },
    { name: "the Link header has a fragment", quirks: link((q) => `<${list}?${q}#page>; rel="next"`) },
    {
      name: "the Link header has several links",
      quirks: link((q) => `<${list}?last=>; rel="first", <${list}?${q}>; rel="next"`),
    },
    {
      name: "the Link header has the next page twice",
      quirks: link((q) => `<${list}?${q}>; rel="next", <http://inner${list}?${q}>; rel="next"`),
    },
    { name: "the Link header has rel without quotes", quirks: link((q) => `<${list}?${q}>; rel=next`) },
    { name: "the Link header has rel in apostrophes", quirks: link((q) => `<${list}?${q}>; rel='next'`) },
    { name: "the Link header has an odd case and spaces", quirks: link((q) => `<${list}?${q}> ;  REL = "NEXT"`) },
    {
      name: "the Link header has more parameters",
      quirks: link((q) => `<${list}?${q}>; title="a, b; rel=prev"; rel="last next"`),
    },
    { name: "the Link header has a query with the page size", quirks: link((q) => `<${list}?n=2&${q}>; rel="next"`) },
    ...[404, 405, 400, 403, 406, 501].map((status) => ({
      name: `HEAD is refused with ${status}`,
      quirks: refusedHead(status),
    })),
    { name: "HEAD has no digest", quirks: refusedHead(200) },
    {
      name: "HEAD has a digest of an unknown algorithm",
      quirks: refusedHead(200, { "docker-content-digest": "md5:1" }),
    },
    {
      name: "HEAD has a digest in capitals",
      quirks: refusedHead(200, { "docker-content-digest": oddDigest.toUpperCase() }),
    },
    {
      name: "HEAD is refused and GET has no digest",
      quirks: {
        manifest: ({ method }) => (method === "HEAD" ? { status: 405 } : { body: '{"layers":[],"config":{}}' }),
      },
    },
    {
      name: "HEAD is refused and GET has the content as text",
      quirks: {
        manifest: ({ method }) =>
          method === "HEAD"
            ? { status: 405 }
            : { body: '{"layers":[],"config":{}}', headers: { "content-type": "text/plain" } },
      },
    },
    {
      name: "HEAD is refused and GET has compressed content",
      quirks: {
        manifest: ({ method }) =>
          method === "HEAD"
            ? { status: 405 }
            : { body: gzipSync('{"layers":[],"config":{}}'), headers: { "content-encoding": "gzip" } },
      },
    },
    {
      name: "the manifest is at an address with a slash at its end",
      quirks: {
        manifest: ({ url }) =>
          url.pathname.endsWith("/") ? undefined : { status: 308, headers: { location: `${url.pathname}/` } },
      },
    },
    ...[400, 405, 413, 414, 416, 422].map((status) => ({
      name: `the page size is refused with ${status}`,
      quirks: refusedSize(status),
    })),
    {
      name: "the page size is refused on every page, and the Link header repeats it",
      quirks: { ...refusedSize(400), link: (query) => `<${list}?n=1000&${query}>; rel="next"` },
    },
    {
      name: "the page size is refused only on the second page",
      quirks: {
        list: ({ url }) => (url.searchParams.has("n") && url.searchParams.has("last") ? { status: 422 } : undefined),
        link: (query) => `<${list}?n=1000&${query}>; rel="next"`,
      },
    },
    ...[301, 307, 308].map((status) => ({
      name: `the tag list redirects with ${status} to the same address with a slash`,
      quirks: {
        list: ({ url }) =>
          url.pathname.endsWith("/") ? undefined : { status, headers: { location: `${url.pathname}/${url.search}` } },
      } satisfies Quirks,
    })),
    { name: "the tag list has no content type", quirks: { pageHeaders: { "content-type": "" } } },
    { name: "the tag list is text", quirks: { pageHeaders: { "content-type": "text/plain; charset=utf-8" } } },
    { name: "the tag list begins with a byte order mark", quirks: { page: (found) => `\uFEFF${usualPage(found)}` } },
    {
      name: "the tag list is compressed",
      quirks: { page: (found) => gzipSync(usualPage(found)), pageHeaders: { "content-encoding": "GZIP" } },
    },
    {
      name: "the tag list has unknown members",
      quirks: { page: (found) => JSON.stringify({ tags: found, child: [], manifest: {} }) },
    },
    {
      name: "a page has tags of the page before",
      quirks: { page: (found) => usualPage(["1.0.0", ...found, ...found]) },
    },
    { name: "an empty last page has null", quirks: emptyLastPage('{"name":"shop/api","tags":null}') },
    { name: "an empty last page omits its tags", quirks: emptyLastPage('{"name":"shop/api"}') },
  ];

  it("for more than 25 quirks", () => {
    expect(new Set(rows.map(({ name }) => name)).size).toBeGreaterThan(25);
  });

  it.each(rows)("although $name", async ({ quirks }) => {
    const { listing, resolved, asked } = await answersOf(quirks);

    expect({ listing, resolved }).toEqual({ listing: tags, resolved: image });
    const ownPaths = /^(?:GET|HEAD) \/v2\/shop\/api\/(?:tags\/list\/?(?:\?[^/]*)?|manifests\/1\.4\.0\/?)$/;
    expect(asked.filter((path) => !ownPaths.test(path))).toEqual([]);
  });

  it("of a repository behind a path prefix of its registry", async () => {
    const { listing, resolved, asked } = await answersOf(
      link((query) => `</v2/library/nginx/tags/list?${query}>; rel="next"`),
      "docker-proxy/library/nginx",
    );

    expect({ listing, resolved }).toEqual({ listing: tags, resolved: image });
    expect(asked[1]).toBe("GET /v2/docker-proxy/library/nginx/tags/list?last=1.1.0");
  });

  it("with one request more when the page size is refused, and none more on later pages", async () => {
    const { asked } = await answersOf({
      ...refusedSize(400),
      link: (query) => `<${list}?n=1000&${query}>; rel="next"`,
    });

    expect(asked.slice(0, 4)).toEqual([
      `GET ${list}?n=1000`,
      `GET ${list}`,
      `GET ${list}?last=1.1.0`,
      `GET ${list}?last=1.3.0`,
    ]);
  });
});

/** A registry whose last page names one more page, which has this body. */
function emptyLastPage(body: string): Quirks {
  return {
    list: ({ url }) => {
      if (url.searchParams.has("end")) return { body };
      if (url.searchParams.get("last") !== "1.3.0") return undefined;
      return { body: usualPage(["1.4.0"]), headers: { link: `<${list}?end=yes>; rel="next"` } };
    },
  };
}

describe("the listing is refused, and the refusal says what is wrong", () => {
  const rows: readonly { readonly name: string; readonly quirks: Quirks; readonly detail: string }[] = [
    {
      name: "the Link header has no query",
      quirks: { link: () => `<${list}>; rel="next"` },
      detail: "sent page 1 of its tags with a Link header whose next page has no query",
    },
    {
      name: "the Link header of the second page has no query",
      quirks: { link: (query) => (query.endsWith("1.1.0") ? `<?${query}>; rel=next` : `<${list}>; rel=next`) },
      detail: "sent page 2 of its tags with a Link header whose next page has no query",
    },
    {
      name: "the Link header has a query of nine thousand characters",
      quirks: { link: (query) => `<?${query}&token=${"x".repeat(9_000)}>; rel=next` },
      detail: "sent page 1 of its tags with a Link header whose next page has a query of more than 8000 characters",
    },
    {
      name: "the Link header has no address",
      quirks: { link: () => 'rel="next"' },
      detail: "sent page 1 of its tags with a Link header that can't be read",
    },
    {
      name: "the Link header has no rel",
      quirks: { link: (query) => `<?${query}>` },
      detail: "sent page 1 of its tags with a Link header that does not say whether its link is the next page",
    },
    {
      name: "the Link header has two next pages",
      quirks: { link: (query) => `<?${query}>; rel=next, <?${query}1>; rel=next` },
      detail: "sent page 1 of its tags with a Link header that names two different next pages",
    },
    {
      name: "the Link header leads to the first page",
      quirks: { link: () => `<${list}?n=1000>; rel="next"` },
      detail: "named page 1 of its tags again after page 1",
    },
    {
      name: "the Link header leads from the second page to the second page",
      quirks: { link: () => "<?last=1.1.0&a=1>; rel=next" },
      detail: "named page 2 of its tags again after page 2",
    },
    {
      name: "the page size is refused, and the list without it too",
      quirks: { list: () => ({ status: 400 }) },
      detail: "answered 400 to page 1 of its tags",
    },
    {
      name: "the second page is gone",
      quirks: { list: ({ url }) => (url.searchParams.has("last") ? { status: 404 } : undefined) },
      detail: "answered 404 to page 2 of its tags",
    },
    {
      name: "the tag list is a page for people",
      quirks: { page: () => "<html>Log in</html>", pageHeaders: { "content-type": "text/html" } },
      detail: "sent page 1 of its tags without a JSON object",
    },
    {
      name: "the tag list is an error with status 200",
      quirks: { page: () => '{"name":"shop/api","errors":[{"code":"UNKNOWN"}]}' },
      detail: "sent page 1 of its tags without a list of tags",
    },
    {
      name: "the tags are an object",
      quirks: { page: () => '{"tags":{"1.0.0":{}}}' },
      detail: "sent page 1 of its tags without a list of tags",
    },
    {
      name: "a tag is none",
      quirks: { page: (found) => JSON.stringify({ tags: [...found, "not a tag"] }) },
      detail: "sent page 1 of its tags with an entry that is not a tag",
    },
    {
      name: "the tag list has an unknown compression",
      quirks: { page: (found) => brotliCompressSync(usualPage(found)), pageHeaders: { "content-encoding": "br" } },
      detail: "sent content in a Content-Encoding other than gzip",
    },
    {
      name: "the tag list says that it is compressed, and is not",
      quirks: { page: (found) => usualPage(found), pageHeaders: { "content-encoding": "gzip" } },
      detail: "sent content that is not valid gzip",
    },
  ];

  it.each(rows)("when $name", async ({ quirks, detail }) => {
    const { listing, host } = await answersOf(quirks);

    expect(listing).toEqual({ kind: "unreachable", detail: `${host} ${detail}` });
  });

  it("when it needs more than 2,000 requests", async () => {
    const { listing, asked, host } = await answersOf({
      list: ({ url }) => {
        const page = Number(url.searchParams.get("page") ?? 1);
        return { body: usualPage([`1.0.${page}`]), headers: { link: `<?page=${page + 1}>; rel=next` } };
      },
    });

    expect(listing).toEqual({ kind: "unreachable", detail: `${host} needs more than 2000 requests to list its tags` });
    expect(asked).toHaveLength(2_001);
  });
});

describe("the digest is refused, and the refusal says what is wrong", () => {
  const afterHead = (answer: ReturnType<NonNullable<Quirks["manifest"]>>): Quirks => ({
    manifest: ({ method }) => (method === "HEAD" ? { status: 405 } : answer),
  });
  const other = `sha256:${"ab".repeat(32)}`;

  it.each([
    {
      name: "HEAD is refused and GET has content of another digest",
      quirks: afterHead({ body: '{"layers":[],"config":{}}', headers: { "docker-content-digest": other } }),
      detail: `sent content that does not hash to its Docker-Content-Digest ${other}`,
    },
    {
      name: "HEAD is refused and GET is no image",
      quirks: afterHead({ body: '{"name":"shop/api","tags":[]}' }),
      detail: "sent content that is not an image manifest",
    },
    {
      name: "HEAD is refused and GET has more than 4 MiB",
      quirks: afterHead({ body: " ".repeat(4 * 1024 * 1024 + 1) }),
      detail: "sent more than 4194304 bytes",
    },
    { name: "HEAD and GET are refused", quirks: afterHead({ status: 405 }), detail: "answered 405" },
  ])("when $name", async ({ quirks, detail }) => {
    const { resolved, host } = await answersOf(quirks);

    expect(resolved).toEqual({ kind: "unreachable", detail: `${host} ${detail}` });
  });

  it("when HEAD and GET do not find the tag", async () => {
    const { resolved, asked } = await answersOf({ manifest: () => ({ status: 404 }) });

    expect(resolved).toEqual({ kind: "not-found" });
    expect(asked.slice(-2)).toEqual(["HEAD /v2/shop/api/manifests/1.4.0", "GET /v2/shop/api/manifests/1.4.0"]);
  });

  it("when HEAD and GET deny access", async () => {
    const { resolved, host } = await answersOf({ manifest: () => ({ status: 403 }) });

    expect(resolved).toEqual({ kind: "denied", detail: `${host} answered 403` });
  });
});

describe("a limit is told as a limit", () => {
  const date = "Sat, 21 Nov 2026 10:00:00 GMT";
  const code = '{"errors":[{"code":"TOOMANYREQUESTS","message":"pull rate limit"}]}';

  it.each([
    { name: "429 without Retry-After", answer: { status: 429 }, waits: 60_000 },
    { name: "429 with seconds", answer: { status: 429, headers: { "retry-after": "7" } }, waits: 7_000 },
    {
      name: "429 with a date",
      answer: { status: 429, headers: { "retry-after": "Sat, 21 Nov 2026 10:00:30 GMT", date } },
      waits: 30_000,
    },
    { name: "429 with the code of the error", answer: { status: 429, body: code }, waits: 60_000 },
    { name: "403 with the code of the error", answer: { status: 403, body: code }, waits: 60_000 },
    { name: "503 with the code of the error", answer: { status: 503, body: code }, waits: 60_000 },
  ])("after $name", async ({ answer, waits }) => {
    const { listing, resolved, host } = await answersOf({
      list: () => answer,
      manifest: ({ method }) => (method === "HEAD" && answer.status !== 429 ? { status: 405 } : answer),
    });

    const limit = {
      kind: "unreachable",
      reason: "registry-throttled",
      detail: `${host} answered ${answer.status}: too many requests`,
      status: answer.status,
      retryAfterMs: waits,
    };
    expect({ listing, resolved }).toEqual({ listing: limit, resolved: limit });
  });
});
