/** Trying again may help: a throttle, a timeout, a 5xx, a lost connection, anything unknown. The queue delivers the work again. */
export class TransientError extends Error {
  override readonly name = "TransientError";
}

/** A newer Lookout wrote the record that the message names: the same work can be done by the program that replaces this one. */
export class NewerRecordError extends TransientError {}

/** Trying again cannot help before a person acts: denied, malformed, unsupported. The message says what to do. */
export class PermanentError extends Error {
  override readonly name = "PermanentError";
}
