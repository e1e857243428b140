import type { RegistriesView, RegistryView } from "#contracts/api/registries";
import { type MetricName, metrics as units, tierMetrics } from "#domain/update/effects/metrics";
import type { Reload } from "#ports/reloads";
import type { Metrics } from "#ports/metrics";

/** The metrics of a process, summed since its start. */
export interface SummedMetrics {
  readonly port: Metrics;
  /** Returns the sums in the text format of Prometheus. */
  readonly text: () => string;
}

/** The most groups whose states are shown. The group that changed last replaces the one that did not for longest. */
const mostGroups = 1_000;

/**
 * Returns metrics that sum measurements by name. Events are counters. Durations have a sum in
 * seconds and a count. States of groups are gauges with the last value of each group.
 *
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/
 */
export function summedMetrics(): SummedMetrics {
  const sums = new Map<MetricName, { sum: number; count: number }>();
  const states = new Map<MetricName, Map<string, number>>(tierMetrics.map((name) => [name, new Map()]));
  return {
    port: {
      add(name, value, about = {}) {
        if (!Number.isFinite(value)) return;
        const ofGroups = states.get(name);
        if (ofGroups !== undefined) {
          keep(ofGroups, about["group"] ?? "", value);
          return;
        }
        const { sum, count } = sums.get(name) ?? { sum: 0, count: 0 };
        sums.set(name, { sum: sum + value, count: count + 1 });
      },
    },
    text: () =>
      [
        ...[...sums].map(([name, { sum, count }]) => familyOf(name, sum, count)),
        ...[...states].map(([name, ofGroups]) => gaugesOf(name, ofGroups)),
      ].join(""),
  };
}

function keep(ofGroups: Map<string, number>, group: string, value: number): void {
  ofGroups.delete(group);
  ofGroups.set(group, value);
  const [oldest] = ofGroups.keys();
  if (ofGroups.size > mostGroups && oldest !== undefined) ofGroups.delete(oldest);
}

function gaugesOf(metric: MetricName, ofGroups: ReadonlyMap<string, number>): string {
  if (ofGroups.size === 0) return "";
  const name = `${baseOf(metric)}${units[metric] === "Seconds" ? "_seconds" : ""}`;
  const lines = [...ofGroups].map(([group, value]) => `${name}{group="${escaped(group)}"} ${value}\n`);
  return `# TYPE ${name} gauge\n${lines.join("")}`;
}

/** Returns the name of a metric without its unit. */
function baseOf(name: MetricName): string {
  const words = name.replace(/(?:Ms|Seconds)$/, "").replace(/(?<!^)(?=[A-Z])/g, "_");
  return `lookout_${words.toLowerCase()}`;
}

function familyOf(name: MetricName, sum: number, count: number): string {
  const base = baseOf(name);
  if (units[name] === "Count") return `# TYPE ${base}_total counter\n${base}_total ${sum}\n`;
  const inSeconds = units[name] === "Milliseconds" ? sum / 1_000 : sum;
  return `# TYPE ${base}_seconds summary\n${base}_seconds_sum ${inSeconds}\n${base}_seconds_count ${count}\n`;
}

const breakerStates = { off: 0, closed: 0, "half-open": 1, open: 2 } as const;

/**
 * Returns the states of the registries' breakers (0 closed, 1 half-open, 2 open) and limits as
 * gauges.
 */
export function registryGauges({ registries }: RegistriesView): string {
  const gauge = (name: string, value: (registry: RegistryView) => number | undefined): string => {
    const lines = registries.flatMap((registry) => {
      const now = value(registry);
      return now === undefined ? [] : [`lookout_registry_${name}{registry="${escaped(registry.name)}"} ${now}\n`];
    });
    return lines.length === 0 ? "" : `# TYPE lookout_registry_${name} gauge\n${lines.join("")}`;
  };
  return [
    gauge("breaker_state", ({ breaker }) => breakerStates[breaker.state]),
    gauge("tokens_left", ({ limit }) => limit.tokensLeft),
    gauge("tokens_leased", ({ limit }) => limit.tokensLeased),
    gauge("paused", ({ limit }) => (limit.pausedUntil === undefined ? 0 : 1)),
  ].join("");
}

/**
 * Returns whether each file that changed is in force (1) or not (0), and when the content in force was
 * read, as gauges.
 */
export function reloadGauges(reloads: readonly Reload[]): string {
  const gauge = (name: string, value: number): string => `# TYPE lookout_${name} gauge\nlookout_${name} ${value}\n`;
  return reloads
    .map(({ part, loadedAt, failure, expiresAt }) =>
      [
        gauge(`${part}_in_force`, failure === undefined ? 1 : 0),
        gauge(`${part}_loaded_timestamp_seconds`, loadedAt / 1_000),
        expiresAt === undefined ? "" : gauge(`${part}_expiry_timestamp_seconds`, expiresAt / 1_000),
      ].join(""),
    )
    .join("");
}

function escaped(label: string): string {
  return label.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n");
}
