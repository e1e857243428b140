import * as z from "zod";
import { hours, minutes } from "#domain/shared/time";
import { duration } from "./fields.ts";

const wholeNumber = (most: number) =>
  z
    .int(`a whole number from 1 to ${most}`)
    .min(1, `a whole number from 1 to ${most}`)
    .max(most, `a whole number from 1 to ${most}`);

/** A duration between two others. */
const between = (shortest: number, longest: number, expected: string) =>
  duration.refine((value) => value >= shortest && value <= longest, { error: `must be ${expected}` });

/** The keys of a registry that limit requests to it. Absent ones have the defaults of its host: src/domain/registry/rules.ts. */
export const registryLimits = {
  rateLimiting: z
    .strictObject(
      {
        requestsPerSecond: wholeNumber(1_000)
          .exactOptional()
          .describe("Requests a second, of all functions together. Default: 10."),
        burst: wholeNumber(2_000).exactOptional().describe("Requests at once after a rest. Default: 20."),
      },
      "requestsPerSecond, burst or both",
    )
    .readonly()
    .exactOptional()
    .describe("How fast Lookout may ask this registry. Default: a limit for public registries, and none for others."),
  scan: z
    .strictObject(
      {
        minInterval: between(minutes(1), hours(24 * 7), "from 1m to 7d")
          .exactOptional()
          .describe("The shortest lookout.dev/interval that counts. Default: 1m."),
        defaultInterval: between(minutes(1), hours(24 * 7), "from 1m to 7d")
          .exactOptional()
          .describe("How often repositories without the annotation are swept. Default: 5m."),
      },
      "minInterval, defaultInterval or both",
    )
    .readonly()
    .exactOptional()
    .describe("How often Lookout looks for missed pushes in the repositories of this registry."),
  circuitBreaker: z
    .strictObject(
      {
        enabled: z.boolean("true or false").exactOptional().describe("false: requests never pause."),
        failureThreshold: wholeNumber(100)
          .exactOptional()
          .describe("After how many failures in a row requests pause. Default: 5."),
        timeout: between(1_000, minutes(60), "from 1s to 1h")
          .exactOptional()
          .describe("How long they pause before one request tries the registry again. Default: 1m."),
      },
      "some of enabled, failureThreshold and timeout",
    )
    .readonly()
    .exactOptional()
    .describe("When requests to a failing registry pause."),
};
