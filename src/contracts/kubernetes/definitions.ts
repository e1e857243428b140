import { type ClusterRule, ruleOf } from "./access.ts";

/** The place of a kind in the Kubernetes API. */
export interface DefinitionPlace {
  readonly group: string;
  readonly plural: string;
}

/** The kinds of objects that declare updates in a cluster. */
export const definitionKinds = ["ImagePolicy", "ServiceImage", "ImageRegistry"] as const;
/** One of {@link definitionKinds}. */
export type DefinitionKind = (typeof definitionKinds)[number];

/** The places of the kinds in the Kubernetes API. */
export const definitionPlaces: Readonly<Record<DefinitionKind, DefinitionPlace>> = {
  ImagePolicy: { group: "operator.technomad.dev", plural: "imagepolicies" },
  ServiceImage: { group: "services.azurehealthcareapis.com", plural: "serviceimages" },
  ImageRegistry: { group: "registry.lookout.dev", plural: "imageregistries" },
};

/** The version of each kind. */
export const definitionVersion = "v1alpha1";

/** Returns the rights that reading the objects of a kind needs, and writing their status. */
export function definitionRules(kind: DefinitionKind): readonly ClusterRule[] {
  const { group, plural } = definitionPlaces[kind];
  return [ruleOf(group, [plural], ["get", "list", "watch"]), ruleOf(group, [`${plural}/status`], ["patch"])];
}
