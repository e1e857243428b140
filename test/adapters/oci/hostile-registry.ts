import { createServer as createTcpServer, type AddressInfo, isIP, type LookupFunction, Socket } from "node:net";
import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { ociRegistry } from "#adapters/oci/registry";
import { isPublicAddress } from "#adapters/shared/public-address";
import type { LookupAll, SendHttp } from "#adapters/shared/http-send";
import { onLoopback } from "./asking.ts";
import { type Handler, reply, serve } from "./registry-server.ts";

/*
 * A registry that does everything that a registry may not do. It runs in a process of its own, which prints one report: so its memory can
 * be measured, and every connection of the process be watched.
 */

/** What one case came to. */
export interface CaseReport {
  readonly name: string;
  /** The kinds of answers, or the name of the error that was thrown. */
  readonly kinds: readonly string[];
  readonly details: readonly string[];
  readonly ms: number;
  /** The time limit of the caller. */
  readonly limitMs: number;
}

/** What the whole run came to. */
export interface HostileReport {
  readonly cases: readonly CaseReport[];
  /** Addresses that were dialled and neither are public nor belong to an entry. */
  readonly forbidden: readonly string[];
  /** How many connections the forbidden listeners took. */
  readonly baited: number;
  /** Where a credential was seen, besides the registry and its token host. */
  readonly leaks: readonly string[];
  /** That the credential was used at all: how often its own hosts saw it. */
  readonly rightful: number;
  readonly peakMb: number;
}

const repository = "shop/api";
const password = "canary-s3cret";
const digest = `sha256:${"ab".repeat(32)}`;
const escape = "\u001b[2J\u0007\u009b31m\u202e";
const basic = Buffer.from(`robot:${password}`).toString("base64");
const holdsCredential = (text: string): boolean => [password, basic, "fresh-token"].some((part) => text.includes(part));

const dialled: string[] = [];
/** Watches every connection of this process; none leaves the machine. */
function watchConnections(): void {
  const original = Reflect.get(Socket.prototype, "connect") as (...args: unknown[]) => Socket;
  const refused = () => Object.assign(new Error("refused by the test"), { code: "ECONNREFUSED" });
  const isHere = (address: string) => /^(?:127\.|::1$)/.test(address);
  Socket.prototype.connect = function (this: Socket, ...args: unknown[]): Socket {
    const first = Array.isArray(args[0]) ? (args[0] as unknown[])[0] : args[0];
    const options = first as { host: string; port: number; lookup?: LookupFunction };
    if (isIP(options.host) !== 0) {
      dialled.push(`${options.host} ${options.port}`);
      if (isHere(options.host)) return original.apply(this, args);
      setImmediate(() => this.destroy(refused()));
      return this;
    }
    const guarded = options.lookup;
    if (guarded === undefined) dialled.push(`unguarded ${options.host}`);
    else
      options.lookup = (name, how, callback) =>
        guarded(name, how, (error, found, family) => {
          const addresses = Array.isArray(found) ? found.map(({ address }) => address) : [found];
          if (error === null) dialled.push(...addresses.map((address) => `${address} ${options.port}`));
          callback(error ?? (addresses.every(isHere) ? null : refused()), found, family);
        });
    return original.apply(this, args);
  };
}

let flips = 0;
const names: Readonly<Record<string, () => readonly string[]>> = {
  "mixed.example": () => ["93.184.215.14", "127.0.0.1"],
  "private.example": () => ["10.0.0.1"],
  "loopback.example": () => ["127.0.0.1"],
  "mapped.example": () => ["::ffff:127.0.0.1"],
  "nat64.example": () => ["64:ff9b::7f00:1"],
  // Another answer to each question: public, this machine, public, …
  "flip.example": () => [flips++ % 2 === 0 ? "93.184.215.14" : "127.0.0.1"],
  "metadata.example": () => ["169.254.169.254"],
  localhost: () => ["127.0.0.1"],
  "localhost.": () => ["127.0.0.1"],
};
const lookup: LookupAll = (name, _, callback) => {
  const found = names[name.toLowerCase()]?.() ?? [];
  setImmediate(() =>
    callback(
      null,
      found.map((address) => ({ address, family: isIP(address) })),
    ),
  );
};

