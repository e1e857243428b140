/** Returns the URL of a queue. */
export function queueUrlOf(arn: string): string {
  const [, partition, , region = "", account = "", name = ""] = arn.split(":");
  return `https://sqs.${region}.${partition === "aws-cn" ? "amazonaws.com.cn" : "amazonaws.com"}/${account}/${name}`;
}
