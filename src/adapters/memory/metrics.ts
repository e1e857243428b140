import type { MetricName } from "#domain/metrics";
import type { Metrics } from "#ports/metrics";

/** One measurement, as it was added. */
export interface Measurement {
  readonly name: MetricName;
  readonly value: number;
  readonly about: Readonly<Record<string, string>>;
}

/** Keeps measurements in the given list, in the order in which they were added; without one they are dropped. */
export function memoryMetrics(kept?: Measurement[]): Metrics {
  return { add: (name, value, about = {}) => void kept?.push({ name, value, about }) };
}
