import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { type ConnectionOptions, guardedLookup, type HttpCall, openHttp } from "#adapters/shared/http-send";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0).reverse()) close();
});

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

async function serve(answer: RequestListener): Promise<number> {
  const server = createServer(answer);
  closing.push(() => server.closeAllConnections());
  return listen(server);
}

function sender(options: Partial<ConnectionOptions> = {}) {
  const http = openHttp({ connectMs: 5_000, keepMs: 5_000, ...options });
  closing.push(() => {
    http.close();
  });
  return async (url: string, call: Partial<HttpCall> = {}) => {
    const signal = new AbortController().signal;
    const reply = await http.send(url, { method: "GET", headers: {}, signal, repeatable: false, ...call });
    const content = Buffer.concat(await Array.fromAsync(reply.body));
    return { status: reply.statusCode, headers: reply.headers, content };
  };
}

const cut = (_: unknown, response: ServerResponse): void => void response.destroy();

describe("a request", () => {
  it.each([
    { repeatable: true, times: 2 },
    { repeatable: false, times: 1 },
  ])("after a cut connection is sent $times time(s) if repeatable is $repeatable", async ({ repeatable, times }) => {
    let seen = 0;
    const port = await serve((request, response) => {
      seen += 1;
      cut(request, response);
    });

    await expect(sender()(`http://127.0.0.1:${port}/`, { repeatable })).rejects.toThrow();
    expect(seen).toBe(times);
  });

  it("is not repeated after its answer began", async () => {
    let seen = 0;
    const port = await serve((_, response) => {
      seen += 1;
      response.writeHead(200, { "content-length": "10" });
      response.write("half");
      setTimeout(() => response.destroy(), 5);
    });

    await expect(sender()(`http://127.0.0.1:${port}/`, { repeatable: true })).rejects.toThrow();
    expect(seen).toBe(1);
  });

  it("is not repeated for a caller that cancelled", async () => {
    let seen = 0;
    const stop = new AbortController();
    const port = await serve(() => {
      seen += 1;
      stop.abort(new Error("enough"));
    });

    const asked = sender()(`http://127.0.0.1:${port}/`, { repeatable: true, signal: stop.signal });

    await expect(asked).rejects.toThrow("enough");
    expect(seen).toBe(1);
  });

  it("follows no redirect", async () => {
    const port = await serve((_, response) => void response.writeHead(302, { location: "/other" }).end());

    expect(await sender()(`http://127.0.0.1:${port}/`)).toMatchObject({ status: 302, headers: { location: "/other" } });
  });
});

