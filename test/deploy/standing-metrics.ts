import type { MetricName } from "#domain/update/metrics";

/** What is measured when nothing is pushed; the others are measured of updates, or of what goes wrong. */
export const standingMetrics: readonly MetricName[] = ["SweepsStarted"];
