import type { EpochMs } from "#domain/shared/time";

/** A registry's HTTP request, with its whole body within the size limit. */
export interface ReceivedRequest {
  readonly method: string;
  /** The headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The first value of each parameter. */
  readonly query: Readonly<Record<string, string>>;
  /** The unchanged bytes, which signatures cover. */
  readonly body: Uint8Array;
}

/** One push of a notification. */
export interface PushNotice {
  /**
   * The sender's id of the push, or an id that Lookout derives from the image. A repeated
   * notification has the same id.
   */
  readonly id: string;
  readonly registry: string;
  readonly repository: string;
  /**
   * The pushed tags, without repeats. Empty for a push by digest alone. Also empty for more than a
   * hundred tags, because Lookout then evaluates the whole repository.
   */
  readonly tags: readonly string[];
  readonly digest?: string;
  /** The sender's time, which no decision uses. */
  readonly pushedAt?: EpochMs;
  readonly actor?: string;
}

/**
 * The outcome of a request. `reason` is for users and the log, and never contains a secret or a
 * body.
 */
export type ReceiveOutcome =
  /**
   * 1 to 100 pushes, without repeats. Together, the pushes have at most 100 tags. `unread`: why
   * Lookout does not read the rest of the notification.
   */
  | { readonly kind: "pushes"; readonly pushes: readonly PushNotice[]; readonly unread?: string }
  /**
   * An authenticated notification without a push: a pull, a layer, a deletion. `mayBeMisconfigured`:
   * the notification has a push, and a setting of the receiver excludes it.
   */
  | { readonly kind: "ignored"; readonly reason: string; readonly mayBeMisconfigured?: true }
  /** The answer to a sender that asks for permission to send. */
  | ({ readonly kind: "handshake" } & Handshake)
  /**
   * An authenticated but invalid request. `retriedForEver`: the registry repeats a request after a
   * 4xx without end, so Lookout answers 202. `refusal`: the reason for metrics, if it is not
   * `malformed`.
   */
  | {
      readonly kind: "invalid";
      readonly reason: string;
      readonly retriedForEver: boolean;
      readonly refusal?: "no-registry";
    }
  | { readonly kind: "unauthorized"; readonly reason: string };

/** The answer that a sender expects before its first notification. */
export interface Handshake {
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON body. Absent if there is no body. */
  readonly body?: object;
}

/** Reads the notifications of one registry, configured by an entry of `lookout.yaml`. */
export interface PushReceiver {
  /** The receiver's kind in messages: `webhook distribution`. */
  readonly source: string;
  /**
   * The reason why the receiver has no secret, for the log and never for senders. Without a secret,
   * a receiver rejects all requests. Absent if the receiver has a secret.
   */
  readonly secretProblem?: string;
  /**
   * Authenticates a request and then parses it. A receiver without a secret rejects everything.
   *
   * @throws TransientError when the authentication is not possible now. No request of a sender
   *   causes this error.
   */
  receive(request: ReceivedRequest): Promise<ReceiveOutcome>;
}

/** The receivers, by the last part of their path `/webhooks/<name>`. */
export interface PushReceivers {
  /**
   * Returns undefined for an unknown name.
   *
   * @throws TransientError when the receiver's secret can't be read now.
   */
  receiver(name: string): Promise<PushReceiver | undefined>;
}
