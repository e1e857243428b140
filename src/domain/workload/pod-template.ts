import { readPullPolicy } from "./pull-policy.ts";
import { type ContainerList, type LiveContainer, volumePrefix } from "./workload.ts";

/** The lists of containers in a pod template, in the order of reading. */
export const containerLists: readonly ContainerList[] = ["containers", "initContainers", "volumes"];

/** A container of a pod template. */
interface TemplateContainer {
  readonly name: string;
  readonly image?: string | undefined;
  readonly imagePullPolicy?: unknown;
}

/** A volume of a pod template. Only an image volume has an image. */
export interface TemplateVolume {
  readonly name: string;
  readonly image?: { readonly reference?: string | undefined; readonly pullPolicy?: unknown } | null | undefined;
}

/** The part of a pod template that holds images. */
export interface ImageTemplate {
  readonly spec: {
    readonly [List in Exclude<ContainerList, "volumes">]?: readonly TemplateContainer[] | null | undefined;
  } & { readonly volumes?: readonly TemplateVolume[] | null | undefined };
}

/**
 * Returns the containers of a template, then its init containers, then its image volumes. A container
 * without an image has an empty image.
 */
export function containersOf({ spec }: ImageTemplate): readonly Omit<LiveContainer, "registry" | "imageOwner">[] {
  const lists = containerLists.map((list) =>
    list === "volumes" ? imageVolumes(spec.volumes ?? []) : (spec[list] ?? []).map((one) => [list, one] as const),
  );
  return lists.flatMap((entries) =>
    entries.flatMap((entry, index) => {
      if (entry === undefined) return [];
      const [list, { name, image = "", imagePullPolicy }] = entry;
      const pullPolicy = readPullPolicy(imagePullPolicy);
      return [{ list, index, name, image, ...(pullPolicy === undefined ? {} : { pullPolicy }) }];
    }),
  );
}

/** Returns the image volumes as containers. Other volumes keep their places. */
function imageVolumes(volumes: readonly TemplateVolume[]) {
  return volumes.map(({ name, image }) =>
    image === undefined || image === null
      ? undefined
      : ([
          "volumes",
          { name: `${volumePrefix}${name}`, image: image.reference, imagePullPolicy: image.pullPolicy },
        ] as const),
  );
}