/** Every way that we know to write an address that nobody may be sent to. */
const forbiddenUrls = (port: number): readonly string[] => [
  "http://169.254.169.254/latest/meta-data",
  "https://169.254.169.254/latest/meta-data",
  `http://127.0.0.1:${port}/`,
  `https://127.0.0.1:${port}/`,
  `https://127.1:${port}/`,
  `https://127.0.1:${port}/`,
  `https://0x7f.1:${port}/`,
  `https://0x7f000001:${port}/`,
  `https://0177.0.0.1:${port}/`,
  `https://017700000001:${port}/`,
  `https://2130706433:${port}/`,
  `https://127.0.0.1.:${port}/`,
  `https://127\u30020\u30020\u30021:${port}/`,
  `https://127%E3%80%820%E3%80%820%E3%80%821:${port}/`,
  `https://\u2460\u2461\u2466.0.0.1:${port}/`,
  `https://0:${port}/`,
  `https://10.0.0.1:${port}/`,
  `https://192.168.1.1:${port}/`,
  `https://100.64.0.1:${port}/`,
  `https://[::1]:${port}/`,
  `https://[::]:${port}/`,
  `https://[::ffff:127.0.0.1]:${port}/`,
  `https://[::ffff:7f00:1]:${port}/`,
  `https://[::127.0.0.1]:${port}/`,
  `https://[64:ff9b::7f00:1]:${port}/`,
  `https://[64:ff9b:1::7f00:1]:${port}/`,
  `https://[2002:7f00:1::]:${port}/`,
  `https://[2001:0:7f00:1:0:0:80ff:fffe]:${port}/`,
  `https://[fe80::1]:${port}/`,
  `https://[fe80::1%25lo]:${port}/`,
  `https://[fec0::1]:${port}/`,
  `https://[fd00:ec2::254]:${port}/`,
  `https://localhost:${port}/`,
  `https://LOCALHOST.:${port}/`,
  ...Object.keys(names).map((name) => `https://${name}:${port}/`),
  `https://robot:secret@public.example/`,
  "file:///etc/passwd",
  `gopher://127.0.0.1:${port}/`,
  "data:text/plain,token",
];

/** Hosts of images that mean this machine, or a network that nobody named. */
const forbiddenHosts = (port: number): readonly string[] =>
  [
    ...["127.0.0.1", "127.1", "0x7f.1", "0177.0.0.1", "2130706433", "0x7f000001", "0", "10.0.0.1", "169.254.169.254"],
    ...["localhost", "[::1]", "[::ffff:7f00:1]", "[::7f00:1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[fe80::1]"],
    ...["mixed.example", "private.example", "loopback.example", "mapped.example", "flip.example", "metadata.example"],
  ].map((host) => `${host}:${port}`);

interface HostileCase {
  readonly name: string;
  readonly handle: Handler;
  /** The image's host, where it is not the hostile registry itself. */
  readonly host?: string;
}

/** Sends a text many times over without holding more than a piece of it. */
function flood(response: ServerResponse, text: string, mostBytes = Infinity, end = ""): void {
  const piece = text.repeat(Math.ceil(65_536 / text.length));
  let sent = 0;
  const push = (): void => {
    if (response.destroyed) return;
    if (sent >= mostBytes) return void response.end(end);
    sent += piece.length;
    if (response.write(piece)) setImmediate(push);
    else response.once("drain", push);
  };
  push();
}
/** The same, as the members of a list of tags. */
function floodList(response: ServerResponse, text: string, end: string): void {
  response.write('{"tags":[');
  flood(response, text, 15_000_000, end);
}
/** Node lets no server write such headers, so the socket does. */
const raw = (response: ServerResponse, text: string): void => void response.socket?.end(Buffer.from(text, "latin1"));
const asLatin = (text: string): string => Buffer.from(text, "utf8").toString("latin1");
const askFor = (response: ServerResponse, realm: string): void =>
  reply(response, 401, {}, { "www-authenticate": `Bearer realm="${asLatin(realm)}",service="x"` });

