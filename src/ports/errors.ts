/** What is told by its name alone: a part of a function that is built apart from it has classes of its own. */
class PortError extends Error {
  /** Of the class, and of those that extend it. */
  static readonly names: readonly string[] = [];

  static override [Symbol.hasInstance](thrown: unknown): boolean {
    return Error[Symbol.hasInstance](thrown) && this.names.includes((thrown as Error).name);
  }
}

/** Trying again may help: a throttle, a timeout, a 5xx, a lost connection, anything unknown. The queue delivers the work again. */
export class TransientError extends PortError {
  static override readonly names: readonly string[] = ["TransientError", "NewerRecordError"];
  override readonly name: "TransientError" | "NewerRecordError" = "TransientError";
}

/** A newer Lookout wrote the record that the message names: the same work can be done by the program that replaces this one. */
export class NewerRecordError extends TransientError {
  static override readonly names = ["NewerRecordError"];
  override readonly name = "NewerRecordError";
}

/** Trying again cannot help before a person acts: denied, malformed, unsupported. The message says what to do. */
export class PermanentError extends PortError {
  static override readonly names = ["PermanentError"];
  override readonly name = "PermanentError";
}
