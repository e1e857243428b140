import { withChangedWorkloads } from "#app/shared/changed-workloads";
import type { LiveWorkload } from "#domain/workload/workload";
import type { Cluster } from "#ports/cluster";

/**
 * Returns a cluster whose containers without an image get their first one from these repositories, as with
 * `initialImages` of a kind.
 */
export function withInitialImages(cluster: Cluster, repositories: Readonly<Record<string, string>>): Cluster {
  const withRepositories = (live: LiveWorkload): LiveWorkload => ({
    ...live,
    containers: live.containers.map((container) => {
      const repository = container.image === "" ? repositories[container.name] : undefined;
      return repository === undefined ? container : { ...container, image: repository, isUnset: true };
    }),
  });
  const changed = withChangedWorkloads(cluster, { one: withRepositories, all: (live) => live.map(withRepositories) });
  return {
    ...changed,
    patch: (patch, signal) => {
      const images = patch.images.map(({ isFirst, ...image }) => (isFirst === true ? { ...image, from: "" } : image));
      return changed.patch({ ...patch, images }, signal);
    },
  };
}