function casesFor(bait: number, tokenHost: string, other: string): readonly HostileCase[] {
  const urls = [...forbiddenUrls(bait), `http://${other}/token`];
  const named = (what: string, handle: (url: string) => Handler) =>
    urls.map((url): HostileCase => ({ name: `${what} ${url}`, handle: handle(url) }));
  const nothing: Handler = (_, response) => reply(response, 404);
  const endless = (response: ServerResponse, chunk: string, everyMs: number): void => {
    const timer = setInterval(() => response.write(chunk), everyMs);
    response.on("close", () => clearInterval(timer));
  };
  const withToken =
    (realm: string): Handler =>
    (_, response) =>
      askFor(response, `http://${tokenHost}/${realm}`);
  const one = (name: string, handle: Handler): HostileCase => ({ name, handle });
  return [
    ...forbiddenHosts(bait).map((host) => ({ name: `image of ${host}`, handle: nothing, host })),
    ...named("realm", (url) => (_, response) => askFor(response, url)),
    ...named("redirect to", (url) => (_, response) => reply(response, 307, {}, { location: asLatin(url) })),
    ...named("redirect, with the login, to", (url) => ({ authorization }, response) => {
      if (authorization === undefined) reply(response, 401, {}, { "www-authenticate": 'Basic realm="x"' });
      else reply(response, 302, {}, { location: asLatin(url) });
    }),
    ...named(
      "next page at",
      (url) => (_, response) =>
        reply(response, 200, { tags: ["1.0.0"] }, { link: `<${asLatin(url)}v2/x>; rel="next"` }),
    ),
    ...named(
      "next page, with a query, at",
      (url) => (_, response) =>
        reply(response, 200, { tags: ["1.0.0"] }, { link: `<${asLatin(url)}v2/x?last=1.0.0>; rel="next"` }),
    ),
    one("redirect to itself", ({ path }, response) => reply(response, 302, {}, { location: path })),
    one("redirects in a circle", ({ path }, response) =>
      reply(response, 302, {}, { location: path.endsWith("a") ? "/b" : "/a" }),
    ),
    one("redirect without a location", (_, response) => reply(response, 302)),
    one("redirect to no URL", (_, response) => reply(response, 302, {}, { location: "https://[" })),
    one("next page is this page", ({ path }, response) =>
      reply(response, 200, { tags: ["1.0.0"] }, { link: `<${path}>; rel="next"` }),
    ),
    one("next page without the port", (_, response) =>
      reply(response, 200, { tags: ["1.0.0"] }, { link: '<http://127.0.0.1/v2/x>; rel="next"' }),
    ),
    one("next page with a long query", (_, response) =>
      reply(response, 200, { tags: ["1.0.0"] }, { link: `<?last=${"x".repeat(9_000)}>; rel="next"` }),
    ),
    one("next page with a query that climbs", ({ path }, response) =>
      reply(
        response,
        200,
        { tags: [path.includes("..") ? "bad/tag" : "1.0.0"] },
        { link: '<?../../_catalog>; rel="next"' },
      ),
    ),
    one("next page that can't be read", (_, response) =>
      reply(response, 200, { tags: ["1.0.0"] }, { link: "next: 2" }),
    ),
    one("pages without end", ({ path }, response) => {
      const page = Number(/page=(\d+)/.exec(path)?.[1] ?? 0);
      reply(response, 200, { tags: [`1.0.${page}`] }, { link: `</v2/x?page=${page + 1}>; rel="next"` });
    }),
    one("layers elsewhere", (_, response) =>
      reply(response, 200, { schemaVersion: 2, config: {}, layers: [{ urls: [`http://127.0.0.1:${bait}/layer`] }] }),
    ),
    one("a document that is index and image", (_, response) =>
      reply(response, 200, { schemaVersion: 2, config: {}, layers: [], manifests: [] }),
    ),
    one("content of another digest", (_, response) =>
      reply(response, 200, { schemaVersion: 2, config: {}, layers: [] }),
    ),
    one("a digest that is none", (_, response) =>
      reply(response, 200, { schemaVersion: 2 }, { "docker-content-digest": "sha256:../../etc" }),
    ),
    one("one byte at a time", (_, response) => endless(response, " ", 20)),
    one("a body without end", (_, response) => flood(response, "x")),
    one("a HEAD that is refused, and then a body without end", ({ method }, response) =>
      method === "HEAD" ? reply(response, 405) : flood(response, "x"),
    ),
    one("an error without end", (_, response) => {
      response.writeHead(400);
      flood(response, '{"errors":[');
    }),
    one("no answer", () => undefined),
    one("headers one byte at a time", (_, response) => {
      const timer = setInterval(() => response.socket?.write("H"), 20);
      response.on("close", () => clearInterval(timer));
    }),
    one("a flood of headers", (_, response) =>
      raw(response, `HTTP/1.1 200 OK\r\n${"x-flood: yes\r\n".repeat(200_000)}\r\n{}`),
    ),
    one("one long header", (_, response) => raw(response, `HTTP/1.1 200 OK\r\nx: ${"y".repeat(2_000_000)}\r\n\r\n{}`)),
    one("no HTTP", (_, response) => raw(response, `${escape}\u0000 hello`)),
    one("a reason with escape sequences", (_, response) => raw(response, `HTTP/1.1 500 ${escape}\r\n\r\n`)),
    one("lists nested deeply", (_, response) => flood(response, "[", 15_000_000)),
    one("objects nested deeply", (_, response) => flood(response, '{"tags":', 15_000_000)),
    one("millions of objects", (_, response) => floodList(response, "{},", "{}]}")),
    one("millions of numbers", (_, response) => floodList(response, "1,", "1]}")),
    one("__proto__", (_, response) => reply(response, 200, '{"__proto__":{"tags":["1.0.0"]},"constructor":1}')),
    one("300,000 tags", (_, response) =>
      reply(response, 200, { tags: Array.from({ length: 300_000 }, (_, index) => `1.0.${index}`) }),
    ),
    one("a tag of fifteen megabytes", (_, response) => {
      response.write('{"tags":["');
      flood(response, "x", 15_000_000, '"]}');
    }),
    one("tags with escape sequences", (_, response) =>
      reply(response, 200, { tags: [`1.0.0${escape}`, "1.0.0\n✓ done"] }),
    ),
    one("errors with escape sequences", (_, response) => reply(response, 403, { errors: [{ message: escape }] })),
    one("a gzip bomb", (_, response) => {
      response.writeHead(200, { "content-encoding": "gzip" });
      response.end(gzipSync(Buffer.alloc(10_000_000)));
    }),
    one("too many requests, for ever", (_, response) => reply(response, 429, {}, { "retry-after": "99999999999" })),
    one("a date far in the future", (_, response) =>
      reply(response, 503, {}, { "retry-after": "Fri, 31 Dec 9999 23:59:59 GMT" }),
    ),
    one("401 for ever", (_, response) => reply(response, 401, {}, { "www-authenticate": 'Basic realm="x"' })),
    one("401 without a challenge", (_, response) => reply(response, 401)),
    one("a challenge without end", (_, response) =>
      reply(response, 401, {}, { "www-authenticate": `Bearer ${"a=b,".repeat(3_000)}realm="` }),
    ),
    one("a body that ends early", (_, response) => raw(response, "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{")),
    one("a length that is none", (_, response) => raw(response, "HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n{}")),
    one("two lengths", (_, response) =>
      raw(response, "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n{}"),
    ),
    one("a chunk that is none", (_, response) =>
      raw(response, "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n"),
    ),
    one("a closed connection", (_, response) => void response.destroy()),
    ...["control", "endless", "huge", "redirect", "none", "failing"].map((realm) =>
      one(`a token service that is ${realm}`, withToken(realm)),
    ),
    one("a token that is not taken, for ever", withToken("good")),
  ];
}

