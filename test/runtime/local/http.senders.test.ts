import { createHmac } from "node:crypto";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { memoryMetrics } from "#adapters/memory/metrics";
import { pushReceivers } from "#adapters/webhook/receivers";
import { epochMs } from "#domain/shared/time";
import type { Measurement } from "#domain/update/effects/metrics";
import { openDemo } from "#runtime/local/demo-server";
import { factStream } from "#runtime/local/fact-stream";
import { httpFace, type HttpServer, listen, plainHttpWarning } from "#runtime/local/http";
import { openShell, type Shell } from "#runtime/local/shell";
import { stateInMemory } from "#test/state";

const secret = "the secret of this test";
const token = "the token of this test";
const clock = { now: () => epochMs(Date.now()) };
const registry = "registry.example.com";
const receivers = pushReceivers(
  [
    { name: "build", kind: "generic", secret, registry },
    { name: "hub", kind: "distribution", secret },
  ],
  clock,
);

let shell: Shell;
let app: ReturnType<typeof httpFace>;
let server: HttpServer;
let failures: string[];
/** The ids of the pushes whose evaluation ended. */
let evaluated: string[];
let rejected: Measurement[];
/** The time that the process has been busy. */
let busyMs: number;
/** Evaluations wait for this. */
let gate: PromiseWithResolvers<void>;

beforeEach(async () => {
  failures = [];
  evaluated = [];
  rejected = [];
  busyMs = 0;
  gate = Promise.withResolvers();
  const state = stateInMemory();
  const slow: typeof state.store = {
    ...state.store,
    subscribers: async (...asked) => {
      await gate.promise;
      return state.store.subscribers(...asked);
    },
  };
  shell = openShell({
    ports: { clock, ...state, store: slow, ...openDemo(clock) },
    receivers,
    log: {
      outcome: ({ id, correlationId }) => {
        if (id.startsWith("evaluate/image-pushed")) evaluated.push(correlationId ?? "");
      },
      failure: ({ id, error }) => failures.push(`${id}: ${String(error)}`),
    },
    metrics: memoryMetrics(rejected),
    onFact: () => undefined,
    busyMs: () => busyMs,
  });
  const facts = factStream();
  app = httpFace({
    shell,
    token,
    log: { outcome: () => undefined, failure: ({ id }) => failures.push(id) },
    settings: () => ({ settings: [] }),
    facts,
  });
  server = await listen(app, { host: "127.0.0.1", port: 0 }, shell);
});
afterEach(async () => {
  vi.useRealTimers();
  gate.resolve();
  await shell.stop(1_000);
  await server.stop(100);
});

