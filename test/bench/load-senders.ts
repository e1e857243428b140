import { createHmac } from "node:crypto";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { Pool } from "undici";
import { receiverName, receiverSecret, repositories, repositoryOf } from "./load-world.ts";

/** The order of the senders. */
export interface SendOrder {
  readonly url: string;
  /** Notifications per second. Every second notification is forged. */
  readonly rate: number;
  readonly seconds: number;
  readonly tag: string;
  /** False: no notification is forged. */
  readonly forges: boolean;
  /** True: each notification has its own connection, as most registries send it. */
  readonly isFresh?: boolean;
}

/** The responses. */
export interface SentReport {
  /** The number of notifications. */
  readonly sent: number;
  readonly tookMs: number;
  /** The responses to authentic and to forged notifications, by status. */
  readonly answers: Readonly<Record<"true" | "forged", Readonly<Record<string, number>>>>;
  /** The number of notifications whose connection failed. */
  readonly failed: number;
  /** The responses 429 without `Retry-After`. */
  readonly withoutRetryAfter: number;
  /** The times from the connect to the answer, in milliseconds. */
  readonly notifyMs: readonly number[];
}

/** The number of connections, which don't wait for each other. */
const connections = 256;
const everyMs = 10;
let pool: Pool | undefined;

/** A notification and its proof. */
interface Notification {
  readonly body: string;
  readonly signature: string;
}

/** The parts of a response that the figures use. */
interface Answer {
  readonly status: number;
  readonly hasRetryAfter: boolean;
}

/** Returns a function that sends a notification on a kept connection. */
function onKept(url: string): (notification: Notification) => Promise<Answer> {
  // The connections stay open from one order to the next.
  const senders = (pool ??= new Pool(url, { connections, pipelining: 1 }));
  return async ({ body, signature }) => {
    const response = await senders.request({
      ...{ method: "POST", path: `/webhooks/${receiverName}`, body },
      headers: { "content-type": "application/json", "x-signature": signature },
    });
    await response.body.dump();
    return { status: response.statusCode, hasRetryAfter: response.headers["retry-after"] !== undefined };
  };
}

/**
 * Returns a function that sends a notification on its own connection. The function uses the socket,
 * because an HTTP client would use more processor time than Lookout.
 */
function onFresh(url: string): (notification: Notification) => Promise<Answer> {
  const { hostname, port, host } = new URL(url);
  return ({ body, signature }) =>
    new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname);
      const head = `POST /webhooks/${receiverName} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n`;
      const about = `content-type: application/json\r\nx-signature: ${signature}\r\n`;
      socket.end(`${head}${about}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
      socket.once("data", (chunk) => {
        const text = chunk.toString("latin1");
        resolve({ status: Number(text.slice(9, 12)), hasRetryAfter: /\r\nretry-after: /i.test(text) });
      });
      socket.once("error", reject);
      socket.once("close", () => {
        reject(new Error("closed without an answer"));
      });
    });
}

async function send({ url, rate, seconds, tag, forges, isFresh }: SendOrder): Promise<SentReport> {
  const sendOne = isFresh === true ? onFresh(url) : onKept(url);
  let failed = 0;
  const answers = { true: {} as Record<string, number>, forged: {} as Record<string, number> };
  const notifyMs: number[] = [];
  let withoutRetryAfter = 0;
  let sent = 0;
  const notify = async (index: number): Promise<void> => {
    const isForged = forges && index % 2 === 1;
    const body = JSON.stringify({ name: repositoryOf((index >> 1) % repositories), tag, id: `${tag}-${index}` });
    const secret = isForged ? `${receiverSecret} of another` : receiverSecret;
    const signature = `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
    const begun = performance.now();
    const { status, hasRetryAfter } = await sendOne({ body, signature });
    notifyMs.push(performance.now() - begun);
    const ofKind = answers[isForged ? "forged" : "true"];
    ofKind[status] = (ofKind[status] ?? 0) + 1;
    if (status === 429 && !hasRetryAfter) withoutRetryAfter += 1;
  };

  const begun = performance.now();
  const open: Promise<void>[] = [];
  while (performance.now() - begun < seconds * 1_000) {
    const elapsed = performance.now() - begun;
    // A late tick sends the missed notifications, so that slow responses do not lower the rate.
    for (; sent < (elapsed / 1_000) * rate; sent += 1)
      open.push(
        notify(sent).catch((error: unknown) => {
          failed += 1;
          if (failed === 1) process.stderr.write(`a notification failed: ${String(error)}\n`);
        }),
      );
    await pause(everyMs);
  }
  await Promise.all(open);
  const tookMs = performance.now() - begun;
  return { sent, failed, tookMs, answers, withoutRetryAfter, notifyMs };
}

process.on("message", (order: SendOrder | "stop") => {
  if (order === "stop") void (pool?.close() ?? Promise.resolve()).then(() => process.disconnect());
  else void send(order).then((report) => process.send?.(report));
});
process.send?.("ready");
