import * as z from "zod";
import { isObject } from "#domain/shared/json";
import { containersWithOwners } from "#domain/workload/image-owners";
import { type CustomKindSpec, nameOf } from "#domain/workload/custom/kind";
import { problemsOf } from "#domain/settings/object-problems";
import { type ImagePlaces, placesOf } from "#domain/workload/image-places";
import { nearest } from "#domain/shared/nearest";
import { apiVersionOf, builtInKinds, kindSpecs, type TemplatePath, type WorkloadKind } from "#domain/workload/kinds";
import type { LiveContainer } from "#domain/workload/workload";
import { expected, unknownMember } from "../expected.ts";

/*
 * The parts of Kubernetes objects that contain settings. These parts may have other members of
 * Kubernetes. Unknown members at the top of the object are rejected.
 */

/** An object that Lookout may update. */
export interface WrittenWorkload {
  readonly kind: WorkloadKind;
  readonly name: string | undefined;
  readonly namespace: string | undefined;
  readonly annotations: Readonly<Record<string, string>>;
  /** The labels; empty if they are invalid. */
  readonly labels: Readonly<Record<string, string>>;
  readonly containers: readonly Pick<
    LiveContainer,
    "list" | "name" | "image" | "isUnset" | "pullPolicy" | "imageOwner"
  >[];
  readonly places: ImagePlaces;
}

/** An object of another kind, or of another version of its API. */
export interface OtherObject {
  readonly kind: string;
  readonly apiVersion: string;
  readonly name: string | undefined;
  readonly namespace: string | undefined;
  /** The annotations; empty if they are invalid. */
  readonly annotations: Readonly<Record<string, string>>;
}

/**
 * Returns the schema of an object with known members. An unknown member with a similar name is an
 * error, because it is probably misspelt.
 */
function partOf<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const read = Object.keys(shape);
  return z.looseObject(shape).superRefine(
    (part, context) => {
      const slip = Object.keys(part).find((name) => !read.includes(name) && nearest(name, read) !== undefined);
      if (slip === undefined) return;
      context.issues.push({ code: "unrecognized_keys", keys: [slip], message: unknownMember(slip, read), input: part });
    },
    // The check runs even if a member is missing, because the missing member may be misspelt.
    { when: ({ value }) => isObject(value) },
  );
}

const ContainerSchema = partOf({ name: z.string(), image: z.string().exactOptional() });
/** The schema of volumes. Only image volumes are read, and the schema of other volumes is open. */
const VolumesSchema = z
  .array(z.looseObject({ name: z.string(), image: z.looseObject({ reference: z.string().exactOptional() }).nullish() }))
  .nullish()
  .catch(undefined);
const TemplateSchema = partOf({
  spec: partOf({
    containers: z.array(ContainerSchema),
    initContainers: z.array(ContainerSchema).nullish(),
    volumes: VolumesSchema,
  }),
});
/** The schema of a live object's owners of fields. A manifest has none. Invalid owners are none. */
const text = z.string().exactOptional();
const ManagedFieldsSchema = z
  .array(
    z.object({ manager: text, operation: text, time: text, subresource: text, fieldsV1: z.unknown().exactOptional() }),
  )
  .optional()
  .catch(undefined);
const MetadataSchema = partOf({
  name: z.string().exactOptional(),
  namespace: z.string().exactOptional(),
  annotations: z.record(z.string(), z.string()).nullish(),
  labels: z.record(z.string(), z.string()).nullish().catch(undefined),
  managedFields: ManagedFieldsSchema,
});

/**
 * The schema of another kind's metadata. The schema accepts any content, because Lookout does not
 * update other kinds.
 */
const OtherMetadataSchema = z.looseObject({
  name: z.string().optional().catch(undefined),
  namespace: z.string().optional().catch(undefined),
  annotations: z.record(z.string(), z.string()).catch({}),
});

const objectOf = (spec: z.ZodType): z.ZodType =>
  z.strictObject({
    apiVersion: z.string(),
    kind: z.string(),
    metadata: MetadataSchema,
    spec,
    status: z.unknown().optional(),
  });

/** The schema of an object of another operator, which may have any form. */
const customSchema = z.looseObject({ metadata: MetadataSchema });

const schemas: Readonly<Record<TemplatePath, z.ZodType>> = {
  "spec.template": objectOf(partOf({ template: TemplateSchema })),
  "spec.jobTemplate.spec.template": objectOf(
    partOf({ jobTemplate: partOf({ spec: partOf({ template: TemplateSchema }) }) }),
  ),
};

/** Returns the schema of a Kubernetes object of any kind. Lookout updates also objects of these kinds of other operators. */
export function kubernetesObjectSchema(custom: readonly CustomKindSpec[]) {
  return z
    .looseObject({ apiVersion: z.string(), kind: z.string() })
    .transform((object, context): WrittenWorkload | OtherObject => {
      const known = knownKind(object, custom);
      if (known === undefined) return otherObject(object);
      const parsed = known.schema.safeParse(object, { error: expected });
      if (parsed.success) return writtenWorkload(known, parsed.data as WorkloadObject);
      for (const issue of parsed.error.issues) context.issues.push({ ...issue, input: undefined });
      return z.NEVER;
    });
}

/** The schema of a Kubernetes object without kinds of other operators. */
export const KubernetesObjectSchema = kubernetesObjectSchema([]);

/** A kind whose objects Lookout updates. */
interface KnownKind {
  readonly kind: WorkloadKind;
  readonly places: ImagePlaces;
  readonly schema: z.ZodType;
  /** Absent for a built-in kind. */
  readonly spec?: CustomKindSpec;
}

interface Named {
  readonly apiVersion: string;
  readonly kind: string;
}

function knownKind({ apiVersion, kind: name }: Named, custom: readonly CustomKindSpec[]): KnownKind | undefined {
  const kind = builtInKinds.find((known) => known === name && apiVersionOf(known) === apiVersion);
  if (kind !== undefined) return { kind, places: placesOf(kind), schema: schemas[kindSpecs[kind].template] };
  const spec = custom.find((one) => one.kind === name && `${one.group}/${one.version}` === apiVersion);
  return spec && { kind: nameOf(spec), places: spec.images, schema: customSchema, spec };
}

interface WorkloadObject {
  readonly metadata: z.output<typeof MetadataSchema>;
}

function writtenWorkload({ kind, places, spec }: KnownKind, object: WorkloadObject): WrittenWorkload {
  const { name, namespace, annotations, labels } = object.metadata;
  const containers = containersWithOwners(places, object, object.metadata);
  const problems = spec === undefined ? {} : problemsOf(spec, object, annotations);
  const about = { kind, name, namespace, labels: labels ?? {}, places };
  return { ...about, annotations: { ...annotations, ...problems }, containers };
}

function otherObject({ apiVersion, kind, metadata }: Record<string, unknown>): OtherObject {
  const { name, namespace, annotations } = OtherMetadataSchema.parse(isObject(metadata) ? metadata : {});
  return { kind: String(kind), apiVersion: String(apiVersion), name, namespace, annotations };
}
