import { CloudFormationClient, GetTemplateCommand } from "@aws-sdk/client-cloudformation";
import type { Standing } from "../cost-page.ts";
import type { AwsOptions } from "./emulator.ts";

interface Resource {
  readonly Type: string;
  readonly Properties?: {
    readonly Metrics?: readonly { readonly MetricStat?: unknown }[];
    readonly EventSourceArn?: unknown;
    readonly StartingPosition?: unknown;
    readonly ScalingConfig?: unknown;
  };
}

/** Returns the parts of a deployed stack with monthly costs. */
export async function standingOf(options: AwsOptions, stack: string): Promise<Standing> {
  const asked = new GetTemplateCommand({ StackName: stack, TemplateStage: "Original" });
  const { TemplateBody = "{}" } = await new CloudFormationClient(options).send(asked);
  const { Resources } = JSON.parse(TemplateBody) as { readonly Resources: Readonly<Record<string, Resource>> };
  const of = (type: string): readonly Resource[] => Object.values(Resources).filter(({ Type }) => Type === type);
  const looksAt = ({ Properties }: Resource): number =>
    Properties?.Metrics?.filter(({ MetricStat }) => MetricStat !== undefined).length ?? 1;
  // The mapping of the table's stream polls no queue.
  const polled = of("AWS::Lambda::EventSourceMapping").filter(
    ({ Properties }) => Properties?.StartingPosition === undefined,
  );
  const limited = polled.filter(({ Properties }) => Properties?.ScalingConfig !== undefined);
  return {
    alarmMetrics: of("AWS::CloudWatch::Alarm")
      .map(looksAt)
      .reduce((all, one) => all + one, 0),
    polledQueues: polled.length,
    limitedQueues: limited.length,
  };
}
