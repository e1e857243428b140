import {
  conditionColumn,
  conditions,
  type DefinitionForm,
  instant,
  longestReference,
  object,
  observedGeneration,
  text,
  whyColumns,
} from "./schema.ts";

const tagPolicy = {
  ...object(
    {
      strategy: {
        ...{ type: "string", enum: ["SemVer", "Latest", "Regex"] },
        description:
          "SemVer: the highest version. Latest: the tag latest. Regex: the last of the matching tags in alphabetical order.",
      },
      pattern: text(128, "An expression (RE2) that whole tags match. The strategy Regex needs it."),
    },
    ["strategy"],
  ),
  "x-kubernetes-validations": [
    {
      rule: "self.strategy != 'Regex' || has(self.pattern)",
      message: "the strategy Regex needs a pattern that whole tags match",
    },
  ],
};

const updateTarget = object(
  {
    kind: { type: "string", enum: ["Deployment", "StatefulSet", "DaemonSet", "CronJob"] },
    name: text(253, "The name of the workload."),
    namespace: text(63, "The namespace of the workload: the namespace of this policy."),
  },
  ["kind", "name", "namespace"],
);

/** `ImagePolicy`: which tags of a repository a workload runs. */
export const imagePolicy: DefinitionForm = {
  kind: "ImagePolicy",
  shortNames: ["ipol"],
  about: "Declares which tags of a repository the containers of a workload run.",
  spec: object(
    {
      repository: text(longestReference, "The repository to follow, such as registry.example.com/shop/api."),
      tagPolicy,
      updateTarget,
      pollIntervalMinutes: {
        ...{ type: "integer", format: "int32", default: 60, minimum: 1, maximum: 10_080 },
        description: "The minutes between two looks for missed pushes.",
      },
    },
    ["repository", "tagPolicy", "updateTarget"],
  ),
  status: object({
    lastCheckedTime: instant("The time of the last look at the registry, written with another change."),
    lastAppliedTag: { type: "string", maxLength: 128, description: "The tag that the workload runs." },
    observedGeneration: observedGeneration(),
    conditions: conditions(["Ready", "UpToDate"]),
  }),
  columns: [
    { name: "Repository", type: "string", jsonPath: ".spec.repository" },
    { name: "Target", type: "string", jsonPath: ".spec.updateTarget.name" },
    { name: "Tag", type: "string", jsonPath: ".status.lastAppliedTag" },
    conditionColumn("Ready"),
    conditionColumn("UpToDate"),
    ...whyColumns("UpToDate"),
  ],
};
