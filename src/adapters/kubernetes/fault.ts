import { faultOf, type PodFault, worstFault } from "#domain/workload/pod-fault";
import { containersOf } from "#domain/workload/pod-template";
import type { Condition, ContainerStatus, Pod } from "./objects.ts";

/** Returns the worst fault of the pods' containers. Returns undefined when all containers can run. */
export function podFault(pods: readonly Pod[]): PodFault | undefined {
  return worstFault(faultsOf(pods));
}

/** Returns the faults of the pods' containers. */
export function faultsOf(pods: readonly Pod[]): readonly PodFault[] {
  return pods.flatMap((pod) => containerStatuses(pod).flatMap((status) => containerFault(pod, status) ?? []));
}

function containerFault(pod: Pod, status: ContainerStatus): PodFault | undefined {
  const { reason, message } = status.state?.waiting ?? {};
  const fault = reason === undefined ? undefined : faultOf({ reason, message });
  if (reason === undefined || fault === undefined) return undefined;
  const image = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])].find(
    ({ name }) => name === status.name,
  )?.image;
  const { name } = status;
  const particulars = [lastExit(status), missingObject(message), fault.answer].filter((text) => text !== undefined);
  const where = `${reason} in container ${name ?? ""} (${image ?? ""}) of pod ${pod.metadata.name}`;
  return {
    kind: fault.kind,
    detail: [where, ...particulars].join(", "),
    ...failedPart(pod, name, message),
  };
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

/**
 * Returns the container or the image volume that failed. A container waits for its image volumes, and
 * its message then names the volume's image.
 */
function failedPart(pod: Pod, name: string | undefined, message = ""): Pick<PodFault, "containers"> {
  const volume = containersOf(pod).find(
    ({ list, image }) => list === "volumes" && image !== "" && names(message, image),
  );
  const failed = volume?.name ?? name;
  return failed === undefined ? {} : { containers: [failed] };
}

/** Returns whether a message names an image, and not an image whose name begins alike. */
function names(message: string, image: string): boolean {
  return message.split(/["'\s]/).some((word) => word.replace(/[:.,]$/, "") === image);
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
