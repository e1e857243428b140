import fc from "fast-check";

/** How often each property is tried: 200 times, or as `PROPERTY_RUNS` says. */
const numRuns = Number(process.env["PROPERTY_RUNS"] ?? 200);

/** For parsers of what anybody may write: ten times as often, a million times in the long run. */
export const oftenTried = { numRuns: 10 * numRuns };

fc.configureGlobal({ numRuns });
