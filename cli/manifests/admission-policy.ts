import type { CustomKindSpec } from "#domain/workload/custom/kind";
import type { FieldPath } from "#domain/workload/image-places";
import { definitionKinds, definitionPlaces } from "#domain/definitions/definition";
import { statusPrefix } from "#domain/settings/settings";
import { builtInKinds, kindSpecs } from "#domain/workload/kinds";
import { attributePrefix, updateLabelKey, restartedAtKey } from "#domain/workload/workload";
import { fieldAt, fieldsKinds, isOfKind, onlyAt, otherTemplates } from "./custom-kinds-policy.ts";

/** An object for `kubectl apply`, with the lines of its comment. */
export interface ClusterManifest {
  readonly about: readonly string[];
  readonly object: Readonly<Record<string, unknown>>;
}

/** The users whose writes the policy checks, and whether they may delete pods. */
export interface PolicyOptions {
  /**
   * The user names at the API server. The name of a service account begins with
   * `system:serviceaccount:`.
   */
  readonly users: readonly string[];
  readonly groups: readonly string[];
  readonly deletePods: boolean;
  /** Whether they may write the status of the objects that declare updates. */
  readonly definitions: boolean;
  /** The service accounts that may create tokens for themselves. */
  readonly renewing: readonly { readonly namespace: string; readonly name: string }[];
  /** The kinds of other operators in `lookout.yaml`. */
  readonly kinds: readonly CustomKindSpec[];
}

/** The name of the policy in the cluster and in the messages of denied writes. */
export const policyName = "lookout-images-only";

/**
 * Returns the policy that limits Lookout's writes to images, restarts, its labels and its status
 * annotations. A denied write gets 403 Forbidden with the broken rule. Writes of other users are
 * not checked.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/
 */
