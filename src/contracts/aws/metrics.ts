/** Exported again, because `lib/` may import contracts, but not the domain. */
export { type MetricName, metrics } from "#domain/update/effects/metrics";

/** The CloudWatch namespace of Lookout's metrics. */
export const metricsNamespace = "Lookout";

/**
 * The only dimension of every metric, with the name of the stack as its value. The dimension
 * separates the metrics of two installations in one account.
 */
export const metricsDimension = "service";
