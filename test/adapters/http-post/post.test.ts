import { isIP } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { httpPost, type HttpPostOptions } from "#adapters/http-post/post";
import type { LookupAll } from "#adapters/shared/http-send";
import { type Reply, standIn, type StandIn } from "#test/channels/stand-ins/stand-in";

const here = ["127.0.0.0/8", "::1/128"];
let server: StandIn;
afterEach(() => server[Symbol.asyncDispose]());

async function answering(reply: Reply): Promise<number> {
  server = await standIn({}, () => ({ reply }));
  return Number(new URL(server.url).port);
}

/** A resolver that knows each of these names, and no other one. */
function resolver(names: Readonly<Record<string, readonly string[]>>): LookupAll {
  return (name, _, callback) => {
    const found = (names[name] ?? []).map((address) => ({ address, family: isIP(address) }));
    setImmediate(() => callback(null, found));
  };
}

function posting(options: Partial<HttpPostOptions> = {}, allowNetworks?: readonly string[]) {
  const post = httpPost({ isServerless: false, timeoutMs: 10_000, ...options });
  return (url: string) => post({ url, headers: { "content-type": "text/plain" }, body: "secret-body", allowNetworks });
}

describe("an address that is not public", () => {
  const notPublic = (host: string) => ({
    kind: "forbidden",
    why: `${host} has an address that is not public: allow its network with allowNetworks`,
  });

  it.each([
    { url: "http://127.0.0.1:PORT/hook/secret", host: "127.0.0.1:PORT", why: "this machine" },
    { url: "http://localhost:PORT/hook/secret", host: "localhost:PORT", why: "this machine, by its name" },
    { url: "https://0x7f000001:PORT/hook/secret", host: "127.0.0.1:PORT", why: "in hexadecimal digits" },
    { url: "https://0177.0.0.1:PORT/hook/secret", host: "127.0.0.1:PORT", why: "in octal digits" },
    { url: "https://2130706433:PORT/hook/secret", host: "127.0.0.1:PORT", why: "as one number" },
    { url: "https://[::ffff:127.0.0.1]:PORT/hook", host: "[::ffff:7f00:1]:PORT", why: "mapped into IPv6" },
    { url: "https://169.254.169.254/latest/meta-data", host: "169.254.169.254", why: "the metadata of a machine" },
    { url: "https://inside.test:PORT/hook", host: "inside.test:PORT", why: "a name with a private address" },
    { url: "https://mixed.test:PORT/hook", host: "mixed.test:PORT", why: "a public and a private address" },
    { url: "https://user:word@inside.test:PORT/?key=secret", host: "inside.test:PORT", why: "with credentials" },
  ])("gets nothing: $why ($url)", async ({ url, host }) => {
    const port = String(await answering({ status: 200 }));
    const lookup = resolver({
      "inside.test": ["10.1.2.3"],
      "mixed.test": ["93.184.215.14", "fd00::1"],
      localhost: ["127.0.0.1"],
    });

    const answer = await posting({ lookup })(url.replace("PORT", port));

    expect(answer).toEqual(notPublic(host.replace("PORT", port)));
    expect(server.received).toEqual([]);
  });

  it("gets the request if its network is allowed", async () => {
    const port = await answering({ status: 202, headers: { "X-Many": "a" }, body: "thanks" });

    const answer = await posting({}, here)(`http://127.0.0.1:${port}/hook`);

    expect(answer).toMatchObject({ kind: "answered", status: 202, headers: { "x-many": "a" }, body: "thanks" });
    expect(server.received).toMatchObject([{ method: "POST", path: "/hook", body: "secret-body" }]);
  });

  it("is forbidden although another private network is allowed", async () => {
    const port = await answering({ status: 200 });
    const lookup = resolver({ "mixed.test": ["10.1.2.3", "127.0.0.1"] });

    const answer = await posting({ lookup }, ["10.0.0.0/8"])(`https://mixed.test:${port}/`);

    expect(answer).toEqual(notPublic(`mixed.test:${port}`));
  });

  it.each(["http://127.0.0.1:PORT/", "https://[::1]:PORT/", "https://169.254.169.254/"])(
    "of this machine gets nothing on AWS, whatever is allowed: %s",
    async (url) => {
      const port = String(await answering({ status: 200 }));
      const allowed = [...here, "169.254.0.0/16", "0.0.0.0/0"];

      const answer = await posting({ isServerless: true }, allowed)(url.replace("PORT", port));

      expect(answer).toEqual(notPublic(new URL(url.replace("PORT", port)).host));
      expect(server.received).toEqual([]);
    },
  );

  it("is found out although its name had a public address a moment ago", async () => {
    const port = await answering({ status: 200 });
    let asked = 0;
    const lookup: LookupAll = (_, __, callback) => {
      asked += 1;
      callback(null, [{ address: asked === 1 ? "127.0.0.1" : "10.0.0.1", family: 4 }]);
    };
    const post = posting({ lookup }, here);

    // The certificate is missing, so the first connection ends in its handshake.
    expect(await post(`https://flip.test:${port}/`)).toMatchObject({ kind: "unanswered" });
    expect(await post(`https://flip.test:${port}/`)).toEqual(notPublic(`flip.test:${port}`));
  });
});

