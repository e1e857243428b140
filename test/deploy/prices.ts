/**
 * What AWS charges in us-east-1, in dollars, without free tiers and discounts; checked in November 2026.
 *
 * @see https://aws.amazon.com/lambda/pricing/, https://aws.amazon.com/sqs/pricing/, https://aws.amazon.com/eventbridge/pricing/,
 *   https://aws.amazon.com/dynamodb/pricing/on-demand/, https://aws.amazon.com/api-gateway/pricing/, https://aws.amazon.com/cloudwatch/pricing/
 */
export const prices = {
  lambdaRun: 0.2e-6,
  /** On arm64. */
  lambdaGigabyteSecond: 13.3334e-6,
  /** With a message group: the price of a fair queue. */
  sqsRequest: 0.5e-6,
  /** Of 64 KiB. Events of AWS itself cost nothing. */
  customEvent: 1e-6,
  /** A request without a message group. */
  sqsPoll: 0.4e-6,
  schedule: 1e-6,
  /** Of 4 KiB, strongly consistent. */
  tableRead: 0.125e-6,
  /** Of 1 KiB. */
  tableWrite: 0.625e-6,
  httpRequest: 1e-6,
  /** Ingested into CloudWatch Logs. */
  logGigabyte: 0.5,
  /** Of a series of one's own that is written all month; each hour counts by itself. */
  metricMonth: 0.3,
  alarmMetricMonth: 0.1,
  dashboardMonth: 3,
} as const;
