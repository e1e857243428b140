import type { Authentication, ReceiverKind, TokenTrust } from "#contracts/config/receiver-kinds";

/** A receiver of `lookout.yaml`, with its secret. */
export interface ReceiverSettings {
  /** The last part of the receiver's path, `/webhooks/<name>`. */
  readonly name: string;
  readonly kind: ReceiverKind;
  /**
   * The secrets, one per line, at most two. Without a usable secret and without `tokens`, the
   * receiver rejects all requests.
   */
  readonly secret: string | undefined;
  /** Replaces the kind's usual authentication. */
  readonly authentication?: Authentication | undefined;
  /** The tokens that the receiver trusts in place of a secret. */
  readonly tokens?: TokenTrust | undefined;
  /** The host for pushes that name no host. */
  readonly registry?: string | undefined;
  /** The accepted hosts. The default is all hosts. */
  readonly registries?: readonly string[] | undefined;
}
