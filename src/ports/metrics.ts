import type { MetricName } from "#domain/update/effects/metrics";

/** Records measurements. It never throws and never waits. */
export interface Metrics {
  /**
   * Adds one value.
   *
   * @param about - details for the log: workload, repository, reason. They never create another
   *   series.
   */
  readonly add: (name: MetricName, value: number, about?: Readonly<Record<string, string>>) => void;
}
