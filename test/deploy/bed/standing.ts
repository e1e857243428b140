import { CloudFormationClient, GetTemplateCommand } from "@aws-sdk/client-cloudformation";
import { metrics } from "#domain/metrics";
import type { Standing } from "../cost-page.ts";
import type { AwsOptions } from "./emulator.ts";

interface Resource {
  readonly Type: string;
  readonly Properties?: {
    readonly Metrics?: readonly { readonly MetricStat?: unknown }[];
    readonly EventSourceArn?: unknown;
  };
}

/** Reads from a deployed stack what AWS charges for by the month. */
export async function standingOf(options: AwsOptions, stack: string): Promise<Standing> {
  const asked = new GetTemplateCommand({ StackName: stack, TemplateStage: "Original" });
  const { TemplateBody = "{}" } = await new CloudFormationClient(options).send(asked);
  const { Resources } = JSON.parse(TemplateBody) as { readonly Resources: Readonly<Record<string, Resource>> };
  const of = (type: string): readonly Resource[] => Object.values(Resources).filter(({ Type }) => Type === type);
  const looksAt = ({ Properties }: Resource): number =>
    Properties?.Metrics?.filter(({ MetricStat }) => MetricStat !== undefined).length ?? 1;
  return {
    metrics: Object.keys(metrics).length,
    alarmMetrics: of("AWS::CloudWatch::Alarm")
      .map(looksAt)
      .reduce((all, one) => all + one, 0),
    // All but the one that reads the stream of the table.
    polledQueues: of("AWS::Lambda::EventSourceMapping").length - 1,
  };
}
