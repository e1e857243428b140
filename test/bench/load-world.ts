/** The registry of all repositories. */
export const host = "registry.test";
/** The number of repositories of a fleet. */
export const repositories = 200;
/** The name of the receiver. */
export const receiverName = "build";
/** The receiver's secret. */
export const receiverSecret = "the secret of this load, which is long";

/** Returns the name of a repository. */
export function repositoryOf(index: number): string {
  return `shop/r${index}`;
}
