import type { WorkloadKind } from "#domain/workload/kinds";
import type { TemplateVolume } from "#domain/workload/pod-template";
import type { LabelChange } from "#domain/workload/patch";
import { attributePrefix, type ContainerList, restartedAtKey } from "#domain/workload/workload";

/** A container of a pod template. Other fields of the Kubernetes API stay unchanged. */
export interface ManifestContainer {
  readonly name: string;
  readonly image: string;
  readonly [field: string]: unknown;
}

/** A pod template. */
export interface ManifestTemplate {
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: {
    readonly containers: readonly ManifestContainer[];
    readonly initContainers?: readonly ManifestContainer[];
    readonly volumes?: readonly TemplateVolume[];
    readonly [field: string]: unknown;
  };
}

/** The spec of a workload. Fields that are not listed here have no effect. */
export interface ManifestSpec {
  readonly replicas?: number;
  readonly paused?: boolean;
  readonly suspend?: boolean;
  readonly progressDeadlineSeconds?: number;
  readonly podManagementPolicy?: string;
  readonly updateStrategy?: { readonly type?: string; readonly rollingUpdate?: { readonly partition?: number } };
  readonly template?: ManifestTemplate;
  readonly jobTemplate?: { readonly spec: { readonly template: ManifestTemplate; readonly [field: string]: unknown } };
  readonly [field: string]: unknown;
}

/** The manifest of a workload, as for `kubectl apply`. The namespace defaults to `default`. */
export interface Manifest {
  readonly kind: WorkloadKind;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly {
      readonly kind: string;
      readonly name: string;
      readonly controller?: boolean;
    }[];
  };
  readonly spec: ManifestSpec;
}

/** The part of an object that clients write. */
export interface Content {
  readonly labels: Readonly<Record<string, string>> | undefined;
  readonly annotations: Readonly<Record<string, string>> | undefined;
  readonly ownerReferences: NonNullable<Manifest["metadata"]["ownerReferences"]>;
  readonly spec: ManifestSpec;
}

const noTemplate: ManifestTemplate = { spec: { containers: [] } };

/** Returns the pod template of a spec, or a template without containers. */
export function templateOf(spec: ManifestSpec): ManifestTemplate {
  return spec.template ?? spec.jobTemplate?.spec.template ?? noTemplate;
}

/** Returns a spec with another pod template. */
export function withTemplate(spec: ManifestSpec, template: ManifestTemplate): ManifestSpec {
  const { jobTemplate } = spec;
  return jobTemplate === undefined
    ? { ...spec, template }
    : { ...spec, jobTemplate: { ...jobTemplate, spec: { ...jobTemplate.spec, template } } };
}

/** Returns a template with another image for the container or the image volume at an index. */
export function withImage(
  template: ManifestTemplate,
  list: ContainerList,
  index: number,
  image: string,
): ManifestTemplate {
  const { spec } = template;
  const changed =
    list === "volumes"
      ? replaced(spec.volumes, index, (one) => ({ ...one, image: { ...one.image, reference: image } }))
      : replaced(spec[list], index, (one) => ({ ...one, image }));
  return { ...template, spec: { ...spec, [list]: changed } };
}

function replaced<One>(list: readonly One[] = [], index: number, change: (one: One) => One): readonly One[] {
  return list.map((one, at) => (at === index ? change(one) : one));
}

/** Returns a template with another restart annotation. Undefined removes the annotation. */
export function withRestart(template: ManifestTemplate, restartedAt: string | undefined): ManifestTemplate {
  const annotations = withKeys(template.metadata?.annotations, { [restartedAtKey]: restartedAt });
  const { labels } = template.metadata ?? {};
  return { ...template, metadata: { ...(labels && { labels }), ...(annotations && { annotations }) } };
}

/** Returns a template with other labels that show attributes. */
export function withLabels(template: ManifestTemplate, { from, to }: LabelChange): ManifestTemplate {
  const keys = new Set([...Object.keys(from), ...Object.keys(to)]);
  const changes = Object.fromEntries([...keys].map((key) => [`${attributePrefix}${key}`, to[key]]));
  const labels = withKeys(template.metadata?.labels, changes);
  const { annotations } = template.metadata ?? {};
  return { ...template, metadata: { ...(labels && { labels }), ...(annotations && { annotations }) } };
}

/**
 * Returns a map with changed keys. An undefined value removes its key. An empty map becomes
 * undefined.
 */
export function withKeys(
  map: Readonly<Record<string, string>> | undefined,
  changes: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> | undefined {
  const entries = Object.entries({ ...map, ...changes }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
