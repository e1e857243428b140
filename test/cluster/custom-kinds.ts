import type { CustomKindSpec } from "#domain/workload/custom/kind";
import type { ControlPlane } from "./bed/control-plane.ts";
import { until } from "./bed/until.ts";

/** Returns the definition of a kind that takes any object, with a status that only its operator writes. */
export function definitionOf({
  group,
  version,
  plural,
  kind,
}: Pick<CustomKindSpec, "group" | "version" | "plural" | "kind">): object {
  const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const openAPIV3Schema = { type: "object", properties: { spec: anything, status: anything } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural, kind, listKind: `${kind}List` },
      versions: [
        { name: version, served: true, storage: true, subresources: { status: {} }, schema: { openAPIV3Schema } },
      ],
    },
  };
}

/** Waits until the API server serves a kind. */
export async function untilServed(
  plane: ControlPlane,
  { plural, group }: Pick<CustomKindSpec, "plural" | "group">,
): Promise<void> {
  const resource = `${plural}.${group}`;
  await until(`${resource} is served`, async () => {
    await plane.kubectl("get", resource);
    return true;
  });
}
