import * as z from "zod";
import { hours, minutes } from "#domain/shared/time";
import { durationWithin } from "./fields.ts";

const aCount = "a whole number from 1 to 1000";

/** The schema of `backup`: the copies of the state file of a local Lookout. */
export const Backup = z
  .strictObject(
    {
      every: durationWithin(minutes(1), hours(24 * 30), "24h").describe("The time between two copies: from 1m to 30d."),
      keep: z
        .int(aCount)
        .min(1, aCount)
        .max(1_000, aCount)
        .prefault(7)
        .describe("The number of copies that stay. Lookout deletes older copies."),
    },
    "a schedule with every, such as { every: 24h, keep: 7 }",
  )
  .readonly();
