/**
 * The prices of AWS in us-east-1 in November 2026, in dollars, without free tiers and discounts.
 *
 * @see https://aws.amazon.com/lambda/pricing/, https://aws.amazon.com/sqs/pricing/,
 * https://aws.amazon.com/eventbridge/pricing/, https://aws.amazon.com/dynamodb/pricing/on-demand/,
 * https://aws.amazon.com/api-gateway/pricing/, https://aws.amazon.com/cloudwatch/pricing/
 */
export const prices = {
  lambdaRun: 0.2e-6,
  /** A gigabyte second on arm64. */
  lambdaGigabyteSecond: 13.3334e-6,
  /** A request with a message group: the price of a fair queue. */
  sqsRequest: 0.5e-6,
  /** An event of up to 64 KiB. Events of AWS itself are free. */
  customEvent: 1e-6,
  /** A request without a message group. */
  sqsPoll: 0.4e-6,
  schedule: 1e-6,
  /** A strongly consistent read of up to 4 KiB. */
  tableRead: 0.125e-6,
  /** A write of up to 1 KiB. */
  tableWrite: 0.625e-6,
  httpRequest: 1e-6,
  /** A gigabyte that CloudWatch Logs ingests. */
  logGigabyte: 0.5,
  /** A custom metric for a whole month. Each hour is charged separately. */
  metricMonth: 0.3,
  alarmMetricMonth: 0.1,
  dashboardMonth: 3,
} as const;