export function admissionPolicy(options: PolicyOptions): readonly ClusterManifest[] {
  const apiVersion = "admissionregistration.k8s.io/v1";
  const metadata = { name: policyName };
  return [
    {
      about: [
        "RBAC can't limit writes to fields. This policy denies every write of Lookout, except to images in the same repository,",
        `to the restart annotation, to the label ${updateLabelKey}, to labels ${attributePrefix}* of pods and to annotations ${statusPrefix}*.`,
        ...(options.definitions ? [`It also allows the status of ${listed(definitionKinds)}.`] : []),
        "Other users are not limited.",
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
          variables: variables(options.kinds),
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

/** The CEL variables that the rules compare: `object` after the write, `oldObject` before it. */
const compared = {
  metadata: (object) => `${object}.metadata`,
  labels: (object) => `${object}.metadata.?labels.orValue({})`,
  annotations: (object) => `${object}.metadata.?annotations.orValue({})`,
  spec: (object) => `${object}.spec`,
  jobTemplate: (object) => `variables.isCronJob ? ${object}.spec.jobTemplate : {}`,
  jobSpec: (object) => `variables.isCronJob ? ${object}.spec.jobTemplate.spec : {}`,
  template: (object) => `variables.isCronJob ? ${object}.spec.jobTemplate.spec.template : ${object}.spec.template`,
  podMetadata: (_, template) => `${template}.?metadata.orValue({})`,
  podLabels: (_, template) => `${template}.?metadata.?labels.orValue({})`,
  podAnnotations: (_, template) => `${template}.?metadata.?annotations.orValue({})`,
  podSpec: (_, template) => `${template}.spec`,
  containers: (_, template) => `${template}.spec.containers`,
  initContainers: (_, template) => `${template}.spec.?initContainers.orValue([])`,
  volumes: (_, template) => `${template}.spec.?volumes.orValue([])`,
} as const satisfies Record<string, (object: string, template: string) => string>;

type Compared = keyof typeof compared;

/** Returns the variable's name for the old object: `oldLabels` for `labels`. */
function old(name: Compared): string {
  return `old${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

function variables(kinds: readonly CustomKindSpec[]): readonly object[] {
  const resources = [...workloads, ...kinds.map(({ group, plural }) => [group, plural])];
  const fields = fieldsKinds(kinds);
  const isUpdate = [
    "request.operation == 'UPDATE'",
    // The subresource is absent for a write to the object itself.
    "request.?subResource.orValue('') == ''",
    `[request.resource.group, request.resource.resource] in ${JSON.stringify(resources)}`,
  ];
  return [
    { name: "isUpdate", expression: all(isUpdate) },
    { name: "isCronJob", expression: `request.resource.resource in ${JSON.stringify(cronJobs)}` },
    ...(fields.length === 0
      ? []
      : [{ name: "hasNoTemplate", expression: fields.map(({ spec }) => `(${isOfKind(spec)})`).join(" || ") }]),
    ...Object.entries(compared).flatMap(([name, expression]) => {
      const of = (object: string, template: string): string =>
        name === "template" ? templateOf(kinds, object, expression(object, template)) : expression(object, template);
      return [
        { name, expression: of("object", "variables.template") },
        { name: old(name as Compared), expression: of("oldObject", `variables.${old("template")}`) },
      ];
    }),
  ];
}

/** Returns the CEL expression of an object's pod template. */
function templateOf(kinds: readonly CustomKindSpec[], object: string, usual: string): string {
  return otherTemplates(kinds).reduceRight(
    (otherwise, { spec, path }) => `(${isOfKind(spec)}) ? ${fieldAt(object, path)} : (${otherwise})`,
    usual,
  );
}

const specs = Object.values(kindSpecs);
const workloads = specs.map(({ group, plural }) => [group, plural]);
/** The kinds with a template of Jobs. */
const cronJobs = specs
  .filter(({ template }) => template === "spec.jobTemplate.spec.template")
  .map(({ plural }) => plural);
/** The kinds whose broken pods Lookout may delete. */
const ordered = builtInKinds.filter((kind) => kindSpecs[kind].rollout === "in-order");

/** What follows the repository of an image. */
const tagAndDigest = "^(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127})?(@sha(256|384|512):[a-f0-9]{64,128})?$";

/** A rule of a patch: the sentence for the user, and the condition in CEL. */
type PatchRule = readonly [message: string, expression: string];

/** Returns the rules about the metadata of a patched object. */
function metadataRules(kinds: readonly CustomKindSpec[]): readonly PatchRule[] {
  const others = [
    // The API server writes this annotation for each template of a DaemonSet.
    "deprecated.daemonset.template.generation",
    ...kinds.flatMap(({ annotationsOfOperator }) => annotationsOfOperator),
  ];
  const mayDiffer = [`k.startsWith('${statusPrefix}')`, ...others.map((key) => `k == '${key}'`)].join(" || ");
  return [
    [`Lookout may change only the label ${updateLabelKey}`, unchangedBut("labels", `k == '${updateLabelKey}'`)],
    [`Lookout may change only the annotations ${statusPrefix}*`, unchangedBut("annotations", mayDiffer)],
    [
      "Lookout must not change owners, finalizers or other metadata",
      // The API server writes the last three keys with every change.
      unchangedBut("metadata", "k in ['labels', 'annotations', 'generation', 'resourceVersion', 'managedFields']"),
    ],
  ];
}

/** Returns the CEL condition that nothing of the spec differs except the pod template. */
function onlyTemplate(kinds: readonly CustomKindSpec[]): string {
  const usual = all([
    unchangedBut("spec", "k in ['template', 'jobTemplate']"),
    unchangedBut("jobTemplate", "k == 'spec'"),
    unchangedBut("jobSpec", "k == 'template'"),
  ]);
  return otherTemplates(kinds).reduceRight(
    (otherwise, { spec, path }) =>
      `(${isOfKind(spec)}) ? (${onlyAt([path], sameBut, () => undefined)}) : (${otherwise})`,
    usual,
  );
}

/** The rules of a pod template. */
const templateRules: readonly PatchRule[] = [
  [
    `Lookout may change only the annotation ${restartedAtKey} and the labels ${attributePrefix}* of the pod template`,
    all([
      unchangedBut("podMetadata", "k in ['annotations', 'labels']"),
      unchangedBut("podLabels", `k.startsWith('${attributePrefix}')`),
      unchangedBut("podAnnotations", `k == '${restartedAtKey}'`),
    ]),
  ],
  [
    "Lookout may change only the images in the pod template",
    unchangedBut("podSpec", "k in ['containers', 'initContainers', 'volumes']"),
  ],
  [
    "Lookout may change only the tag and digest of a container's image, and must not add, remove, rename or move containers",
    all([eachContainer("containers"), eachContainer("initContainers")]),
  ],
  [
    "Lookout may change only the tag and digest of a volume's image",
    eachNamed("volumes", [
      sameBut("b", "a", "k == 'image'"),
      sameBut("b.?image.orValue({})", "a.?image.orValue({})", "k == 'reference'"),
      sameRepository("b.?image.?reference.orValue('')", "a.?image.?reference.orValue('')"),
    ]),
  ],
];

/** Returns the rules of the kinds with single images. */
function fieldRules(kinds: readonly CustomKindSpec[]): readonly PatchRule[] {
  return fieldsKinds(kinds).map(({ spec, paths, repositoriesAt }) => {
    const leaf = (before: string, after: string, path: FieldPath): string =>
      sameOrFirst(before, after, repositoriesAt(path));
    return [
      `Lookout may change only the tag and digest of the images of a ${spec.kind}`,
      `!(${isOfKind(spec)}) || (\n${onlyAt(paths, sameBut, leaf)})`,
    ];
  });
}

function validationsOf({ deletePods, definitions, renewing, kinds }: PolicyOptions): readonly object[] {
  const patched = [listed(builtInKinds), ...kinds.map(({ plural, group }) => `${plural}.${group}`)].join(", ");
  const allowed: readonly (readonly [action: string, expression: string])[] = [
    [`patch ${patched}`, "variables.isUpdate"],
    ...(deletePods ? [[`delete pods of ${listed(ordered)}`, `(${deletesPod})`] as const] : []),
    ...(definitions ? [[`patch the status of ${listed(definitionKinds)}`, `(${writesStatus})`] as const] : []),
    ...(renewing.length > 0 ? [["renew its own token", `(${renewsToken(renewing)})`] as const] : []),
  ];
  const message = `Lookout may only ${allowed.map(([action]) => action).join(", and ")}`;
  const expression = allowed.map(([, holds]) => holds).join(" || ");
  const ofFields = fieldRules(kinds);
  const guarded = (rules: readonly PatchRule[], guard: string): readonly object[] =>
    rules.map(([sentence, holds]) => ({
      reason: "Forbidden",
      message: sentence,
      expression: `${guard} || (\n${holds})`,
    }));
  const ofTemplates: readonly PatchRule[] = [
    ["Lookout may change only the pod template of a workload", onlyTemplate(kinds)],
    ...templateRules,
  ];
  return [
    { reason: "Forbidden", message, expression },
    ...guarded(metadataRules(kinds), "!variables.isUpdate"),
    ...guarded(ofTemplates, `!variables.isUpdate${ofFields.length === 0 ? "" : " || variables.hasNoTemplate"}`),
    ...guarded(ofFields, "!variables.isUpdate"),
  ];
}

/** Returns the plurals of kinds as text: `Deployments, StatefulSets and CronJobs`. */
function listed(kinds: readonly string[]): string {
  const plurals = kinds.map((kind) => `${kind}s`.replace(/ys$/, "ies"));
  const last = plurals.pop() ?? "";
  return plurals.length === 0 ? last : `${plurals.join(", ")} and ${last}`;
}

const deletesPod = all([
  "request.operation == 'DELETE'",
  "request.?subResource.orValue('') == ''",
  "[request.resource.group, request.resource.resource] == ['', 'pods']",
  `oldObject.metadata.?ownerReferences.orValue([]).exists(o, o.?controller.orValue(false) && o.kind in ${JSON.stringify(ordered)})`,
]);

/** A write to the subresource changes the status alone: the API server drops all other changes. */
const writesStatus = all([
  "request.operation == 'UPDATE'",
  "request.?subResource.orValue('') == 'status'",
  `[request.resource.group, request.resource.resource] in ${JSON.stringify(Object.values(definitionPlaces).map(({ group, plural }) => [group, plural]))}`,
]);

/** Returns the CEL condition that a service account creates a token for itself. */
function renewsToken(accounts: PolicyOptions["renewing"]): string {
  return all([
    "request.operation == 'CREATE'",
    "[request.resource.group, request.resource.resource] == ['', 'serviceaccounts']",
    "request.?subResource.orValue('') == 'token'",
    `[request.namespace, request.name] in ${JSON.stringify(accounts.map(({ namespace, name }) => [namespace, name]))}`,
    "request.userInfo.username == 'system:serviceaccount:' + request.namespace + ':' + request.name",
  ]);
}

function all(conditions: readonly string[]): string {
  return conditions.join(" &&\n");
}

/** Returns the CEL condition that a map is unchanged, except for keys `k` that may differ. */
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

/**
 * Returns the CEL condition that a list keeps its names and their order. The conditions hold for
 * each item: `b` before, `a` after.
 */
function eachNamed(list: Compared, conditions: readonly string[]): string {
  const now = `variables.${list}`;
  const was = `variables.${old(list)}`;
  return all([
    `${now}.map(a, a.name) == ${was}.map(b, b.name)`,
    `${now}.all(a, ${was}.exists(b, a.name == b.name &&\n${all(conditions)}))`,
  ]);
}

/**
 * Returns the CEL condition that two images have the same repository, or that the first image has one
 * of these repositories.
 */
function sameOrFirst(before: string, after: string, repositories: readonly string[]): string {
  const firsts = repositories.map((repository) => {
    const text = JSON.stringify(repository);
    return `(${before} == '' && ${after}.startsWith(${text}) && ${after}.substring(size(${text})).matches('${tagAndDigest}'))`;
  });
  if (firsts.length === 0) return sameRepository(before, after);
  return `(${[`(${sameRepository(before, after)})`, ...firsts].join(" ||\n")})`;
}

/**
 * Returns the CEL condition that two images have the same repository. Tags and digests may differ.
 */
function sameRepository(before: string, after: string): string {
  const repository = `${before}.find('^([^/@]+/)?[^:@]+')`;
  return all([
    `${after}.startsWith(${repository})`,
    `${after}.substring(size(${repository})).matches('${tagAndDigest}')`,
  ]);
}
