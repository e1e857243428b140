import * as z from "zod";
import { hours, minutes } from "#domain/shared/time";
import { duration } from "./fields.ts";

const wholeNumber = (most: number) =>
  z
    .int(`a whole number from 1 to ${most}`)
    .min(1, `a whole number from 1 to ${most}`)
    .max(most, `a whole number from 1 to ${most}`);

/** Returns the schema of a duration between two durations. */
const between = (shortest: number, longest: number, expected: string) =>
  duration.refine((value) => value >= shortest && value <= longest, { error: `must be ${expected}` });

/**
 * The keys of an entry that limit requests to its registry. `src/domain/registry/rules.ts` has the
 * defaults.
 */
export const registryLimits = {
  rateLimiting: z
    .strictObject(
      {
        requestsPerSecond: wholeNumber(1_000)
          .exactOptional()
          .describe("The requests per second of all functions together. Default: 10."),
        burst: wholeNumber(2_000)
          .exactOptional()
          .describe("The requests that may start at the same time after a pause. Default: 20."),
      },
      "requestsPerSecond, burst or both",
    )
    .readonly()
    .exactOptional()
    .describe(
      "The rate limit of requests to the registry. Default: public registries have a limit, and others have none.",
    ),
  scan: z
    .strictObject(
      {
        minInterval: between(minutes(1), hours(24 * 7), "from 1m to 7d")
          .exactOptional()
          .describe("The minimum of lookout.dev/interval. Default: 1m."),
        defaultInterval: between(minutes(1), hours(24 * 7), "from 1m to 7d")
          .exactOptional()
          .describe("The sweep interval of repositories without lookout.dev/interval. Default: 5m."),
      },
      "minInterval, defaultInterval or both",
    )
    .readonly()
    .exactOptional()
    .describe("The intervals at which Lookout looks for missed pushes in the registry's repositories."),
  circuitBreaker: z
    .strictObject(
      {
        enabled: z.boolean("true or false").exactOptional().describe("If false, requests to the registry never pause."),
        failureThreshold: wholeNumber(100)
          .exactOptional()
          .describe("The number of consecutive failures after which requests pause. Default: 5."),
        timeout: between(1_000, minutes(60), "from 1s to 1h")
          .exactOptional()
          .describe("The length of the pause. Then one request tries the registry again. Default: 1m."),
      },
      "some of enabled, failureThreshold and timeout",
    )
    .readonly()
    .exactOptional()
    .describe("The circuit breaker, which pauses requests to a failing registry."),
};
