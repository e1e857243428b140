import { Metrics as Emf } from "@aws-lambda-powertools/metrics";
import { metrics as units, metricsNamespace } from "#contracts/metrics";
import type { Metrics } from "#ports/metrics";

/** Measurements that leave through the log, in CloudWatch's embedded metric format. */
export interface EmfMetrics {
  readonly port: Metrics;
  /** Writes what was added since the last time. */
  readonly flush: () => void;
}

/**
 * Opens the metrics of a stack, in the namespace `Lookout`.
 *
 * Their only dimension is `service`, the stack. What measurements are about stands beside them, and makes no series; those that are about the
 * same share a line.
 *
 * @param stack - its name: several in one account are told apart by it
 */
export function emfMetrics(stack: string): EmfMetrics {
  const lines = new Map<string, Emf>();
  const lineAbout = (about: Readonly<Record<string, string>>): Emf => {
    const line = new Emf({ namespace: metricsNamespace, serviceName: stack });
    for (const [key, text] of Object.entries(about)) line.addMetadata(key, text);
    return line;
  };
  return {
    port: {
      add(name, value, about = {}) {
        if (!Number.isFinite(value)) return;
        const key = JSON.stringify(about);
        const line = lines.get(key) ?? lineAbout(about);
        lines.set(key, line);
        line.addMetric(name, units[name], value);
      },
    },
    flush: () => {
      for (const line of lines.values()) line.publishStoredMetrics();
      lines.clear();
    },
  };
}
