import { createHmac } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** An event that arrived with a valid signature. */
export interface ArrivedEvent {
  readonly type: string;
  readonly subject: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A receiver of Standard Webhooks on loopback. */
export interface WebhookReceiver {
  readonly url: string;
  readonly events: readonly ArrivedEvent[];
  /** The number of requests with a wrong signature. */
  readonly refused: () => number;
  stop(): Promise<void>;
}

/** Starts a receiver that answers 204, or 401 for a wrong signature. @param key - the base64 of a key */
export async function startWebhookReceiver(key: string): Promise<WebhookReceiver> {
  const events: ArrivedEvent[] = [];
  let refused = 0;
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      if (isSigned(request.headers, body, key)) events.push(JSON.parse(body) as ArrivedEvent);
      else refused += 1;
      response.writeHead(isSigned(request.headers, body, key) ? 204 : 401).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    events,
    refused: () => refused,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function isSigned(headers: IncomingHttpHeaders, body: string, key: string): boolean {
  const signed = [headers["webhook-id"], headers["webhook-timestamp"], body].join(".");
  const signature = createHmac("sha256", Buffer.from(key, "base64")).update(signed).digest("base64");
  return headers["webhook-signature"] === `v1,${signature}`;
}
