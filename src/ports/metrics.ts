import type { MetricName } from "#domain/update/metrics";

/** Takes measurements. It never throws and never waits: what is measured is worth more than the measurement. */
export interface Metrics {
  /**
   * Adds one value.
   *
   * @param about - what it is about, for the log beside it: workload, repository, reason. No series of its own, whatever it holds.
   */
  readonly add: (name: MetricName, value: number, about?: Readonly<Record<string, string>>) => void;
}
