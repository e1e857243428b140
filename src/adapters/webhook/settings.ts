import type { Authentication, ReceiverKind, TokenTrust } from "#contracts/config/receiver-kinds";

/** One receiver of `lookout.yaml`, with its secret looked up. */
export interface ReceiverSettings {
  /** The last part of its path, `/webhooks/<name>`. */
  readonly name: string;
  readonly kind: ReceiverKind;
  /** Undefined or blank: every request is refused, unless tokens are believed. */
  readonly secret: string | undefined;
  /** Where requests differ from what the kind's usually carry. */
  readonly authentication?: Authentication | undefined;
  /** In place of a secret. */
  readonly tokens?: TokenTrust | undefined;
  /** The host of pushes that name none. */
  readonly registry?: string | undefined;
  /** Pushes to other hosts are ignored; undefined: any host counts. */
  readonly registries?: readonly string[] | undefined;
}
