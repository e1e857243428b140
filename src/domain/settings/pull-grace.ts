import { readTimeout, type ReadValue } from "../annotations/setting-values.ts";
import { formatDuration } from "../shared/duration.ts";
import { ok, problem } from "../shared/result.ts";
import { type DurationMs, hours, seconds } from "../shared/time.ts";

/** The usual time that a fault of pulling or creating may last. */
export const usualPullGrace = seconds(60);

const shortest = seconds(1);
const longest = hours(1);

/** Parses the time that a fault of pulling or creating may last without progress. */
export const readPullGrace: ReadValue<DurationMs> = (text) => {
  const expected = `expected ${formatDuration(shortest)} to ${formatDuration(longest)}, such as 60s`;
  const time = readTimeout(text);
  if (!time.ok) return problem(`${expected} (${time.problem})`);
  return time.value < shortest || time.value > longest ? problem(expected) : ok(time.value);
};
