/** The thresholds of alarms that a CDK app sets. */
import { Annotations, Duration } from "aws-cdk-lib";
import type { IConstruct } from "constructs";
import { AlarmThresholds as schema } from "#contracts/config/alarms";
import type { Thresholds } from "./alarm-rules.ts";

/** The names of the thresholds that are durations. */
type Spans = "backlog" | "slowUpdates" | "clusterUnreachable";

/** The thresholds of `alarms.thresholds` in `lookout.yaml`, with the CDK's durations. */
export type AlarmThresholds = {
  readonly [Name in keyof Thresholds]?: (Name extends Spans ? Duration : number) | undefined;
};

/**
 * Returns the thresholds of `lookout.yaml`, replaced by those of a CDK app. A threshold out of its
 * range is an error of the stack.
 */
export function mergedThresholds(scope: IConstruct, configured: Thresholds, given: AlarmThresholds): Thresholds {
  const written = Object.entries(given)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, value instanceof Duration ? `${value.toMilliseconds()}ms` : value] as const);
  const parsed = schema.safeParse(Object.fromEntries(written));
  if (parsed.success)
    return {
      ...configured,
      ...only(
        parsed.data,
        written.map(([name]) => name),
      ),
    };
  for (const { code, path, message } of parsed.error.issues)
    Annotations.of(scope).addError(
      `monitoring.thresholds.${path.join(".")}: ${code === "custom" ? message : `expected ${message}`}`,
    );
  return configured;
}

function only(thresholds: Thresholds, names: readonly string[]): Partial<Thresholds> {
  return Object.fromEntries(Object.entries(thresholds).filter(([name]) => names.includes(name)));
}
