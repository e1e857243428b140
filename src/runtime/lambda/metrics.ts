import { Metrics as Emf } from "@aws-lambda-powertools/metrics";
import { metrics as units, metricsNamespace } from "#contracts/aws/metrics";
import type { Metrics } from "#ports/metrics";

interface EmfMetrics {
  readonly port: Metrics;
  /** Writes the metrics that were added since the last call. */
  readonly flush: () => void;
}

/**
 * Returns the metrics of a stack, in the namespace `Lookout`.
 *
 * The only dimension is `service`, the stack's name. Other properties of a measurement are plain
 * fields of the line. A line has each metric at most once, because a repeated metric becomes a
 * list, and log filters can't compare lists.
 *
 * @param stack - the name of the stack, which distinguishes the stacks of an account
 */
export function emfMetrics(stack: string): EmfMetrics {
  // The fields and the metric names of each open line.
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
