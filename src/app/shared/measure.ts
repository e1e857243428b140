import type { Measurement } from "#domain/update/effects/metrics";
import type { Metrics } from "#ports/metrics";

/** Adds measurements to the metrics, in their order. */
export function measure(measurements: readonly Measurement[], metrics: Metrics): void {
  for (const { name, value, about } of measurements) metrics.add(name, value, about);
}
