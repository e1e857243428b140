import { type DefinitionKind, definitionPlaces } from "#domain/definitions/definition";

/** A part of an OpenAPI schema of a CustomResourceDefinition. */
export type Schema = Readonly<Record<string, unknown>>;

/** A column of `kubectl get`. */
export interface Column {
  readonly name: string;
  readonly type: "string" | "integer" | "date";
  readonly jsonPath: string;
  readonly priority?: 1;
}

/** The parts in which the kinds differ. */
export interface DefinitionForm {
  readonly kind: DefinitionKind;
  readonly shortNames: readonly string[];
  /** One line for `kubectl explain`. */
  readonly about: string;
  readonly spec: Schema;
  readonly status: Schema;
  readonly columns: readonly Column[];
}

/** Returns the CustomResourceDefinition of a kind. Its status is a subresource. */
export function customResourceDefinition(form: DefinitionForm): Schema {
  const { kind, shortNames, about, spec, status, columns } = form;
  const { group, version, plural } = definitionPlaces[kind];
  const text = (description: string): Schema => ({ type: "string", description });
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: {
        ...{ kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
        ...(shortNames.length > 0 && { shortNames }),
        categories: ["lookout"],
      },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: [
            ...columns,
            { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
          ],
          schema: {
            openAPIV3Schema: {
              ...object(
                {
                  apiVersion: text("The group and the version of the kind."),
                  kind: text(kind),
                  metadata: { type: "object" },
                  spec,
                  status,
                },
                ["spec"],
              ),
              description: about,
            },
          },
        },
      ],
    },
  };
}

/** Returns the schema of an object. */
export function object(properties: Readonly<Record<string, Schema>>, required: readonly string[] = []): Schema {
  return { type: "object", ...(required.length > 0 && { required }), properties };
}

/** Returns the schema of a text that is not empty. */
export function text(maxLength: number, description: string): Schema {
  return { type: "string", minLength: 1, maxLength, description };
}

/** Returns the schema of an instant. */
export function instant(description: string): Schema {
  return { type: "string", format: "date-time", description };
}

/** Returns the schema of a list whose items have different values of a key. */
export function listByKey(key: string, maxItems: number, items: Schema): Schema {
  return { type: "array", maxItems, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": [key], items };
}

/** Returns the schema of the generation that a status is about. */
export function observedGeneration(): Schema {
  return {
    ...{ type: "integer", format: "int64", minimum: 0 },
    description: "The generation of the spec that this status is about.",
  };
}

/** Returns the column with the status of a condition. */
export function conditionColumn(type: string): Column {
  return { name: type, type: "string", jsonPath: `.status.conditions[?(@.type=="${type}")].status` };
}

/** Returns the columns with the reason of a condition, and with its message for `-o wide`. */
export function whyColumns(type: string): readonly Column[] {
  const path = `.status.conditions[?(@.type=="${type}")]`;
  return [
    { name: "Reason", type: "string", jsonPath: `${path}.reason` },
    { name: "Message", type: "string", jsonPath: `${path}.message`, priority: 1 },
  ];
}

/**
 * Returns the schema of conditions, in the form of `metav1.Condition`. A condition of an earlier
 * controller may have no reason, and `lastUpdateTime`.
 *
 * @param types - the types that Lookout writes, for `kubectl explain`.
 */
export function conditions(types: readonly string[]): Schema {
  const condition = object(
    {
      type: text(316, "The type of the condition."),
      status: { type: "string", enum: ["True", "False", "Unknown"] },
      reason: { type: "string", maxLength: 1_024, description: "The reason of the status, in one word." },
      message: { type: "string", maxLength: 32_768, description: "What happened, and what to do next." },
      lastTransitionTime: instant("The time at which the status changed."),
      lastUpdateTime: instant("The time of the last write, by an earlier controller."),
      observedGeneration: observedGeneration(),
    },
    ["type", "status"],
  );
  return { ...listByKey("type", 16, condition), description: `Conditions for kubectl wait: ${types.join(", ")}.` };
}

/** The most characters of an image reference: its host, path, tag and digest. */
export const longestReference = 1_024;
