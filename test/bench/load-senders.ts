import { createHmac } from "node:crypto";
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
  /** The times of the answers to notifications, in milliseconds. */
  readonly notifyMs: readonly number[];
}

/** The number of connections, which don't wait for each other. */
const connections = 256;
const everyMs = 10;
let pool: Pool | undefined;

async function send({ url, rate, seconds, tag, forges }: SendOrder): Promise<SentReport> {
  // The connections stay open from one order to the next.
  const senders = (pool ??= new Pool(url, { connections, pipelining: 1 }));
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
    const response = await senders.request({
      ...{ method: "POST", path: `/webhooks/${receiverName}`, body },
      headers: { "content-type": "application/json", "x-signature": signature },
    });
    await response.body.dump();
    notifyMs.push(performance.now() - begun);
    const { statusCode, headers } = response;
    const ofKind = answers[isForged ? "forged" : "true"];
    ofKind[statusCode] = (ofKind[statusCode] ?? 0) + 1;
    if (statusCode === 429 && headers["retry-after"] === undefined) withoutRetryAfter += 1;
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
