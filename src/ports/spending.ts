/** The refusal of a budget. */
export interface OverBudget {
  /** The namespace, its budget and its use. */
  readonly detail: string;
  /** Absent if another run of the namespace must end first. */
  readonly retryAfterMs?: number;
}

/**
 * What one run takes of its process, on behalf of namespaces: requests, memory for answers, and time
 * without a break.
 */
export interface Spending {
  /** The namespaces that pay, as `cluster/namespace`. Empty if no namespace caused the work. */
  readonly payers: readonly string[];

  /** Returns this spending with other payers. The payer that has used least pays. */
  paidBy(payers: readonly string[]): Spending;

  /**
   * Runs work that takes long without a break, one at a time. Namespaces take turns, and the process
   * has as much time for other work as this work took.
   *
   * @throws TransientError if the run is cancelled before the work begins
   */
  turn<Answer>(work: () => Answer): Promise<Answer>;

  /**
   * Sets the memory that the run holds for a thing, such as a listing of tags. The end of the run
   * frees the memory.
   *
   * @returns why the payers may not hold so much. The memory held before stays.
   */
  hold(thing: string, bytes: number): OverBudget | undefined;

  /** Returns why the payers may not send a request to a registry now, or undefined if they may. */
  overBudget(): OverBudget | undefined;

  /** Counts a request to a registry. */
  countRequest(): void;
}
