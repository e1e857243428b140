import type { Measurement } from "#domain/update/effects/metrics";
import type { Ports } from "./ports.ts";

/** Adds measurements to the metrics, in their order. */
export function measure(measurements: readonly Measurement[], { metrics }: Pick<Ports, "metrics">): void {
  for (const { name, value, about } of measurements) metrics.add(name, value, about);
}
