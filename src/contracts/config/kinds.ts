import * as z from "zod";
import { parseImageReference } from "#domain/image/reference";
import { didYouMean, nearest } from "#domain/shared/nearest";
import { type CustomKindSpec, nameOf, type PodsRule } from "#domain/workload/custom/kind";
import { type ReadyKind, readyKindNames, readyKinds } from "#domain/workload/custom/ready-rows";
import type { Scalar, Statement } from "#domain/workload/custom/statement";
import type { FieldPath } from "#domain/workload/image-places";
import { builtInKinds, kindSpecs } from "#domain/workload/kinds";
import { besideOtherFaults, kubernetesName, partsOf } from "./fields.ts";

/** The most kinds. Each costs a request of each sync. */
const mostKinds = 20;

/** Returns the schema of a path of fields below some parts of an object. */
function fieldPath(...parts: readonly string[]) {
  const expected = `the path of a field, such as ${parts[0] ?? "spec"}.image; it begins with ${parts.map((part) => `${part}.`).join(" or ")}`;
  return z
    .string(expected)
    .max(200, expected)
    .regex(new RegExp(`^(?:${parts.join("|")})(?:\\.[A-Za-z_][A-Za-z0-9_-]{0,62}){1,10}$`), expected)
    .transform((path): FieldPath => path.split("."));
}

