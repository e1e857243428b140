import { Metrics as Emf } from "@aws-lambda-powertools/metrics";
import { metrics as units, metricsNamespace } from "#contracts/aws/metrics";
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
 * same share a line, which has each metric once: filters of logs compare numbers, and several values would be a list.
 *
 * @param stack - its name: several in one account are told apart by it
 */
export function emfMetrics(stack: string): EmfMetrics {
  // Of each line what it is about, and the metrics in it.
  const lines: { readonly about: string; readonly names: Set<string>; readonly emf: Emf }[] = [];
  const lineWithout = (name: string, about: Readonly<Record<string, string>>) => {
    const key = JSON.stringify(about);
    const open = lines.find((line) => line.about === key && !line.names.has(name));
    if (open !== undefined) return open;
    const emf = new Emf({ namespace: metricsNamespace, serviceName: stack });
    for (const [member, text] of Object.entries(about)) emf.addMetadata(member, text);
    const line = { about: key, names: new Set<string>(), emf };
    lines.push(line);
    return line;
  };
  return {
    port: {
      add(name, value, about = {}) {
        if (!Number.isFinite(value)) return;
        const { emf, names } = lineWithout(name, about);
        emf.addMetric(name, units[name], value);
        names.add(name);
      },
    },
    flush: () => {
      for (const { emf } of lines.splice(0)) emf.publishStoredMetrics();
    },
  };
}
