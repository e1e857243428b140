import type { Condition, ContainerStatus, Pod } from "./objects.ts";

/** The waiting reasons of containers that rarely recover by themselves. */
const faultReasons: ReadonlySet<string> = new Set([
  "ImagePullBackOff",
  "ErrImagePull",
  "InvalidImageName",
  "ErrImageNeverPull",
  "CrashLoopBackOff",
  "CreateContainerConfigError",
  "CreateContainerError",
  "RunContainerError",
]);

/**
 * Returns a text about the first container that can't run. Returns undefined when all containers
 * can run.
 */
export function podFault(pods: readonly Pod[]): string | undefined {
  for (const pod of pods) {
    for (const status of containerStatuses(pod)) {
      const waiting = status.state?.waiting;
      if (waiting?.reason === undefined || !faultReasons.has(waiting.reason)) continue;
      const image = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])].find(
        ({ name }) => name === status.name,
      )?.image;
      const particulars = [lastExit(status), missingObject(waiting.message)].filter((text) => text !== undefined);
      return [
        `${waiting.reason} in container ${status.name} (${image ?? ""}) of pod ${pod.metadata.name}`,
        ...particulars,
      ].join(", ");
    }
  }
  return undefined;
}

/**
 * Returns a text about the quota, policy or webhook that rejects the pods of a workload. The text
 * omits the server's message, because the message may quote the pod.
 */
export function refusedPods(message = ""): string {
  const quota = /exceeded quota: ([A-Za-z0-9.-]{1,253})/.exec(message)?.[1];
  if (quota !== undefined) return `FailedCreate: quota ${quota} is exceeded`;
  const denied = /(ValidatingAdmissionPolicy '|admission webhook ")([A-Za-z0-9.-]{1,253})/.exec(message);
  if (denied !== null) return `FailedCreate: denied by ${denied[1]?.slice(0, -2) ?? ""} ${denied[2] ?? ""}`;
  const field = /is invalid: (?:\[)?(spec\.[A-Za-z0-9.[\]]{1,200}): ([A-Z][a-z]+ value)/.exec(message);
  if (field !== null) return `FailedCreate: ${field[2] ?? ""} in ${field[1] ?? ""} of the pod`;
  return /violates PodSecurity/.test(message)
    ? "FailedCreate: violates PodSecurity"
    : "FailedCreate: the cluster rejects the pods";
}

/**
 * Returns a text with the number of pods without a node. Returns undefined when each pod has a
 * node.
 */
export function unscheduled(pods: readonly Pod[]): string | undefined {
  const waiting = pods.filter((pod) => condition(pod.status?.conditions, "PodScheduled")?.status === "False");
  return waiting.length === 0 ? undefined : `${String(waiting.length)} pods wait for a node`;
}

/** Returns the statuses of all containers of a pod, init containers first. */
export function containerStatuses(pod: Pod): readonly ContainerStatus[] {
  return [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
}

/** Returns the condition of a type, or undefined when the object has no such condition. */
export function condition(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((one) => one.type === type);
}

function lastExit(status: ContainerStatus): string | undefined {
  const exit = status.lastState?.terminated;
  return exit === undefined
    ? undefined
    : `last exit ${String(exit.exitCode ?? "unknown")} (${exit.reason ?? "no reason"})`;
}

function missingObject(message = ""): string | undefined {
  return /\b(secret|configmap) "[A-Za-z0-9.-]{1,253}" not found/.exec(message)?.[0];
}
