import * as z from "zod";
import { containersOf, type ImageTemplate, podTemplateOf, type TemplateHolder } from "#domain/pod-template";
import { apiVersions, type LiveContainer, type WorkloadKind, workloadKinds } from "#domain/workload";

/*
 * Objects of Kubernetes as people write them, in the parts that settings are read from. The API server knows the others; of the whole
 * object it refuses unknown members, and so does this.
 */

/** An object that Lookout may update. */
export interface WrittenWorkload {
  readonly kind: WorkloadKind;
  readonly name: string | undefined;
  readonly namespace: string | undefined;
  readonly annotations: Readonly<Record<string, string>>;
  readonly containers: readonly Pick<LiveContainer, "list" | "name" | "image">[];
}

/** An object of another kind, or of another version of its API. */
export interface OtherObject {
  readonly kind: string;
  readonly apiVersion: string;
  readonly name: string | undefined;
  readonly namespace: string | undefined;
}

const ContainerSchema = z.looseObject({ name: z.string(), image: z.string().exactOptional() });
const TemplateSchema = z.looseObject({
  spec: z.looseObject({ containers: z.array(ContainerSchema), initContainers: z.array(ContainerSchema).nullish() }),
});
const MetadataSchema = z.looseObject({
  name: z.string().exactOptional(),
  namespace: z.string().exactOptional(),
  annotations: z.record(z.string(), z.string()).nullish(),
});

const objectOf = (spec: z.ZodType): z.ZodType =>
  z.strictObject({
    apiVersion: z.string(),
    kind: z.string(),
    metadata: MetadataSchema,
    spec,
    status: z.unknown().optional(),
  });

const RolloutSchema = objectOf(z.looseObject({ template: TemplateSchema }));
const CronJobSchema = objectOf(
  z.looseObject({ jobTemplate: z.looseObject({ spec: z.looseObject({ template: TemplateSchema }) }) }),
);

/** A line of `lookout workload parse --batch`: an object of any kind. */
export const WorkloadLineSchema = z
  .looseObject({ apiVersion: z.string(), kind: z.string() })
  .transform((object, context): WrittenWorkload | OtherObject => {
    const kind = workloadKinds.find((known) => known === object.kind && apiVersions[known] === object.apiVersion);
    if (kind === undefined) return otherObject(object);
    const parsed = (kind === "CronJob" ? CronJobSchema : RolloutSchema).safeParse(object);
    if (parsed.success) return writtenWorkload(kind, parsed.data as WorkloadObject);
    for (const issue of parsed.error.issues) context.issues.push({ ...issue, input: undefined });
    return z.NEVER;
  });

type WorkloadObject = TemplateHolder<ImageTemplate> & { readonly metadata: z.output<typeof MetadataSchema> };

function writtenWorkload(kind: WorkloadKind, object: WorkloadObject): WrittenWorkload {
  const { name, namespace, annotations } = object.metadata;
  const template = podTemplateOf(kind, object);
  const containers = template === undefined ? [] : containersOf(template);
  return { kind, name, namespace, annotations: annotations ?? {}, containers };
}

function otherObject({ apiVersion, kind, metadata }: Record<string, unknown>): OtherObject {
  const named = z.looseObject({ name: z.string(), namespace: z.string().optional() }).safeParse(metadata);
  return {
    kind: String(kind),
    apiVersion: String(apiVersion),
    name: named.data?.name,
    namespace: named.data?.namespace,
  };
}
