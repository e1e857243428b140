import { PermanentError } from "#ports/errors";

/**
 * Takes the place of what the AWS clients read streams of events with where functions are built (lib/bundle.ts). Functions ask for none, and what
 * the streams share with other answers would be in each.
 */
export function eventStreamSerdeProvider(): never {
  throw new PermanentError("functions read no streams of events");
}
