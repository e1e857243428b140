import { type AskGate, closed, type GatedSettings, type GatedWorkload, open } from "./gate.ts";
import type { Observed } from "../workload/observed.ts";
import type { LiveWorkload } from "../workload/workload.ts";

/**
 * Field managers that revert an update within minutes.
 *
 * Tools that run only on a user's command, such as kubectl and Helm, are not listed.
 */
const revertingManagers: ReadonlyMap<string, string> = new Map([
  ["argocd-controller", "Argo CD"],
  ["argocd-application-controller", "Argo CD"],
  ["kustomize-controller", "Flux"],
  ["helm-controller", "Flux"],
  ["argocd-image-updater", "Argo CD Image Updater"],
  ["keel", "Keel"],
  ["lookout-controller", "the Lookout Operator"],
  ["workload-controller", "the Lookout Operator"],
]);

/** Returns whether a field manager reverts an update on its own. */
export function isReverting(manager: string): boolean {
  return revertingManagers.has(manager);
}

/**
 * Returns a text about the program that would revert an update of a tracked container, or undefined
 * if no program would.
 *
 * The field manager of the image field identifies the program. Flux's labels also identify a
 * program, except the label of a Kustomization that is disabled for the object.
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management
 */
export function revertingOwner(observed: Observed, settings: Pick<GatedSettings, "containers">): string | undefined {
  for (const { name, imageOwner } of observed.containers) {
    const program = imageOwner === undefined ? undefined : revertingManagers.get(imageOwner.manager);
    if (program !== undefined && imageOwner !== undefined && settings.containers[name] !== undefined)
      return `${program} (field manager ${imageOwner.manager}) set the image of container ${name}`;
  }
  return fluxOwner(observed.sourceMarks);
}

const markKeys = [
  "kustomize.toolkit.fluxcd.io/name",
  "helm.toolkit.fluxcd.io/name",
  "kustomize.toolkit.fluxcd.io/reconcile",
];

/**
 * Returns the labels and annotations of Flux, with the annotation that disables Flux for an object.
 */
export function sourceMarks(live: Pick<LiveWorkload, "labels" | "annotations">): Readonly<Record<string, string>> {
  return Object.fromEntries(
    markKeys.flatMap((key) => {
      const value = live.annotations[key] ?? live.labels[key];
      return value === undefined ? [] : [[key, value] as const];
    }),
  );
}

function fluxOwner(marks: Readonly<Record<string, string>>): string | undefined {
  const kustomization = marks["kustomize.toolkit.fluxcd.io/name"];
  const off = marks["kustomize.toolkit.fluxcd.io/reconcile"] === "disabled";
  if (kustomization !== undefined && !off) return `Flux applies this object from the Kustomization ${kustomization}`;
  const release = marks["helm.toolkit.fluxcd.io/name"];
  return release === undefined ? undefined : `Flux applies this object from the HelmRelease ${release}`;
}

/**
 * Holds an update that a declared source would revert. A restart writes no image, so no source
 * reverts it. Without an update, the settings show whether the next update is a restart.
 */
export const askDeclaredSource: AskGate = ({ record, settings, changes }) => {
  const owner = revertingOwner(record.observed, settings);
  if (owner === undefined) return open;
  const restarts =
    changes.length > 0 ? changes.every(({ apply }) => apply === "restart") : onlyRestarts(record.observed, settings);
  if (restarts) return { kind: "open", detail: `${owner}, and a restart changes no image` };
  if (settings.allowDeclaredSource)
    return { kind: "open", detail: `${owner}, allowed by lookout.dev/allow-declared-source` };
  return closed({ reason: "declared-source-owns-the-image", detail: `${owner}${clearing(record)}` });
};

/**
 * Returns whether every update of the tracked containers is a restart: the policy keeps the tag, and
 * the settings write no digest.
 */
function onlyRestarts({ containers }: Observed, settings: Pick<GatedSettings, "containers">): boolean {
  const tracked = containers.flatMap(({ name, image }) => {
    const own = settings.containers[name];
    return own === undefined ? [] : [{ image, own }];
  });
  return (
    tracked.length > 0 &&
    tracked.every(({ image, own }) => own.policy.kind === "digest" && own.apply === "restart" && !image.includes("@"))
  );
}

/**
 * Returns the command that clears the managed fields of an uninstalled program. Empty if Flux's
 * labels name the program.
 *
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/#clearing-managedfields
 */
function clearing({ workload: { namespace, kind, name }, observed: { sourceMarks } }: GatedWorkload): string {
  if (fluxOwner(sourceMarks) !== undefined) return "";
  const object = `${kind.toLowerCase()} ${name}`;
  return `; if this program is uninstalled: kubectl -n ${namespace} patch ${object} --type=merge -p '${noManagers}'`;
}

const noManagers = JSON.stringify({ metadata: { managedFields: [{}] } });
