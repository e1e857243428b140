import { kindSpecs, type WorkloadKind } from "./kinds.ts";
import { readPullPolicy } from "./pull-policy.ts";
import type { ContainerList, LiveContainer } from "./workload.ts";

/** The lists of containers in a pod template, in the order of reading. */
export const containerLists: readonly ContainerList[] = ["containers", "initContainers"];

/** The part of an object that holds its pod template. */
export interface TemplateHolder<Template> {
  readonly spec: {
    readonly template?: Template;
    /** The place of the template in a CronJob. */
    readonly jobTemplate?: { readonly spec: { readonly template: Template } };
  };
}

/** The part of a pod template that holds images. */
export interface ImageTemplate {
  readonly spec: {
    readonly [List in ContainerList]?:
      | readonly { readonly name: string; readonly image?: string | undefined; readonly imagePullPolicy?: unknown }[]
      | null
      | undefined;
  };
}

/** Returns the pod template of an object, or undefined if the object has none. */
export function podTemplateOf<Template>(kind: WorkloadKind, { spec }: TemplateHolder<Template>): Template | undefined {
  return kindSpecs[kind].template === "spec.template" ? spec.template : spec.jobTemplate?.spec.template;
}

/**
 * Returns the containers of a template, then its init containers. A container without an image has
 * an empty image.
 */
export function containersOf({ spec }: ImageTemplate): readonly Omit<LiveContainer, "registry" | "imageOwner">[] {
  return containerLists.flatMap((list) =>
    (spec[list] ?? []).map(({ name, image = "", imagePullPolicy }, index) => {
      const pullPolicy = readPullPolicy(imagePullPolicy);
      return { list, index, name, image, ...(pullPolicy === undefined ? {} : { pullPolicy }) };
    }),
  );
}