/** The token host of the registry's entry, as bad as the registry. */
const tokenService =
  (bait: number): Handler =>
  ({ path }, response) => {
    const kind = /^\/(\w+)/.exec(path)?.[1];
    if (kind === "control") reply(response, 200, { token: `fresh${escape}\r\nX-Injected: yes` });
    else if (kind === "endless") response.write("{");
    else if (kind === "huge") reply(response, 200, { token: "x".repeat(2_000_000) });
    else if (kind === "redirect") reply(response, 302, {}, { location: `https://127.0.0.1:${bait}/token` });
    else if (kind === "good") reply(response, 200, { token: "fresh-token", expires_in: 1e300 });
    else reply(response, kind === "failing" ? 500 : 200, { nothing: escape });
  };

/** Stands for all public hosts: it answers what a thief would, and remembers what it was sent. */
const thief =
  (leaks: string[]): SendHttp =>
  async (url, { headers, body }) => {
    if (holdsCredential(`${url} ${JSON.stringify(headers)} ${String(body)}`)) leaks.push(url);
    const challenge = 'Bearer realm="https://thief.example/token", Basic realm="x"';
    return { statusCode: 401, headers: { "www-authenticate": challenge }, body: emptyBody() };
  };

async function* emptyBody(): AsyncGenerator<Buffer> {
  // Nothing.
}

