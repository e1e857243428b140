import type { Measurement } from "#domain/update/effects/metrics";
import type { Metrics } from "#ports/metrics";

/**
 * Returns metrics that append measurements to a list. Without a list, the metrics drop
 * measurements.
 */
export function memoryMetrics(kept?: Measurement[]): Metrics {
  return { add: (name, value, about = {}) => void kept?.push({ name, value, about }) };
}
