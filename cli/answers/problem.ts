/** A problem of a setting, or a notice about it. */
export interface ProblemAnswer {
  /**
   * The annotation with the problem. Null if an image has the problem. The message then names the
   * image and the container.
   */
  readonly annotation: string | null;
  readonly value: string;
  readonly message: string;
}
