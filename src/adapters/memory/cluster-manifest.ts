import type { WorkloadKind } from "#domain/workload/kinds";
import { type ContainerList, restartedAtKey } from "#domain/workload/workload";

/** A container of a pod template; other fields of the Kubernetes API are kept as they are. */
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
    readonly [field: string]: unknown;
  };
}

/** The spec of one of the four kinds; what is not named here is kept and has no effect. */
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

/** A workload as a person writes it for `kubectl apply`. The namespace is `default` unless named. */
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

/** The part of an object that people and programs write. */
export interface Content {
  readonly labels: Readonly<Record<string, string>> | undefined;
  readonly annotations: Readonly<Record<string, string>> | undefined;
  readonly ownerReferences: NonNullable<Manifest["metadata"]["ownerReferences"]>;
  readonly spec: ManifestSpec;
}

const noTemplate: ManifestTemplate = { spec: { containers: [] } };

/** Answers the pod template of a spec; a spec without one has no containers. */
export function templateOf(spec: ManifestSpec): ManifestTemplate {
  return spec.template ?? spec.jobTemplate?.spec.template ?? noTemplate;
}

/** A spec with another pod template. */
export function withTemplate(spec: ManifestSpec, template: ManifestTemplate): ManifestSpec {
  const { jobTemplate } = spec;
  return jobTemplate === undefined
    ? { ...spec, template }
    : { ...spec, jobTemplate: { ...jobTemplate, spec: { ...jobTemplate.spec, template } } };
}

/** A template whose container at a position runs another image. */
export function withImage(
  template: ManifestTemplate,
  list: ContainerList,
  index: number,
  image: string,
): ManifestTemplate {
  const containers = (template.spec[list] ?? []).map((one, at) => (at === index ? { ...one, image } : one));
  return { ...template, spec: { ...template.spec, [list]: containers } };
}

/** A template with another text of the restart; undefined removes it. */
export function withRestart(template: ManifestTemplate, restartedAt: string | undefined): ManifestTemplate {
  const annotations = withKeys(template.metadata?.annotations, { [restartedAtKey]: restartedAt });
  const { labels } = template.metadata ?? {};
  return { ...template, metadata: { ...(labels && { labels }), ...(annotations && { annotations }) } };
}

/** A map with some keys set, or removed where the value is undefined. An empty map is not stored: undefined. */
export function withKeys(
  map: Readonly<Record<string, string>> | undefined,
  changes: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> | undefined {
  const entries = Object.entries({ ...map, ...changes }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
