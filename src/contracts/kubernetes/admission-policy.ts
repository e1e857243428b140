import { statusPrefix } from "#domain/settings/settings";
import { updateLabelKey, restartedAtKey } from "#domain/workload/workload";

/** An object for `kubectl apply`, and what it is for, line by line. */
export interface ClusterManifest {
  readonly about: readonly string[];
  readonly object: Readonly<Record<string, unknown>>;
}

/** Whose writes the policy judges, and what it allows beside images. */
export interface PolicyOptions {
  /** User names as the API server knows them; a service account's begins with `system:serviceaccount:`. */
  readonly users: readonly string[];
  readonly groups: readonly string[];
  /** True: pods of StatefulSets may be deleted. */
  readonly deletePods: boolean;
}

/** What the policy is called in the cluster, and in the message of a write that it denies. */
export const policyName = "lookout-images-only";

/**
 * Writes the policy that holds Lookout's writes to what it is for, because a role can't see fields: the images of workloads under
 * their repositories, a restart, and Lookout's own label and status annotations. Other people's writes are not judged.
 *
 * Every denial is `403 Forbidden` with the sentence of the rule that was broken. What can't be judged is denied.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/
 */
export function admissionPolicy(options: PolicyOptions): readonly ClusterManifest[] {
  const [apiVersion, metadata] = ["admissionregistration.k8s.io/v1", { name: policyName }];
  return [
    {
      about: [
        "A role can't see fields. This policy denies every write of Lookout but those to images (under the repository that they have),",
        `to the restart annotation, to the label ${updateLabelKey} and to annotations ${statusPrefix}*. Nobody else is judged by it.`,
      ],
      object: {
        apiVersion,
        kind: "ValidatingAdmissionPolicy",
        metadata,
        spec: {
          failurePolicy: "Fail",
          matchConstraints: {
            resourceRules: [{ apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*/*"] }],
          },
          matchConditions: [{ name: "by-lookout", expression: byLookout(options) }],
          variables: variables(),
          validations: [...validationsOf(options)],
        },
      },
    },
    {
      about: [],
      object: {
        apiVersion,
        kind: "ValidatingAdmissionPolicyBinding",
        metadata,
        spec: { policyName, validationActions: ["Deny"] },
      },
    },
  ];
}

function byLookout({ users, groups }: PolicyOptions): string {
  const isUser = `request.userInfo.username in ${JSON.stringify(users)}`;
  const isMember = `request.userInfo.?groups.orValue([]).exists(g, g in ${JSON.stringify(groups)})`;
  return [...(users.length > 0 ? [isUser] : []), ...(groups.length > 0 ? [isMember] : [])].join(" || ");
}

/** What is compared, as CEL: of `object`, which the write would leave, and of `oldObject`, which stands, with their pod templates. */
const compared = {
  metadata: (object) => `${object}.metadata`,
  labels: (object) => `${object}.metadata.?labels.orValue({})`,
  annotations: (object) => `${object}.metadata.?annotations.orValue({})`,
  spec: (object) => `${object}.spec`,
  jobTemplate: (object) => `variables.isCronJob ? ${object}.spec.jobTemplate : {}`,
  jobSpec: (object) => `variables.isCronJob ? ${object}.spec.jobTemplate.spec : {}`,
  template: (object) => `variables.isCronJob ? ${object}.spec.jobTemplate.spec.template : ${object}.spec.template`,
  podMetadata: (_, template) => `${template}.?metadata.orValue({})`,
  podAnnotations: (_, template) => `${template}.?metadata.?annotations.orValue({})`,
  podSpec: (_, template) => `${template}.spec`,
  containers: (_, template) => `${template}.spec.containers`,
  initContainers: (_, template) => `${template}.spec.?initContainers.orValue([])`,
  volumes: (_, template) => `${template}.spec.?volumes.orValue([])`,
} as const satisfies Record<string, (object: string, template: string) => string>;

type Compared = keyof typeof compared;

/** The variable of what stands: `oldLabels` beside `labels`. */
function old(name: Compared): string {
  return `old${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

function variables(): readonly object[] {
  const isUpdate = [
    "request.operation == 'UPDATE'",
    // It is absent where there is none.
    "request.?subResource.orValue('') == ''",
    `[request.resource.group, request.resource.resource] in ${JSON.stringify(workloads)}`,
  ];
  return [
    { name: "isUpdate", expression: all(isUpdate) },
    { name: "isCronJob", expression: "request.resource.resource == 'cronjobs'" },
    ...Object.entries(compared).flatMap(([name, expression]) => [
      { name, expression: expression("object", "variables.template") },
      { name: old(name as Compared), expression: expression("oldObject", `variables.${old("template")}`) },
    ]),
  ];
}

const workloads = [
  ["apps", "deployments"],
  ["apps", "statefulsets"],
  ["apps", "daemonsets"],
  ["batch", "cronjobs"],
];

/** What a patch of Lookout must leave as it is: a sentence for people, and what must be true. */
const rules: readonly (readonly [message: string, expression: string])[] = [
  [`Lookout may change no label but ${updateLabelKey}`, unchangedBut("labels", `k == '${updateLabelKey}'`)],
  [
    `Lookout may change no annotation but ${statusPrefix}*`,
    // The API server itself counts there the templates of a DaemonSet.
    unchangedBut("annotations", `k.startsWith('${statusPrefix}') || k == 'deprecated.daemonset.template.generation'`),
  ],
  [
    "Lookout may change no owner, finalizer or other metadata",
    // The API server writes the last three with every change.
    unchangedBut("metadata", "k in ['labels', 'annotations', 'generation', 'resourceVersion', 'managedFields']"),
  ],
  [
    "Lookout may change nothing of a workload but its pod template",
    all([
      unchangedBut("spec", "k in ['template', 'jobTemplate']"),
      unchangedBut("jobTemplate", "k == 'spec'"),
      unchangedBut("jobSpec", "k == 'template'"),
    ]),
  ],
  [
    `Lookout may change no label of the pods, and no annotation but ${restartedAtKey}`,
    all([
      unchangedBut("podMetadata", "k == 'annotations'"),
      unchangedBut("podAnnotations", `k == '${restartedAtKey}'`),
    ]),
  ],
  [
    "Lookout may change nothing of the pods but their images",
    unchangedBut("podSpec", "k in ['containers', 'initContainers', 'volumes']"),
  ],
  [
    "Lookout may add, remove, rename or move no container, and change nothing of it but the tag and digest of its image",
    all([eachContainer("containers"), eachContainer("initContainers")]),
  ],
  [
    "Lookout may change no volume but the tag and digest of its image",
    eachNamed("volumes", [
      sameBut("b", "a", "k == 'image'"),
      sameBut("b.?image.orValue({})", "a.?image.orValue({})", "k == 'reference'"),
      sameRepository("b.?image.?reference.orValue('')", "a.?image.?reference.orValue('')"),
    ]),
  ],
];

function validationsOf({ deletePods }: PolicyOptions): readonly object[] {
  const patches = "Lookout may only patch Deployments, StatefulSets, DaemonSets and CronJobs";
  const [message, expression] = deletePods
    ? [`${patches}, and delete pods of StatefulSets`, `variables.isUpdate || (${podOfStatefulSet})`]
    : [patches, "variables.isUpdate"];
  return [
    { reason: "Forbidden", message, expression },
    ...rules.map(([sentence, holds]) => ({
      reason: "Forbidden",
      message: sentence,
      expression: `!variables.isUpdate || (\n${holds})`,
    })),
  ];
}

const podOfStatefulSet = all([
  "request.operation == 'DELETE'",
  "request.?subResource.orValue('') == ''",
  "[request.resource.group, request.resource.resource] == ['', 'pods']",
  "oldObject.metadata.?ownerReferences.orValue([]).exists(o, o.?controller.orValue(false) && o.kind == 'StatefulSet')",
]);

function all(conditions: readonly string[]): string {
  return conditions.join(" &&\n");
}

/** CEL: a map of the object is as it was, but for keys `k` of which a condition is true. */
function unchangedBut(name: Compared, mayDiffer: string): string {
  return sameBut(`variables.${old(name)}`, `variables.${name}`, mayDiffer);
}

function sameBut(before: string, after: string, mayDiffer: string): string {
  return all([
    `${after}.all(k, ${mayDiffer} || (k in ${before} && ${after}[k] == ${before}[k]))`,
    `${before}.all(k, ${mayDiffer} || k in ${after})`,
  ]);
}

function eachContainer(list: "containers" | "initContainers"): string {
  return eachNamed(list, [sameBut("b", "a", "k == 'image'"), sameRepository("b.image", "a.image")]);
}

/** CEL: a list has the same names in the same order, and of each `a` that was `b` the conditions are true. */
function eachNamed(list: Compared, conditions: readonly string[]): string {
  const [now, was] = [`variables.${list}`, `variables.${old(list)}`];
  return all([
    `${now}.map(a, a.name) == ${was}.map(b, b.name)`,
    `${now}.all(a, ${was}.exists(b, a.name == b.name &&\n${all(conditions)}))`,
  ]);
}

/**
 * CEL: an image is of the same repository, spelled the same, and what comes after that is a tag, a digest, both or nothing.
 *
 * A reference has one joint of each sort: a tag's colon is after the last slash, and `@` is only before the digest.
 */
function sameRepository(before: string, after: string): string {
  const repository = `${before}.find('^([^/@]+/)?[^:@]+')`;
  const rest = "^(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(@sha(256|384|512):[a-f0-9]{64,128})?$";
  return all([`${after}.startsWith(${repository})`, `${after}.substring(size(${repository})).matches('${rest}')`]);
}
