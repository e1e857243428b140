import { withoutRepeats } from "#adapters/webhook/notice";
import { authenticationBy, receiverOf } from "#adapters/webhook/receivers";
import type { ProblemView } from "#contracts/api/schema";
import { type ReceiverKind, receiverKind } from "#contracts/config/receiver-kinds";
import { secretLines } from "#contracts/config/secret-text";
import { epochMs } from "#domain/shared/time";
import type { Handshake, PushNotice, PushReceiver, ReceiveOutcome } from "#ports/push-receiver";
import type { Invocation } from "./handler.ts";
import { onNotification } from "./request.ts";

/** The result of a notification that Lookout did not publish. */
export interface WebhookTrial {
  readonly outcome: "push" | "ignored" | "invalid" | "unauthorized" | "handshake";
  /** The HTTP status of the response. */
  readonly status: number;
  /**
   * The pushes, without repeats. `registry` is absent if neither the notification nor the receiver
   * names one.
   */
  readonly pushes: readonly (Omit<PushNotice, "registry"> & { readonly registry?: string })[];
  readonly handshake?: Handshake;
  readonly reason?: string;
}

/**
 * The placeholder registry of a receiver whose settings name no registry. No host can have this
 * name: https://www.rfc-editor.org/rfc/rfc2606 §2
 */
export const noRegistry = "registry.invalid";

/** The receiver of a trial, with the default authentication of its kind. */
interface TrialSettings {
  readonly kind: ReceiverKind;
  readonly registry: string | undefined;
  /** Undefined: the receiver accepts all requests. */
  readonly secret: string | undefined;
}

interface Notification {
  /** The query of the address, without the `?`. */
  readonly query: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Handles a notification with the webhook function, and a receiver with these settings. */
export async function tryNotification(
  settings: TrialSettings,
  { query, headers, body }: Notification,
): Promise<WebhookTrial> {
  const path = `/webhooks/${settings.kind}${query === undefined ? "" : `?${query}`}`;
  return tryRequests(await trialReceiver(settings), (run) =>
    run(new Request(new URL(path, "http://localhost"), { method: "POST", headers, body: Buffer.from(body) })),
  );
}

/**
 * Returns a receiver without a registry, as in a minimal `lookout.yaml`, if the settings name none.
 * Only a kind that needs a registry leaves it open.
 */
function trialReceiver({ kind, registry, secret }: TrialSettings): Promise<PushReceiver> {
  const usual = receiverKind(kind).namesRegistry === "never" ? noRegistry : undefined;
  // Only tokens depend on the time.
  const clock = { now: () => epochMs(0) };
  const authenticate =
    secret === undefined ? () => undefined : authenticationBy({ name: kind, kind }, secretLines(secret), clock);
  return receiverOf({ name: kind, kind, registry: registry ?? usual }, authenticate);
}

const notified = onNotification((pushes) => Promise.resolve({ pushes: pushes.length }));

/**
 * Handles requests with the webhook function and this receiver. No other function runs. Undefined
 * stands for a receiver that does not exist.
 *
 * @param send - runs the webhook function for each request, and returns the last response.
 */
export async function tryRequests(
  receiver: PushReceiver | undefined,
  send: (run: (request: Request) => Promise<Response>) => Promise<Response>,
): Promise<WebhookTrial> {
  const received: ReceiveOutcome[] = [];
  const invocation = invocationWith(receiver && keeping(received, receiver));
  const response = await unlessInvalid(() => send((request) => notified(request, invocation)));
  const status = response?.status ?? 400;
  const [first, ...later] = received;
  if (first === undefined) return { outcome: "invalid", status, pushes: [], reason: await whyNot(response) };
  return trialOf(status, first, ...later);
}

/** Returns a receiver that records its results. */
function keeping(received: ReceiveOutcome[], receiver: PushReceiver): PushReceiver {
  return {
    ...receiver,
    async receive(request) {
      const one = await receiver.receive(request);
      received.push(one);
      return one;
    },
  };
}

/**
 * Returns an invocation with only the receiver and the metrics, because the webhook function uses
 * no other port.
 */
function invocationWith(receiver: PushReceiver | undefined): Invocation {
  return {
    ports: { metrics: { add: () => undefined } } as unknown as Invocation["ports"],
    receivers: { receiver: () => Promise.resolve(receiver) },
    setAside: { deadLetter: () => Promise.resolve(), keep: () => Promise.resolve() },
    log: { outcome: () => undefined, failure: () => undefined },
    signal: new AbortController().signal,
  };
}

/** Returns undefined for a request with an invalid header, which no server would accept. */
async function unlessInvalid(send: () => Promise<Response>): Promise<Response | undefined> {
  try {
    return await send();
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

async function whyNot(response: Response | undefined): Promise<string> {
  if (response === undefined) return "no server would accept this request";
  return ((await response.json()) as ProblemView).detail;
}

/** Returns the result of a notification that was received once, or again. */
export function trialOf(status: number, first: ReceiveOutcome, ...later: readonly ReceiveOutcome[]): WebhookTrial {
  if (first.kind === "handshake") return { outcome: "handshake", status, pushes: [], handshake: first };
  if (first.kind !== "pushes") return { outcome: first.kind, status, pushes: [], reason: first.reason };
  const pushes = withoutRepeats([first, ...later].flatMap((one) => (one.kind === "pushes" ? one.pushes : [])));
  const isOpen = pushes.some(({ registry }) => registry === noRegistry);
  return {
    outcome: "push",
    status,
    pushes: pushes.map(withoutNoRegistry),
    ...(isOpen ? { reason: openRegistry } : {}),
  };
}

const openRegistry = "the event names no host, so its push counts only for a receiver with registry in lookout.yaml";

function withoutNoRegistry({ registry, ...push }: PushNotice): WebhookTrial["pushes"][number] {
  return registry === noRegistry ? push : { ...push, registry };
}
