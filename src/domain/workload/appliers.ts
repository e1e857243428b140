import type { EpochMs } from "../shared/time.ts";
import type { RepositoryDigest } from "./repository-digest.ts";
import { fieldManager, type FieldOwner } from "./workload.ts";

/**
 * A digest that an applied manifest took off the object, because the manifest names the image from
 * before. Its author decided nothing about the digest.
 */
export interface RestoredDigest extends RepositoryDigest {
  readonly tag: string;
  /** The image that the manifest names. */
  readonly image: string;
  /** The field manager that applied the manifest, and the instant. */
  readonly manager: string;
  readonly at: EpochMs;
  /** True if the pods of the digest were not ready. Then only a person lets the digest come again. */
  readonly isDoubtful: boolean;
}

/**
 * The field managers of the owner's own deploy tools. A `*` at the end stands for any ending.
 */
export type ApplierNames = readonly string[];

/** Field managers that apply whole manifests. They update the image field without a look at it. */
const appliers: ReadonlySet<string> = new Set(["kubectl-client-side-apply", "kubectl-replace", "helm", "HashiCorp"]);

/** The beginning of the field managers of Terraform's provider for Helm. */
const terraformHelm = "terraform-provider-helm";

/**
 * Returns whether a writer of an image field applied a whole manifest. `kubectl rollout undo` is the
 * manager `kubectl` with the operation Update, and a person.
 */
export function isApplier({ manager, operation }: FieldOwner, named: ApplierNames = []): boolean {
  if (operation === "Apply" || appliers.has(manager) || isHelm(manager)) return true;
  return named.some((name) => isNamed(manager, name));
}

function isNamed(manager: string, name: string): boolean {
  return name.endsWith("*") ? manager.startsWith(name.slice(0, -1)) : manager === name;
}

/** The field managers with which people change an image, and Lookout's own. */
const people: readonly string[] = [
  ...["kubectl", "kubectl-set", "kubectl-edit", "kubectl-patch", "kubectl-rollout"],
  fieldManager,
];

/** Returns a field manager of people, or Lookout's own, that a name of an applier means. */
export function personNamedBy(name: string): string | undefined {
  return people.find((manager) => isNamed(manager, name));
}

/** Returns whether a field manager is Helm. */
export function isHelm(manager: string): boolean {
  return manager === "helm" || manager.startsWith(terraformHelm);
}
