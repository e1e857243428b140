import {
  conditionColumn,
  conditions,
  type DefinitionForm,
  listByKey,
  longestReference,
  object,
  observedGeneration,
  type Schema,
  whyColumns,
} from "./schema.ts";

/** The most tiers, as in `tiers` of lookout.yaml. */
const mostTiers = 20;

function tierName(): Schema {
  return { type: "string", maxLength: 63, description: "The value of the label upgrade-tier; empty: all others." };
}

function image(description: string): Schema {
  return { type: "string", maxLength: longestReference, description };
}

function priority(): Schema {
  return { type: "integer", format: "int32" };
}

const tier = object({
  upgradeTier: { ...tierName(), default: "" },
  image: image("The image of the tier, with a tag and without a digest. Default: defaultImage."),
  priority: { ...priority(), default: 0, description: "A tier with a higher number gets its image earlier." },
});

const tierStatus = object(
  {
    upgradeTier: tierName(),
    newDeploymentImage: image("The image for new objects of the tier."),
    conditions: conditions(["Complete", "InProgress"]),
  },
  ["upgradeTier"],
);

/** `ServiceImage`: the image of a service, tier by tier. */
export const serviceImage: DefinitionForm = {
  kind: "ServiceImage",
  shortNames: [],
  about: "Declares the image of a service, and the tiers in whose order its workloads get it.",
  spec: {
    ...object({
      defaultImage: image("The image of the tiers without their own, with a tag and without a digest."),
      tiers: {
        ...listByKey("upgradeTier", mostTiers, tier),
        description: "The tiers: a higher priority gets its image first. Default: all workloads are in one.",
      },
    }),
    "x-kubernetes-validations": [
      {
        rule: "(has(self.defaultImage) && self.defaultImage != '') || (has(self.tiers) && self.tiers.size() > 0 && self.tiers.all(t, has(t.image) && t.image != ''))",
        message: "write defaultImage, or an image into each tier",
      },
    ],
  },
  status: object({
    observedGeneration: observedGeneration(),
    currentPriority: { ...priority(), description: "The priority of the tiers that get their image now." },
    conditions: conditions(["Complete", "InProgress", "UpToDate"]),
    tierStatus: {
      ...listByKey("upgradeTier", mostTiers, tierStatus),
      description: "How each tier stands.",
    },
  }),
  columns: [
    { name: "Image", type: "string", jsonPath: ".spec.defaultImage" },
    { name: "Priority", type: "integer", jsonPath: ".status.currentPriority" },
    conditionColumn("InProgress"),
    conditionColumn("Complete"),
    ...whyColumns("Complete"),
  ],
};