const anyField = fieldPath("spec", "status", "metadata");
const aWord = "a word of letters, digits and dashes";
const word = z.string(aWord).regex(/^[A-Za-z][A-Za-z0-9_-]{0,100}$/, aWord);
const aLabel = "the key of a label, such as app.example.com/revision";
const label = z
  .string(aLabel)
  .max(317, aLabel)
  .regex(/^(?:[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/, aLabel);

const aStatement = "a condition, or a path with is or equals";
const scalar = z.union([z.string(), z.number(), z.boolean()], "a text, a number, true or false");

const StatementSchema = z
  .strictObject(
    {
      condition: word.exactOptional().describe("The type of a condition of status.conditions."),
      status: z
        .enum(["True", "False", "Unknown"], '"True", "False" or "Unknown", in quotes')
        .exactOptional()
        .describe('The status of the condition. Default: "True".'),
      reason: word.exactOptional().describe("The reason of the condition. Default: any reason."),
      path: anyField.exactOptional().describe("The path of a field."),
      is: z
        .union([scalar, z.array(scalar).min(1).readonly()], "a value, or a list of values")
        .exactOptional()
        .describe("The value of the field, or a list of its values."),
      equals: anyField.exactOptional().describe("The path of another field with the same value."),
    },
    aStatement,
  )
  .transform((written, context): Statement => {
    const statement = conditionIn(written) ?? fieldIn(written);
    if (statement !== undefined) return statement;
    context.addIssue({ code: "custom", message: `expected ${aStatement}` });
    return z.NEVER;
  });

interface WrittenStatement {
  readonly condition?: string;
  readonly status?: string;
  readonly reason?: string;
  readonly path?: FieldPath;
  readonly is?: Scalar | readonly Scalar[];
  readonly equals?: FieldPath;
}

function conditionIn({ condition, status, reason, ...field }: WrittenStatement): Statement | undefined {
  if (condition === undefined || Object.keys(field).length > 0) return undefined;
  const type = { kind: "condition", type: condition, status: status ?? "True" } as const;
  return { ...type, ...(reason === undefined ? {} : { reason }) };
}

function fieldIn({ path, is, equals, ...condition }: WrittenStatement): Statement | undefined {
  if (path === undefined || Object.keys(condition).length > 0) return undefined;
  if (is !== undefined && equals === undefined)
    return { kind: "value", path, values: Array.isArray(is) ? (is as readonly Scalar[]) : [is as Scalar] };
  return is === undefined && equals !== undefined ? { kind: "same", path, other: equals } : undefined;
}

const statementList = z.array(StatementSchema, `a list: each entry is ${aStatement}`).max(20, "at most 20 entries");
const statements = statementList.readonly();

const somePods = "one of selector, labels and owner: true";

const Pods = z
  .strictObject(
    {
      selector: fieldPath("spec", "status")
        .exactOptional()
        .describe("The path of a label selector that matches the pods."),
      labels: z
        .record(label, anyField)
        .exactOptional()
        .describe("The labels of the pods. Each has the value of a field of the object."),
      owner: z
        .literal(true, "true")
        .exactOptional()
        .describe(
          "true: the owner references of the pods lead to the object, also through a Deployment, a StatefulSet or a Job.",
        ),
    },
    somePods,
  )
  .transform(({ selector, labels, owner }, context): PodsRule => {
    if (selector !== undefined && labels === undefined && owner === undefined)
      return { kind: "selector", path: selector };
    if (labels !== undefined && Object.keys(labels).length > 0 && selector === undefined && owner === undefined)
      return { kind: "labels", labels };
    if (owner === true && selector === undefined && labels === undefined) return { kind: "owner" };
    context.addIssue({ code: "custom", message: `expected ${somePods}` });
    return z.NEVER;
  });

const aRepository = "a repository without tag and digest, such as registry.example.com/cache";
const repository = z.string(aRepository).refine((text) => {
  const read = parseImageReference(text);
  return read.ok && read.value.registry !== "" && read.value.tag === undefined && read.value.digest === undefined;
}, `expected ${aRepository}`);

const aGroup = "the group of the kind, such as apps.example.com";
const aKind = "the kind as its objects write it, such as CacheCluster";

const ownKind = z
  .strictObject(
    {
      group: z
        .string(aGroup)
        .max(253, aGroup)
        .regex(/^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/, aGroup)
        .describe("The API group of the kind."),
      version: z
        .string("a version such as v1")
        .regex(/^v[1-9][0-9]{0,3}(?:(?:alpha|beta)[1-9][0-9]{0,3})?$/, "a version such as v1 or v1alpha1")
        .describe("The version of the API that Lookout reads and patches."),
      kind: z
        .string(aKind)
        .regex(/^[A-Z][A-Za-z0-9]{0,62}$/, aKind)
        .describe("The kind."),
      plural: kubernetesName.describe("The plural in the paths of the API, as kubectl api-resources shows it."),
      template: fieldPath("spec")
        .exactOptional()
        .describe("The path of the pod template, such as spec.template. Without it, images has the paths."),
      images: z
        .record(kubernetesName, fieldPath("spec"))
        .exactOptional()
        .describe("The paths of single images, by the names of the containers that run them."),
      initialImages: z
        .record(kubernetesName, repository)
        .exactOptional()
        .describe(
          "The repositories of containers of images. If an object has no image of such a container, Lookout writes the first one from there. Default: such a container is not updated.",
        ),
      pods: Pods.describe("How Lookout finds the pods of an object."),
      revision: z
        .strictObject({ label, path: fieldPath("status") }, "a label, and a path below status")
        .exactOptional()
        .describe(
          "The label of the pods that names their revision, and the field with the newest one. Default: the pods with the images of the object are new.",
        ),
      replicas: anyField.exactOptional().describe("The path of the number of wanted pods."),
      observedGeneration: z
        .union([z.literal(false), fieldPath("status")], "the path of a field below status, or false")
        .prefault("status.observedGeneration")
        .describe("The path of the generation that the operator observed. false: the status has none."),
      ready: statementList
        .min(1, "at least one entry")
        .readonly()
        .describe("What holds when the pods run the new images. All entries must hold."),
      failed: statements.prefault([]).describe("What holds when a rollout failed. One entry is enough."),
      paused: statements.prefault([]).describe("What holds while a rollout waits for a user. One entry is enough."),
      message: fieldPath("status")
        .exactOptional()
        .describe("The path of a text that says why a rollout failed. Lookout shows 200 characters."),
      scalesToZero: z
        .boolean("true or false")
        .prefault(false)
        .describe("true: an object that is ready and has no pods is healthy."),
    },
    "a kind with group, version, kind, plural, pods and ready",
  )
  .superRefine(({ group, template, images, initialImages = {}, scalesToZero, observedGeneration }, context) => {
    const builtIn = builtInKinds.filter((kind) => kindSpecs[kind].group === group);
    if (builtIn.length > 0)
      context.addIssue({
        code: "custom",
        path: ["group"],
        message: `is a group of Kubernetes: Lookout knows ${builtIn.join(", ")} without an entry`,
      });
    else if (!group.includes("."))
      context.addIssue({ code: "custom", path: ["group"], message: "has no dot, and each custom resource has one" });
    if ((template === undefined) === (Object.keys(images ?? {}).length === 0))
      context.addIssue({ code: "custom", message: "needs either template or images" });
    const names = Object.keys(images ?? {});
    for (const name of Object.keys(initialImages)) {
      if (names.includes(name)) continue;
      const message =
        names.length === 0
          ? "needs images, because Lookout adds no container to a pod template"
          : `is no container of images${didYouMean(nearest(name, names))}`;
      context.addIssue({ code: "custom", path: ["initialImages", name], message });
    }
    if (scalesToZero && observedGeneration === false)
      context.addIssue({
        code: "custom",
        path: ["scalesToZero"],
        message: "needs observedGeneration, because without pods nothing else shows that the status is new",
      });
  })
  .transform((written): CustomKindSpec => {
    const { template, images = {}, initialImages, revision, replicas, observedGeneration, message, ...row } = written;
    const initial = initialImages === undefined ? {} : { initial: initialImages };
    return {
      ...row,
      images:
        template === undefined ? { kind: "fields", paths: images, ...initial } : { kind: "template", path: template },
      ...(revision === undefined ? {} : { revision }),
      ...(replicas === undefined ? {} : { replicas }),
      ...(observedGeneration === false ? {} : { observedGeneration }),
      ...(message === undefined ? {} : { message }),
      refused: [],
      annotationsOfOperator: [],
    };
  });

const aName = `${readyKindNames.join(", ")}, or a mapping with group, version, kind and plural`;

const readyKind = z.string(aName).transform((name, context): CustomKindSpec => {
  if (readyKindNames.includes(name as ReadyKind)) return readyKinds[name as ReadyKind];
  context.addIssue({ code: "custom", message: `expected ${aName}${didYouMean(nearest(name, readyKindNames))}` });
  return z.NEVER;
});

const Kind = z.union([readyKind.meta({ enum: [...readyKindNames] }), ownKind], `a kind: ${aName}`);

/** The schema of `kinds`: the kinds of other operators. */
export const Kinds = z
  .array(Kind, "a list of kinds")
  .max(mostKinds, `at most ${String(mostKinds)} kinds`)
  .superRefine((kinds, context) => {
    const first = new Map<string, number>();
    for (const [index, entry] of kinds.entries()) {
      const { group, kind } = partsOf(entry);
      if (typeof group !== "string" || typeof kind !== "string") continue;
      const name = nameOf({ group, kind });
      const earlier = first.get(name);
      if (earlier === undefined) first.set(name, index);
      else
        context.addIssue({
          code: "custom",
          path: [index],
          message: `${kind} of ${group} is already entry [${String(earlier)}] of this list`,
        });
    }
  }, besideOtherFaults)
  .readonly();
