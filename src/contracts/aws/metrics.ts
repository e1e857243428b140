/** `lib/` may import contracts only, not the domain. */
export { type MetricName, metrics } from "#domain/update/metrics";

/** The CloudWatch namespace of Lookout's metrics. */
export const metricsNamespace = "Lookout";

/**
 * The only dimension of every metric, with the name of the stack as its value. It tells two
 * installations in one account apart, and gives each metric one series per installation.
 */
export const metricsDimension = "service";
