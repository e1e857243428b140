import type { RegistriesView, RegistryView } from "#contracts/api/registries";
import { type MetricName, metrics as units } from "#domain/update/effects/metrics";
import type { Reload } from "#ports/reloads";
import type { Metrics } from "#ports/metrics";

/** The metrics of a process, summed since its start. */
export interface SummedMetrics {
  readonly port: Metrics;
  /** Returns the sums in the text format of Prometheus. */
  readonly text: () => string;
}

/**
 * Returns metrics that sum measurements by name. Events are counters. Durations have a sum in
 * seconds and a count.
 *
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/
 */
export function summedMetrics(): SummedMetrics {
  const sums = new Map<MetricName, { sum: number; count: number }>();
  return {
    port: {
      add(name, value) {
        if (!Number.isFinite(value)) return;
        const { sum, count } = sums.get(name) ?? { sum: 0, count: 0 };
        sums.set(name, { sum: sum + value, count: count + 1 });
      },
    },
    text: () => [...sums].map(([name, { sum, count }]) => familyOf(name, sum, count)).join(""),
  };
}

function familyOf(name: MetricName, sum: number, count: number): string {
  const base = `lookout_${name
    .replace(/(?:Ms|Seconds)$/, "")
    .replace(/(?<!^)(?=[A-Z])/g, "_")
    .toLowerCase()}`;
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
