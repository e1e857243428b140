import fc from "fast-check";

/** How often each property is tried: a thousand times, or as `PROPERTY_RUNS` says. */
export const propertyRuns = Number(process.env["PROPERTY_RUNS"] ?? 1_000);

fc.configureGlobal({ numRuns: propertyRuns });