async function runAll(): Promise<HostileReport> {
  const leaks: string[] = [];
  let baited = 0;
  const bait = createTcpServer((socket) => {
    baited += 1;
    socket.on("data", (data) => holdsCredential(data.toString("latin1")) && leaks.push("bait"));
    socket.destroy();
  });
  await new Promise<void>((resolve) => bait.listen({ port: 0, host: "::", ipv6Only: false }, resolve));
  const { port } = bait.address() as AddressInfo;
  let current: Handler = (_, response) => reply(response, 404);
  const registry = await serve((asked, response) => current(asked, response));
  const tokens = await serve(tokenService(port));
  const other = await serve((_, response) => reply(response, 200, { token: "stolen" }));
  const allowed = new Set([registry.port, tokens.port].map((own) => `127.0.0.1 ${own}`));
  const options = {
    credentials: async (host: string) => (host === registry.host ? { username: "robot", password } : undefined),
    registries: [{ ...onLoopback(registry.host), tokenHosts: [tokens.host] }, onLoopback(other.host)],
    timeoutMs: 400,
    lookup,
  };
  watchConnections();
  let peak = 0;
  const measure = (): void => void (peak = Math.max(peak, process.memoryUsage().rss));
  const timer = setInterval(measure, 5);
  const cases: CaseReport[] = [];
  for (const { name, handle, host = registry.host } of casesFor(port, tokens.host, other.host)) {
    current = handle;
    const begun = performance.now();
    const at = { registry: host, repository };
    // Two thousand pages take long on a busy machine.
    const limitMs = name === "pages without end" ? 60_000 : 20_000;
    const signal = AbortSignal.timeout(limitMs);
    const failed = (error: unknown) => ({ kind: (error as Error).name, detail: (error as Error).message });
    // What is large must arrive to show what it costs.
    const patient = /nested|millions|megabytes|tags$/.test(name) ? { ...options, timeoutMs: 3_000 } : options;
    const ways = [ociRegistry(patient), ociRegistry({ ...patient, sendInTheOpen: thief(leaks) })];
    const asked = ways.map((registryOf) => [
      registryOf.tags(at, signal).catch(failed),
      registryOf.resolve(at, "1.0.0", signal).catch(failed),
      registryOf.manifest(at, digest, signal).catch(failed),
    ]);
    const answers: readonly { kind: string; detail?: string }[] = await Promise.all(asked.flat());
    measure();
    const details = answers.flatMap(({ detail }) => detail ?? []);
    cases.push({
      name,
      kinds: answers.map(({ kind }) => kind),
      details,
      ms: Math.round(performance.now() - begun),
      limitMs,
    });
  }
  clearInterval(timer);
  const seen = (server: typeof registry) =>
    server.asked.filter(({ authorization = "", path, body }) => holdsCredential(`${authorization} ${path} ${body}`))
      .length;
  if (seen(other) > 0) leaks.push("another registry");
  const forbidden = dialled.filter((dial) => !allowed.has(dial) && !isPublicAddress(dial.split(" ")[0] ?? ""));
  return {
    cases,
    forbidden,
    baited,
    leaks,
    rightful: seen(registry) + seen(tokens),
    peakMb: Math.round(peak / 2 ** 20),
  };
}

if (import.meta.main) {
  // Its servers still listen. A long report is in the pipe only when the write is called back.
  process.stdout.write(JSON.stringify(await runAll()), () => process.exit(0));
}