describe("an address without TLS", () => {
  it.each([
    ["http://hooks.test/secret", "hooks.test needs an address that begins with https://"],
    ["http://10.1.2.3/secret", "10.1.2.3 needs an address that begins with https://"],
    ["ftp://hooks.test/secret", "hooks.test needs an address that begins with https://"],
    ["no address", "the address is no URL"],
  ])("gets nothing: %s", async (url, why) => {
    await answering({ status: 200 });

    expect(await posting({}, ["10.0.0.0/8"])(url)).toEqual({ kind: "forbidden", why });
  });
});

describe("a faulty receiver", () => {
  const answerTo = async (reply: Reply, timeoutMs = 10_000) => {
    const port = await answering(reply);
    const begun = performance.now();
    const answer = await posting({ timeoutMs }, here)(`http://127.0.0.1:${port}/hook/secret?key=secret`);
    return { answer, port, ms: performance.now() - begun };
  };

  it.each([301, 302, 303, 307, 308])("that answers %i is not followed", async (status) => {
    const { answer } = await answerTo({ status, headers: { location: "/other" } });

    expect(answer).toMatchObject({ kind: "answered", status, headers: { location: "/other" } });
    expect(server.received).toHaveLength(1);
  });

  it.each([
    { reply: "hang", what: "never answers" },
    { reply: "slow", what: "sends its answer too slowly" },
  ] as const)("that $what ends at the time limit", async ({ reply }) => {
    const { answer, port, ms } = await answerTo(reply, 300);

    expect(answer).toEqual({ kind: "unanswered", why: `127.0.0.1:${port} gave no answer in 0.3 s` });
    expect(ms).toBeLessThan(5_000);
  });

  it("that closes the connection after the request gets it once", async () => {
    const { answer, port } = await answerTo("cut");

    expect(answer).toEqual({ kind: "unanswered", why: `127.0.0.1:${port} can't be reached (UND_ERR_SOCKET)` });
    expect(server.received).toHaveLength(1);
  });

  it("that sends 1 GiB takes no memory", async () => {
    const before = process.memoryUsage().rss;
    const { answer } = await answerTo("endless");

    expect(answer).toMatchObject({ kind: "answered", status: 200, body: "" });
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1_024 * 1_024);
  });

  it("that is not there is named by its host", async () => {
    const port = await answering({ status: 200 });
    await server[Symbol.asyncDispose]();

    const answer = await posting({}, here)(`http://127.0.0.1:${port}/hook/secret?key=secret`);

    expect(answer).toEqual({ kind: "unanswered", why: `127.0.0.1:${port} can't be reached (ECONNREFUSED)` });
    await answering({ status: 200 });
  });

  it("is named although its name has no address", async () => {
    await answering({ status: 200 });
    const lookup: LookupAll = (_, __, callback) =>
      callback(Object.assign(new Error("no such host: secret"), { code: "ENOTFOUND" }), []);

    expect(await posting({ lookup })("https://gone.test/hook/secret")).toEqual({
      kind: "unanswered",
      why: "gone.test can't be reached (ENOTFOUND)",
    });
  });

  it("gets no header that would break the request", async () => {
    const port = await answering({ status: 200 });
    const post = httpPost({ isServerless: false, timeoutMs: 300 });
    const request = { url: `http://127.0.0.1:${port}/`, headers: { "x-id": "a\r\nx-other: b" }, body: "" };

    expect(await post({ ...request, allowNetworks: here })).toEqual({
      kind: "unanswered",
      why: `127.0.0.1:${port} can't be reached (UND_ERR_INVALID_ARG)`,
    });
    expect(server.received).toEqual([]);
  });
});
