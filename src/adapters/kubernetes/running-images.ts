import type { RunningImages } from "#domain/workload/health";
import { type LiveWorkload, volumePrefix } from "#domain/workload/workload";
import { containerStatuses } from "./fault.ts";
import type { ContainerStatus, Pod } from "./objects.ts";

/**
 * Returns the digests that started pods report, sorted, for each container of a workload. The
 * result omits image IDs without a repository, because they identify a configuration and not a
 * manifest.
 */
export function runningImages(live: LiveWorkload, pods: readonly Pod[]): RunningImages {
  const started = pods.filter((pod) => pod.status?.phase === "Running" || pod.status?.phase === "Succeeded");
  const statuses = started.flatMap(containerStatuses);
  const entries = live.containers.map(({ name }) => {
    const digests = statuses
      .flatMap((status) => imageIdsIn(status, name))
      .flatMap((imageID) => /@(sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$/.exec(imageID)?.[1] ?? []);
    return [name, [...new Set(digests)].sort()] as const;
  });
  return Object.fromEntries(entries.filter(([, digests]) => digests.length > 0));
}

/**
 * Returns the images that a status reports for a container, or for an image volume. Kubernetes reports
 * image volumes only with the feature gate ImageVolumeWithDigest.
 */
function imageIdsIn({ name: container, imageID, volumeMounts = [] }: ContainerStatus, name: string): readonly string[] {
  if (!name.startsWith(volumePrefix)) return container === name && imageID !== undefined ? [imageID] : [];
  return volumeMounts.flatMap((mount) => {
    const { volumeStatus } = mount as { readonly volumeStatus?: { readonly image?: { readonly imageRef?: string } } };
    const reference = `${volumePrefix}${mount.name ?? ""}` === name ? volumeStatus?.image?.imageRef : undefined;
    return reference === undefined ? [] : [reference];
  });
}
