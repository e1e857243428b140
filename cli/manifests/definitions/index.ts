import { imagePolicy } from "./image-policy.ts";
import { imageRegistry } from "./image-registry.ts";
import { customResourceDefinition, type DefinitionForm, type Schema } from "./schema.ts";
import { serviceImage } from "./service-image.ts";

/** The kinds of objects that declare updates in a cluster. */
const forms: readonly DefinitionForm[] = [imagePolicy, serviceImage, imageRegistry];

/** Returns the CustomResourceDefinitions of all kinds. */
export function definitionsOf(): readonly Schema[] {
  return forms.map(customResourceDefinition);
}
