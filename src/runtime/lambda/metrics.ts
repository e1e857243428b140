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
 * Their only dimension is `service`, the stack. What a measurement is about stands beside it in its line, and makes no series.
 *
 * @param stack - its name: several in one account are told apart by it
 */
export function emfMetrics(stack: string): EmfMetrics {
  const emf = new Emf({ namespace: metricsNamespace, serviceName: stack });
  return {
    port: {
      add(name, value, about) {
        if (!Number.isFinite(value)) return;
        const line = about === undefined ? emf : emf.singleMetric();
        for (const [key, text] of Object.entries(about ?? {})) line.addMetadata(key, text);
        line.addMetric(name, units[name], value);
      },
    },
    flush: () => {
      // Without any it would warn.
      if (emf.hasStoredMetrics()) emf.publishStoredMetrics();
    },
  };
}
