import type { EpochMs } from "#domain/shared/time";

/** An HTTP request of a registry, read whole and within the size limit. */
export interface ReceivedRequest {
  readonly method: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Of the address; of a name that is there twice, the first value. */
  readonly query: Readonly<Record<string, string>>;
  /** The bytes as they came: signatures cover these. */
  readonly body: Uint8Array;
}

/** One push that a notification tells of. */
export interface PushNotice {
  /** The sender's identity of the push where it has one, else made from what was pushed: the same push told twice has the same id. */
  readonly id: string;
  readonly registry: string;
  readonly repository: string;
  /** Without repeats; empty for a push by digest alone. */
  readonly tags: readonly string[];
  readonly digest?: string;
  /** The sender's instant; never used for a decision. */
  readonly pushedAt?: EpochMs;
  readonly actor?: string;
}

/** What a receiver makes of a request. `reason` is for people and the log; it never holds a secret or a body. */
export type Received =
  /** At least one push, without repeats. */
  | { readonly kind: "pushes"; readonly pushes: readonly PushNotice[] }
  /** Authenticated, understood, and nothing to do: a pull, a layer, a deletion. */
  | { readonly kind: "ignored"; readonly reason: string }
  /** The sender asks whether it may send at all, and is answered with this. */
  | ({ readonly kind: "handshake" } & Handshake)
  /** Authenticated, but not of the form. `retriedForEver`: that registry repeats a 4xx without end, so it is answered with 202 and counted. */
  | { readonly kind: "invalid"; readonly reason: string; readonly retriedForEver: boolean }
  | { readonly kind: "unauthorized"; readonly reason: string };

/** What a sender wants to read before it sends. */
export interface Handshake {
  readonly headers: Readonly<Record<string, string>>;
  /** Written as JSON; absent: nothing. */
  readonly body?: object;
}

/** Understands the notifications of one registry, as its entry in `lookout.yaml` describes it. */
export interface PushReceiver {
  /** What messages call it: `webhook distribution`. */
  readonly source: string;
  /** Why it believes nobody, for the log and never for senders: its secret is missing. Absent: it has one. */
  readonly trouble?: string;
  /**
   * Authenticates, then parses. A receiver without a secret refuses everything.
   *
   * @throws TransientError when it can't be told just now who sends; never for what a sender can do.
   */
  receive(request: ReceivedRequest): Promise<Received>;
}

/** The receivers by the last part of their path, `/webhooks/<name>`. */
export interface PushReceivers {
  /**
   * Answers undefined for a name that is not configured.
   *
   * @throws TransientError when its secret can't be had just now.
   */
  receiver(name: string): Promise<PushReceiver | undefined>;
}
