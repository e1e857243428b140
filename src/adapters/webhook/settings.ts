/** The registries whose notifications can be read: the distribution registry's envelope, and Lookout's own contract. */
export type ReceiverKind = "distribution" | "generic";

/** One receiver of `lookout.yaml`, with its secret looked up. */
export interface ReceiverSettings {
  /** The last part of its path, `/webhooks/<name>`. */
  readonly name: string;
  readonly kind: ReceiverKind;
  /** Undefined or blank: every request is refused. */
  readonly secret: string | undefined;
  /** The host of pushes that name none. */
  readonly registry?: string | undefined;
}
