/** An error that `instanceof` recognizes by name, because separately built parts have their own classes. */
class PortError extends Error {
  /** The names of the class and its subclasses. */
  static readonly names: readonly string[] = [];

  static override [Symbol.hasInstance](thrown: unknown): boolean {
    return Error[Symbol.hasInstance](thrown) && this.names.includes((thrown as Error).name);
  }
}

/** A retry may help: a throttle, a timeout, a 5xx, a lost connection, anything unknown. The queue redelivers the command. */
export class TransientError extends PortError {
  static override readonly names: readonly string[] = ["TransientError", "NewerRecordError"];
  override readonly name: "TransientError" | "NewerRecordError" = "TransientError";
}

/** A newer Lookout wrote the record that the message names. The retry succeeds after this program is replaced. */
export class NewerRecordError extends TransientError {
  static override readonly names = ["NewerRecordError"];
  override readonly name = "NewerRecordError";
}

/**
 * A retry can't help before a user acts: denied, malformed, unsupported. The message names the
 * remedy.
 */
export class PermanentError extends PortError {
  static override readonly names = ["PermanentError"];
  override readonly name = "PermanentError";
}