describe("an answer", () => {
  it("ends with the signal's reason when the caller aborts it", async () => {
    const stop = new AbortController();
    const port = await serve((_, response) => {
      response.write("first");
      setTimeout(() => stop.abort(new Error("enough")), 20);
    });

    await expect(sender()(`http://127.0.0.1:${port}/`, { signal: stop.signal })).rejects.toThrow("enough");
  });

  it("is not unpacked", async () => {
    const packed = gzipSync("x".repeat(100_000));
    const port = await serve((_, response) => void response.writeHead(200, { "content-encoding": "gzip" }).end(packed));

    expect((await sender()(`http://127.0.0.1:${port}/`)).content).toEqual(packed);
  });

  it("with more than 16 KiB of headers is rejected", async () => {
    const port = await serve((_, response) => void response.writeHead(200, { filler: "x".repeat(17_000) }).end());

    await expect(sender()(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({ code: "UND_ERR_HEADERS_OVERFLOW" });
  });

  it("that breaks off is not read further", async () => {
    let ended: () => void;
    const broken = new Promise<void>((resolve) => (ended = resolve));
    const port = await serve((_, response) => {
      const timer = setInterval(() => response.write("more"), 5);
      response.on("close", () => {
        clearInterval(timer);
        ended();
      });
    });
    const http = openHttp({ connectMs: 5_000, keepMs: 5_000 });
    closing.push(() => {
      http.close();
    });
    const signal = new AbortController().signal;
    const { body } = await http.send(`http://127.0.0.1:${port}/`, {
      method: "GET",
      headers: {},
      signal,
      repeatable: false,
    });

    for await (const chunk of body) if (chunk.length > 0) break;

    await broken;
  });
});

describe("an HTTP connection", () => {
  it("is kept for requests in a row, also after HEAD", async () => {
    const ports = new Set<number | undefined>();
    const port = await serve(({ socket }, response) => {
      ports.add(socket.remotePort);
      response.setHeader("content-length", "2").end("ok");
    });
    const ask = sender();

    for (const method of ["HEAD", "GET", "HEAD", "HEAD", "GET"] as const)
      await ask(`http://127.0.0.1:${port}/`, { method });

    expect(ports.size).toBe(1);
  });

  it("counts against a limit", async () => {
    const ports = new Set<number | undefined>();
    const port = await serve(({ socket }, response) => {
      ports.add(socket.remotePort);
      setTimeout(() => response.end(), 5);
    });
    const ask = sender({ connections: 2 });

    await Promise.all(Array.from({ length: 10 }, () => ask(`http://127.0.0.1:${port}/`)));

    expect(ports.size).toBe(2);
  });

  it("that takes too long has its own error code", async () => {
    // It accepts, and never says a word of TLS.
    const port = await listen(createTcpServer((socket) => closing.push(() => socket.destroy())));

    await expect(sender({ connectMs: 200 })(`https://127.0.0.1:${port}/`)).rejects.toMatchObject({
      code: "UND_ERR_CONNECT_TIMEOUT",
    });
  });

  it("ends when the signal aborts, also while a request waits for a connection", async () => {
    const silent = `https://127.0.0.1:${await listen(createTcpServer(() => undefined))}/`;
    const reason = new Error("enough");
    const aborting = () => {
      const controller = new AbortController();
      setTimeout(() => controller.abort(reason), 50);
      return controller.signal;
    };
    const begun = performance.now();
    await expect(sender()(silent, { signal: aborting() })).rejects.toBe(reason);

    const busy = `http://127.0.0.1:${await serve(() => undefined)}/`;
    const send = sender({ connections: 1 });
    const both = await Promise.allSettled([1, 2].map(() => send(busy, { signal: aborting() })));
    expect(both).toEqual([1, 2].map(() => ({ status: "rejected", reason })));
    expect(performance.now() - begun).toBeLessThan(4_000);
  });

  it("trusts only the given certificate authority", async () => {
    const { key, cert } = selfSigned();
    const server = createTlsServer({ key, cert }, (_, response) => void response.end("ok"));
    closing.push(() => server.closeAllConnections());
    const url = `https://127.0.0.1:${await listen(server)}/`;

    expect((await sender({ ca: cert })(url)).content.toString()).toBe("ok");
    await expect(sender()(url)).rejects.toMatchObject({ code: "DEPTH_ZERO_SELF_SIGNED_CERT" });
  });
});

describe("a forbidden address", () => {
  it.each(["127.0.0.1", "0x7f.1", "2130706433", "0177.0.0.1"])(
    "gets no connection when the URL has %s",
    async (host) => {
      const judged: string[] = [];
      let connections = 0;
      const server = createTcpServer(() => (connections += 1));
      const port = await listen(server);
      const ask = sender({ mayDial: (address) => judged.push(address) === 0 });

      await expect(ask(`http://${host}:${port}/`)).rejects.toMatchObject({ code: "ADDRESS_NOT_PUBLIC" });
      expect({ judged, connections }).toEqual({ judged: ["127.0.0.1"], connections: 0 });
    },
  );

  it("is checked without the brackets of IPv6", async () => {
    const judged: string[] = [];
    const ask = sender({ mayDial: (address) => judged.push(address) === 0 });

    await expect(ask("http://[::ffff:127.0.0.1]:1/")).rejects.toMatchObject({ code: "ADDRESS_NOT_PUBLIC" });
    expect(judged).toEqual(["::ffff:7f00:1"]);
  });

  it("is checked with each connection to a name", async () => {
    let dialled = 0;
    let may = true;
    const port = await serve((_, response) => {
      dialled += 1;
      response.writeHead(200, { connection: "close" }).end();
    });
    const ask = sender({ mayDial: () => may });
    await ask(`http://localhost:${port}/`);

    may = false;

    await expect(ask(`http://localhost:${port}/`)).rejects.toMatchObject({ code: "ADDRESS_NOT_PUBLIC" });
    expect(dialled).toBe(1);
  });

  it.each([
    { addresses: ["192.0.2.1", "10.0.0.1"], code: "ADDRESS_NOT_PUBLIC", because: "one of them may not be dialled" },
    { addresses: ["10.0.0.1", "192.0.2.1"], code: "ADDRESS_NOT_PUBLIC", because: "the first may not be dialled" },
    { addresses: [], code: "ADDRESS_NOT_PUBLIC", because: "there is none" },
    { addresses: ["192.0.2.1", "192.0.2.1"], code: undefined, because: "all may be dialled" },
  ])("decides for a name with the addresses $addresses: $because", ({ addresses, code }) => {
    const all = addresses.map((address) => ({ address, family: 4 }));
    const resolve = guardedLookup(
      (address) => address === "192.0.2.1",
      (_name, _options, callback) => {
        callback(null, all);
      },
    );
    const answers: unknown[] = [];

    resolve("two.example", { all: true }, (error, found) => answers.push([error?.code, found]));
    resolve("two.example", {}, (error, found) => answers.push([error?.code, found]));

    const first = addresses[0];
    expect(answers).toEqual(
      code === undefined
        ? [
            [undefined, all],
            [undefined, first],
          ]
        : [
            [code, []],
            [code, []],
          ],
    );
  });
});

function selfSigned(): { readonly key: string; readonly cert: string } {
  const folder = mkdtempSync(join(tmpdir(), "lookout-tls-"));
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"];
  const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  execFileSync("openssl", ["req", "-x509", ...kind, "-keyout", key, "-out", cert, "-days", "2", ...subject], {
    stdio: "ignore",
  });
  const made = { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") };
  rmSync(folder, { recursive: true });
  return made;
}
