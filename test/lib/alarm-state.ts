import { compileFunction } from "node:vm";

/**
 * A metric that an alarm asks for: `of` is what it belongs to, in AWS's own metrics a function or a
 * queue.
 */
export interface Asked {
  readonly name: string;
  readonly of: string;
}

/** What a metric was in the minutes from `minute` on; undefined: nothing was written. */
export type World = (metric: Asked, minute: number, minutes: number) => number | undefined;

interface MetricText {
  readonly MetricName: string;
  readonly Dimensions?: readonly { readonly Value: unknown }[];
}

/** An alarm, as far as its state follows from it. */
export interface AlarmText {
  readonly AlarmName: string;
  readonly MetricName?: string;
  readonly Dimensions?: readonly { readonly Value: unknown }[];
  readonly Period?: number;
  readonly Metrics?: readonly {
    readonly Id: string;
    readonly Expression?: string;
    readonly MetricStat?: { readonly Metric: MetricText; readonly Period: number };
  }[];
  readonly ComparisonOperator: string;
  readonly Threshold: number;
  readonly EvaluationPeriods: number;
  readonly TreatMissingData: string;
}

/** How long one period of an alarm is, in minutes. */
export function periodMinutes({ Period, Metrics = [] }: AlarmText): number {
  return (Period ?? Metrics.find(({ MetricStat }) => MetricStat !== undefined)?.MetricStat?.Period ?? 0) / 60;
}

/**
 * Says whether an alarm is raised at the end of a minute, as CloudWatch does: when each of its last periods breaches the threshold.
 *
 * The arithmetic of metrics is read as JavaScript's, which has the same precedence; what has no value is missing.
 */
export function isRaised(alarm: AlarmText, world: World, minute: number): boolean {
  const minutes = periodMinutes(alarm);
  return Array.from({ length: alarm.EvaluationPeriods }, (_, back) => minute - (back + 1) * minutes).every((from) => {
    const value = valueOf(alarm, (metric) => world(asked(metric), from, minutes));
    if (value === undefined || !Number.isFinite(value)) return alarm.TreatMissingData === "breaching";
    return alarm.ComparisonOperator === "LessThanThreshold" ? value < alarm.Threshold : value > alarm.Threshold;
  });
}

function asked({ MetricName, Dimensions: [dimension] = [] }: MetricText): Asked {
  return { name: MetricName, of: JSON.stringify(dimension?.Value) };
}

function valueOf(alarm: AlarmText, read: (metric: MetricText) => number | undefined): number | undefined {
  const { Metrics = [], MetricName, Dimensions = [] } = alarm;
  if (MetricName !== undefined) return read({ MetricName, Dimensions });
  const values = Metrics.flatMap(({ Id, MetricStat }) =>
    MetricStat === undefined ? [] : [[Id, read(MetricStat.Metric)]],
  );
  const given: Readonly<Record<string, unknown>> = {
    ...functions,
    ...(Object.fromEntries(values) as Record<string, number | undefined>),
  };
  return compiled(alarm, Object.keys(given))(...Object.values(given));
}

type Compiled = (...given: readonly unknown[]) => number | undefined;
const known = new WeakMap<AlarmText, Compiled>();

/** The expression of an alarm as a function of what it names. */
function compiled(alarm: AlarmText, names: readonly string[]): Compiled {
  const before = known.get(alarm);
  if (before !== undefined) return before;
  const expression = alarm.Metrics?.find(({ Expression }) => Expression !== undefined)?.Expression ?? "";
  const made = compileFunction(`return ${expression}`, [...names]) as Compiled;
  known.set(alarm, made);
  return made;
}

const present = (values: readonly (number | undefined)[]): readonly number[] =>
  values.filter((value) => value !== undefined && Number.isFinite(value)) as number[];

/** Those that expressions of ours use. An array's functions look over what is missing. */
const functions = {
  MAX: (values: readonly number[]) => (present(values).length === 0 ? undefined : Math.max(...present(values))),
  SUM: (values: readonly number[]) =>
    present(values).length === 0 ? undefined : present(values).reduce((sum, value) => sum + value, 0),
  FILL: (value: number | undefined, other: number) => value ?? other,
  IF: (condition: boolean, yes: number, no: number) => (condition ? yes : no),
};
