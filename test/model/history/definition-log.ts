import type { WorkloadKind } from "#domain/workload/kinds";
import type { WorkloadName } from "#domain/workload/workload";
import { host } from "#test/model/image-text";

/** What a person means by an ImagePolicy. */
export interface PolicyDraft {
  readonly kind: "ImagePolicy";
  readonly name: string;
  readonly repository: string;
  readonly strategy: "SemVer" | "Latest" | "Regex";
  readonly pattern?: string;
  readonly target: Pick<WorkloadName, "kind" | "name">;
  readonly wrong?: Wrong;
}

/** What a person means by a ServiceImage. */
export interface ServiceDraft {
  readonly kind: "ServiceImage";
  readonly name: string;
  readonly repository: string;
  readonly defaultTag: string;
  /** Empty: all workloads are in one tier. A tier without a tag has the default one. */
  readonly tiers: readonly { readonly upgradeTier: string; readonly priority: number; readonly tag?: string }[];
  readonly wrong?: Wrong;
}

/** What a person means by a definition. */
export type Draft = PolicyDraft | ServiceDraft;

/** Wrong fields in place of right ones. */
type Wrong = Readonly<Record<string, unknown>>;

/** A version of a definition that was in the cluster. */
export interface DefinitionVersion {
  readonly draft: Draft;
  readonly uid: string;
  readonly generation: number;
  readonly createdAt: number;
}

/** All versions of definitions that were in the cluster. */
export interface DefinitionLog {
  add(version: DefinitionVersion): void;
  /** Returns undefined for a version that was never in the cluster. */
  find(version: Pick<DefinitionVersion, "uid" | "generation">): DefinitionVersion | undefined;
  readonly all: readonly DefinitionVersion[];
}

/** Returns a log without versions. */
export function newDefinitionLog(): DefinitionLog {
  const all: DefinitionVersion[] = [];
  const byKey = new Map<string, DefinitionVersion>();
  const keyOf = ({ uid, generation }: Pick<DefinitionVersion, "uid" | "generation">): string => `${uid}@${generation}`;
  return {
    all,
    add: (version) => {
      if (byKey.has(keyOf(version))) return;
      all.push(version);
      byKey.set(keyOf(version), version);
    },
    find: (version) => byKey.get(keyOf(version)),
  };
}

/** Returns the object that a person writes. */
export function specOf(draft: Draft): unknown {
  const { wrong } = draft;
  const spec = draft.kind === "ImagePolicy" ? policySpec(draft) : serviceSpec(draft);
  return { ...spec, ...wrong };
}

function policySpec({ repository, strategy, pattern, target }: PolicyDraft) {
  return {
    repository: `${host}/${repository}`,
    tagPolicy: { strategy, ...(pattern === undefined ? {} : { pattern }) },
    updateTarget: { ...target, namespace: "shop" },
    pollIntervalMinutes: 5,
  };
}

function serviceSpec({ repository, defaultTag, tiers }: ServiceDraft) {
  const image = (tag: string): string => `${host}/${repository}:${tag}`;
  return {
    defaultImage: image(defaultTag),
    tiers: tiers.map(({ upgradeTier, priority, tag }) => ({
      ...{ upgradeTier, priority },
      ...(tag === undefined ? {} : { image: image(tag) }),
    })),
  };
}

/** The tier of a workload of a ServiceImage, by its label `upgrade-tier`. Undefined: no tier has it. */
export function tierIn(
  { tiers, defaultTag }: ServiceDraft,
  label: string | undefined,
): { readonly tag: string; readonly priority: number } | undefined {
  if (tiers.length === 0) return { tag: defaultTag, priority: 0 };
  const own =
    tiers.find(({ upgradeTier }) => upgradeTier === label) ?? tiers.find(({ upgradeTier }) => upgradeTier === "");
  return own && { tag: own.tag ?? defaultTag, priority: own.priority };
}

/** Returns the tags that a version of a ServiceImage names. */
export function tagsIn({ tiers, defaultTag, wrong }: ServiceDraft): readonly string[] {
  return wrong === undefined ? [defaultTag, ...tiers.flatMap(({ tag }) => tag ?? [])] : [];
}

/** Returns whether an image text is of the repository of a definition. */
export function isOf({ repository }: Draft, image: string): boolean {
  return image.startsWith(`${host}/${repository}:`) || image.startsWith(`${host}/${repository}@`);
}

/** The kinds that a definition of a history may name. */
export const targets: readonly WorkloadKind[] = ["Deployment", "StatefulSet", "DaemonSet", "CronJob"];
