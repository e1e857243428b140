import type { Condition, ContainerStatus, Pod } from "./objects.ts";

/** Reasons for which a container does not start, and which waiting seldom mends. */
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

/** Names the first container of these pods that cannot run, and why; undefined when all run or may yet. */
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

/** Says why the pods of a workload are refused: what refuses them and its name, never the server's words, which may echo the pod. */
export function refusedPods(message = ""): string {
  const quota = /exceeded quota: ([A-Za-z0-9.-]{1,253})/.exec(message)?.[1];
  if (quota !== undefined) return `FailedCreate: quota ${quota} is exceeded`;
  const denied = /(ValidatingAdmissionPolicy '|admission webhook ")([A-Za-z0-9.-]{1,253})/.exec(message);
  if (denied !== null) return `FailedCreate: denied by ${denied[1]?.slice(0, -2) ?? ""} ${denied[2] ?? ""}`;
  const field = /is invalid: (?:\[)?(spec\.[A-Za-z0-9.[\]]{1,200}): ([A-Z][a-z]+ value)/.exec(message);
  if (field !== null) return `FailedCreate: ${field[2] ?? ""} in ${field[1] ?? ""} of the pod`;
  return /violates PodSecurity/.test(message)
    ? "FailedCreate: violates PodSecurity"
    : "FailedCreate: the cluster refuses the pods";
}

/** How many of these pods no node takes, in words; undefined when each has one. */
export function unscheduled(pods: readonly Pod[]): string | undefined {
  const waiting = pods.filter((pod) => condition(pod.status?.conditions, "PodScheduled")?.status === "False");
  return waiting.length === 0 ? undefined : `${String(waiting.length)} pods wait for a node`;
}

/** Statuses of all containers of a pod, init containers first. */
export function containerStatuses(pod: Pod): readonly ContainerStatus[] {
  return [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
}

/** The condition of a type, if the object has it. */
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
