import type { MetricName } from "#domain/update/effects/metrics";

/** The metrics without pushes. Other metrics need updates or failures. */
export const standingMetrics: readonly MetricName[] = ["SweepsStarted"];
