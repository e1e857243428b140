import { type ClusterRule, ruleOf } from "#contracts/kubernetes/access";
import { imagePolicy } from "./image-policy.ts";
import { imageRegistry } from "./image-registry.ts";
import { customResourceDefinition, type DefinitionForm, type Schema } from "./schema.ts";
import { serviceImage } from "./service-image.ts";

/** The kinds of objects that declare updates in a cluster. */
export const definitionForms: readonly DefinitionForm[] = [imagePolicy, serviceImage, imageRegistry];

/** Returns the CustomResourceDefinitions of all kinds. */
export function definitionsOf(): readonly Schema[] {
  return definitionForms.map(customResourceDefinition);
}

/** The rights that Lookout needs to read the objects, and to write their status. */
export const definitionRules: readonly ClusterRule[] = definitionForms.flatMap(({ group, plural }) => [
  ruleOf(group, [plural], ["get", "list", "watch"]),
  ruleOf(group, [`${plural}/status`], ["patch"]),
]);
