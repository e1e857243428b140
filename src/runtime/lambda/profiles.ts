import { PermanentError } from "#ports/errors";

/** What the AWS clients may be told to read in place of a file: nothing. */
export const fileIntercept = {};

/**
 * Takes the place of what reads the files with profiles of the AWS clients where functions are built (lib/bundle.ts). A client looks there for
 * every setting that is not in the environment, and goes on without the file.
 */
export function readFile(path: string): Promise<never> {
  return Promise.reject(new PermanentError(`functions have no profiles: ${path} is not read`));
}
