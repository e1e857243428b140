/** What `lib/` needs to know of metrics: it reads contracts alone. */
export { type MetricName, metrics } from "#domain/update/metrics";

/** Where CloudWatch keeps what Lookout measures. */
export const metricsNamespace = "Lookout";

/**
 * The one dimension of every metric: the name of the stack, so that two installations of an account are told apart. It has one value per
 * installation, and so each metric one series.
 */
export const metricsDimension = "service";
