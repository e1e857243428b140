/**
 * An error that `instanceof` recognizes by name, because separately built parts have their own
 * copies of the class.
 */
class PortError extends Error {
  /** The names of the class and its subclasses. */
  static readonly names: readonly string[] = [];

  static override [Symbol.hasInstance](thrown: unknown): boolean {
    return Error[Symbol.hasInstance](thrown) && this.names.includes((thrown as Error).name);
  }
}

/**
 * A fault that a retry may fix: a throttle, a timeout, a 5xx, a lost connection, an unknown error.
 * The queue delivers the command again.
 */
export class TransientError extends PortError {
  static override readonly names: readonly string[] = ["TransientError", "NewerRecordError"];
  override readonly name: "TransientError" | "NewerRecordError" = "TransientError";
}

/**
 * A newer version of Lookout wrote the record. A retry succeeds after the newer version has
 * replaced this program.
 */
export class NewerRecordError extends TransientError {
  static override readonly names = ["NewerRecordError"];
  override readonly name = "NewerRecordError";
}

/**
 * A fault that only a user can fix: denied, malformed, unsupported. The message names the remedy.
 */
export class PermanentError extends PortError {
  static override readonly names = ["PermanentError"];
  override readonly name = "PermanentError";
}
