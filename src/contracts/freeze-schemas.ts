import * as z from "zod";

const instant = z.iso.datetime();

const FreezeSchema = z
  .object({
    ...{ scope: z.string(), by: z.string(), why: z.string() },
    at: instant.exactOptional().describe("Since when; absent for one of lookout.yaml."),
    until: instant.exactOptional(),
    planned: z.string().exactOptional().describe("The name of one of lookout.yaml, which no request lifts."),
  })
  .readonly();

const PlannedFreezeSchema = z
  .object({
    ...{ name: z.string(), scope: z.string(), why: z.string() },
    from: instant.exactOptional().describe("When it holds next; absent: never again."),
    until: instant.exactOptional(),
  })
  .readonly();

export const FreezesSchema = z
  .object({
    at: instant,
    freezes: z.array(FreezeSchema).readonly(),
    planned: z.array(PlannedFreezeSchema).readonly().describe("Those of lookout.yaml that hold nothing now."),
    inFlight: z
      .array(z.string().describe("cluster/namespace/kind/name"))
      .readonly()
      .describe(
        "Frozen workloads whose patch was begun before and may still land: it is sent within ten seconds or not at all.",
      ),
  })
  .readonly()
  .describe("The freezes that hold something now, sorted by scope: `*`, `CLUSTER` or `CLUSTER/NAMESPACE`.");

export const FreezeRequestSchema = z
  .strictObject({
    scope: z.string().describe("`*` for the whole fleet, `CLUSTER`, or `CLUSTER/NAMESPACE`."),
    why: z.string().min(1),
    by: z.string().min(1),
    until: z.iso.datetime({ offset: true }).exactOptional().describe("Absent: until it is lifted."),
  })
  .readonly()
  .describe("Freezes a scope.");
