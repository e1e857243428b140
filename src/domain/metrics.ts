/**
 * What Lookout measures of itself, by name, with CloudWatch's unit.
 *
 * `Milliseconds` are spans, `Count` are things that happened since the last report, `Seconds` ages of what is open now.
 */
export const metrics = {
  PushToRunningMs: "Milliseconds",
} as const satisfies Readonly<Record<string, "Milliseconds" | "Seconds" | "Count">>;

/** One of {@link metrics}. */
export type MetricName = keyof typeof metrics;
