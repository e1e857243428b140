import type { Authentication, ReceiverKind, TokenTrust } from "#contracts/config/receiver-kinds";

/** A receiver of `lookout.yaml`, with its secret. */
export interface ReceiverSettings {
  /** The last part of its path, `/webhooks/<name>`. */
  readonly name: string;
  readonly kind: ReceiverKind;
  /**
   * One on each line, two at most. Undefined, blank or too short: all requests are rejected, unless
   * there are `tokens`.
   */
  readonly secret: string | undefined;
  /** Replaces the kind's usual authentication. */
  readonly authentication?: Authentication | undefined;
  /** Trusted tokens, in place of a secret. */
  readonly tokens?: TokenTrust | undefined;
  /** The host of pushes without a host. */
  readonly registry?: string | undefined;
  /** The accepted hosts; undefined: all. */
  readonly registries?: readonly string[] | undefined;
}
