/** The registry of all repositories. */
export const host = "registry.test";
/** As many as a fleet has. */
export const repositories = 200;
/** The receiver that is sent to. */
export const receiverName = "build";
/** Its secret. */
export const receiverSecret = "the secret of this load, which is long";

/** Returns the name of a repository. */
export function repositoryOf(index: number): string {
  return `shop/r${index}`;
}
