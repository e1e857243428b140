import { updateLabelKey } from "#domain/workload/workload";
import type { ControlPlane } from "./bed/control-plane.ts";

/** A Deployment from the API server. */
export interface ShownDeployment {
  readonly name: string;
  /** The image of the first container. */
  readonly image: string;
  readonly generation: number;
  /** The number of the update in Lookout's label. 0: no label. */
  readonly update: number;
}

interface Item {
  readonly metadata: {
    readonly name: string;
    readonly generation: number;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec: {
    readonly template: { readonly spec: { readonly containers: readonly { readonly image: string }[] } };
  };
}

/** Lists the Deployments of the namespace `default`, sorted by name. */
export async function shownDeployments(plane: ControlPlane): Promise<readonly ShownDeployment[]> {
  const { items } = JSON.parse(await plane.kubectl("get", "deployments", "-o", "json")) as {
    readonly items: readonly Item[];
  };
  return items.map(({ metadata: { name, generation, labels }, spec }) => ({
    name,
    image: spec.template.spec.containers[0]?.image ?? "",
    generation,
    update: Number(labels?.[updateLabelKey]?.split("-")[1] ?? 0),
  }));
}
