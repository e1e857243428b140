import { randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { keyOf, signature } from "#channels/standard-webhooks";
import { isObject, parseJson } from "#domain/shared/json";
import type { EpochMs } from "#domain/shared/time";
import type { Clock } from "#ports/clock";
import type { ChannelConfiguration } from "#contracts/config/configuration";

/** A message that the receiver of the demo took. */
export interface ReceivedMessage {
  /** The name of the fact. */
  readonly name: string;
  /** The name of the workload. Empty for other facts. */
  readonly workload: string;
  readonly text: string;
  readonly severity: string;
}

/** A receiver on loopback, with the channel that tells it. */
export interface DemoReceiver {
  readonly entry: ChannelConfiguration;
  readonly secret: string;
  /** The number of refused requests, whose signature is wrong. */
  readonly refused: () => number;
  close(): Promise<void>;
}

/** The oldest and newest accepted timestamp, in seconds from now. */
const tolerance = 300;
const mostBytes = 64 * 1_024;

/** Starts a receiver that verifies each message as a user's program would, and tells what it took. */
export async function openDemoReceiver(
  onMessage: (message: ReceivedMessage) => void,
  clock: Clock,
): Promise<DemoReceiver> {
  const secret = `whsec_${randomBytes(32).toString("base64")}`;
  let refused = 0;
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const message = isSigned(request, body, { secret, now: clock.now() }) ? messageIn(body) : undefined;
      if (message === undefined) refused += 1;
      else onMessage(message);
      response.writeHead(message === undefined ? 401 : 204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    secret,
    refused: () => refused,
    entry: {
      name: "demo",
      kind: "webhook",
      address: `http://127.0.0.1:${port}/`,
      allowNetworks: ["127.0.0.0/8"],
      format: "structured",
      events: ["rollouts", "failures", "holds", "approvals"],
      workloads: "all",
      secretEnv: "DEMO",
    } as ChannelConfiguration,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > mostBytes) return "";
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function isSigned(
  { headers }: IncomingMessage,
  body: string,
  { secret, now }: { readonly secret: string; readonly now: EpochMs },
): boolean {
  const [id = "", timestamp = "", signatures = ""] = ["id", "timestamp", "signature"].map((name) =>
    String(headers[`webhook-${name}`] ?? ""),
  );
  const key = keyOf(secret);
  if (key === undefined || Math.abs(now / 1_000 - Number(timestamp)) > tolerance) return false;
  const expected = Buffer.from(`v1,${signature(key, id, timestamp, body)}`);
  return signatures.split(" ").some((one) => {
    const given = Buffer.from(one);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

function messageIn(body: string): ReceivedMessage | undefined {
  const event = parseJson(body);
  const data = isObject(event) ? event["data"] : undefined;
  if (!isObject(data)) return undefined;
  const workload = isObject(data["workload"]) ? String(data["workload"]["name"]) : "";
  return { name: String(data["name"]), workload, text: String(data["text"]), severity: String(data["severity"]) };
}