const sign = (body: string) => `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
const notification = (repository: string, tag: string, signature = sign): Request => {
  const body = JSON.stringify({ name: repository, tag });
  const headers = { "x-signature": signature(body) };
  return new Request(`${server.url}/webhooks/build`, { method: "POST", body, headers });
};
const push = (repository: string, tag: string, signature = sign): Promise<Response> =>
  fetch(notification(repository, tag, signature));
const reasons = () => rejected.flatMap(({ about }) => about["reason"] ?? []);
const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
};
/** Sends a text on a new connection, and returns the first line of the answer. */
const firstLineOf = (request: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
    socket.on("error", reject);
    socket.on("data", (chunk) => {
      resolve(chunk.toString().split("\r\n")[0] ?? "");
      socket.destroy();
    });
    socket.write(request);
  });
const millisecondsOf = async (run: () => Promise<unknown>): Promise<number> => {
  const begins = performance.now();
  await run();
  return performance.now() - begins;
};

describe("senders of webhooks", () => {
  it("get 429 while 2,000 pushes wait, and every accepted push is evaluated", async () => {
    const [accepted, later]: [string[], Response[]] = [[], []];
    for (let round = 0; round < 44; round += 1)
      await Promise.all(
        Array.from({ length: 50 }, async (_, index) => {
          const [repository, tag] = [`shop/api-${(round * 50 + index) % 200}`, `1.0.${round}`];
          const response = await push(repository, tag);
          if (response.status === 202) accepted.push(`${registry}/${repository}:${tag}`);
          else later.push(response);
        }),
      );
    gate.resolve();
    await until(() => evaluated.length >= accepted.length);

    expect(accepted.length + later.length).toBe(2_200);
    expect(accepted.length).toBeGreaterThan(1_999);
    expect(accepted.length).toBeLessThan(2_100);
    expect(later.every(({ status, headers }) => status === 429 && headers.get("retry-after") === "5")).toBe(true);
    expect(evaluated.toSorted()).toEqual(accepted.toSorted());
    expect(reasons().filter((reason) => reason === "busy")).toHaveLength(later.length);
    expect(await (await push("shop/api-1", "2.0.0")).json()).toEqual({ pushes: 1 });
  }, 60_000);

  it("get 429 while the process is behind, before their body arrives, and are counted", async () => {
    busyMs = 60_000;
    // Time does not pass, so the process takes some notifications, and then none.
    vi.useFakeTimers({ toFake: ["performance"] });
    const taken = await Promise.all(Array.from({ length: 300 }, () => push("shop/api", "1.0.0")));
    const answers = await Promise.all(Array.from({ length: 20 }, () => push("shop/api", "1.0.0", () => "forged")));
    const bodiless = await firstLineOf("POST /webhooks/build HTTP/1.1\r\nhost: a\r\ncontent-length: 1000\r\n\r\n{");
    const api = await fetch(`${server.url}/v1/workloads`, { headers: { authorization: `Bearer ${token}` } });
    const [first] = answers;
    vi.useRealTimers();
    busyMs = 0;

    expect([new Set(taken.map(({ status }) => status)), new Set(answers.map(({ status }) => status))]).toEqual([
      new Set([202, 429]),
      new Set([429]),
    ]);
    expect([bodiless, api.status]).toEqual(["HTTP/1.1 429 Too Many Requests", 200]);
    expect([first?.headers.get("retry-after"), first?.headers.get("content-type"), await first?.json()]).toEqual([
      "5",
      "application/problem+json",
      {
        type: "tag:lookout.dev,2026:problem:busy",
        title: "Too many notifications arrive at the same time, or too many pushes wait for their evaluation.",
        status: 429,
        detail: "too many notifications arrive at the same time; send the notification again in 5 s",
        code: "busy",
        remedy:
          "The sender retries after Retry-After. If the refusals continue, Lookout's administrator gives Lookout more CPU.",
      },
    ]);
    const refused = taken.filter(({ status }) => status === 429).length;
    expect(reasons()).toEqual(Array(refused + 21).fill("busy"));
    expect((await push("shop/api-1", "2.0.0")).status).toBe(202);
  });

  it.runIf(process.platform === "linux")(
    "get many new connections accepted in one turn of the event loop",
    async () => {
      let [inThisTurn, most] = [0, 0];
      const count = (): void => {
        if (inThisTurn === 0) setImmediate(() => (inThisTurn = 0));
        inThisTurn += 1;
        most = Math.max(most, inThisTurn);
      };
      subscribe("net.server.socket", count);
      const lines = Array.from({ length: 200 }, () =>
        firstLineOf("GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n"),
      );
      const answers = await Promise.all(lines);
      unsubscribe("net.server.socket", count);

      expect(new Set(answers)).toEqual(new Set(["HTTP/1.1 200 OK"]));
      expect(most).toBeGreaterThan(16);
    },
  );

  it("who forge fill no queue: an authentic push is accepted after 3,000 counted forgeries", async () => {
    const forged = new Set<number>();
    for (let round = 0; round < 60; round += 1)
      await Promise.all(
        Array.from({ length: 50 }, async () =>
          forged.add((await push("shop/api", "1.0.0", () => sign("other"))).status),
        ),
      );
    const { status } = await push("shop/api", "1.0.0");

    expect([[...forged], status]).toEqual([[401], 202]);
    expect(reasons().filter((reason) => reason === "unauthorized")).toHaveLength(3_000);
  }, 60_000);

  it("who break off a body are counted, and not logged", async () => {
    const { port } = new URL(server.url);
    for (let index = 0; index < 20; index += 1) {
      const socket = connect(Number(port), "127.0.0.1");
      socket.on("error", () => undefined);
      socket.write("POST /webhooks/build HTTP/1.1\r\nhost: a\r\ncontent-length: 1000\r\n\r\n{");
      setTimeout(() => socket.resetAndDestroy(), 20);
    }
    await until(() => reasons().length === 20);

    expect(new Set(reasons())).toEqual(new Set(["broken-off"]));
    expect(failures).toEqual([]);
  }, 30_000);

  it("who keep bodies open lose the oldest bodies, and displace no other sender", async () => {
    const { port } = new URL(server.url);
    const closed = new Set<number>();
    const sockets = Array.from({ length: 100 }, (_, index) => {
      const socket = connect(Number(port), "127.0.0.1");
      socket.on("error", () => undefined).on("close", () => closed.add(index));
      socket.resume();
      socket.write("POST /webhooks/build HTTP/1.1\r\nhost: a\r\ncontent-length: 1048576\r\n\r\n");
      socket.write(Buffer.alloc(1_000_000, 32));
      return socket;
    });
    await until(() => closed.size >= 33);
    const { status } = await push("shop/api", "1.0.0");
    sockets.forEach((socket) => socket.destroy());

    expect(status).toBe(202);
    expect(closed.size).toBeLessThan(40);
    expect(reasons().filter((reason) => reason === "too-slow").length).toBeGreaterThan(32);
  }, 30_000);

  it("who name 17,600 registries in four bodies delay nobody, and use little memory", async () => {
    gate.resolve();
    const ask = (): Promise<Response> =>
      fetch(`${server.url}/v1/workloads`, { headers: { authorization: `Bearer ${token}` } });
    const quiet: number[] = [];
    for (let index = 0; index < 20; index += 1) quiet.push(await millisecondsOf(ask));
    const memory = process.memoryUsage().rss;
    const bodies = [0, 1, 2, 3].map((body) =>
      JSON.stringify({
        events: Array.from({ length: 4_400 }, (_, index) => ({
          action: "push",
          target: {
            mediaType: "application/vnd.oci.image.manifest.v1+json",
            ...{ repository: "a/b", tag: "1", digest: `sha256:${"a1".repeat(32)}` },
          },
          request: { host: `h${body}-${index}.example` },
        })),
      }),
    );
    const send = (body: string): Promise<Response> =>
      fetch(`${server.url}/webhooks/hub`, { method: "POST", body, headers: { authorization: `Bearer ${secret}` } });
    const sent = Promise.all(bodies.map(send));
    const during = await millisecondsOf(ask);
    await sent;
    const after = await millisecondsOf(ask);

    const usual = Math.max(5, ...quiet);
    expect((await sent).map(({ status }) => status)).toEqual([202, 202, 202, 202]);
    expect(during / usual).toBeLessThan(50);
    expect(after / usual).toBeLessThan(10);
    expect(process.memoryUsage().rss - memory).toBeLessThan(150e6);
    await until(() => evaluated.length === 400);
  }, 60_000);
});

describe("an address for other machines", () => {
  it.each([
    { host: "127.0.0.1", warned: false },
    { host: "127.0.0.53", warned: false },
    { host: "::1", warned: false },
    { host: "localhost", warned: false },
    { host: "0.0.0.0", warned: true },
    { host: "::", warned: true },
    { host: "10.0.0.7", warned: true },
    { host: "lookout.example.com", warned: true },
  ])("$host causes a warning: $warned", ({ host, warned }) => {
    expect(plainHttpWarning(host, "http://x:1")?.includes("plain HTTP") ?? false).toBe(warned);
  });
});
