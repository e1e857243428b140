import type { ClusterCheckView } from "#contracts/api/clusters";
import { renderClusterCheck } from "./clusters.ts";
import { paintMark, type Style } from "./style.ts";

/** The changes of `lookout cluster add`. */
export interface AddView {
  readonly cluster: string;
  readonly host: string;
  readonly context: string;
  readonly namespace: string;
  readonly lookoutYaml: string;
  readonly kubeconfig: string;
  readonly hasEntry: boolean;
  /** True if the kinds of definitions are applied. */
  readonly definitions?: boolean;
  /** Whether lookout.yaml has `definitions: true`. */
  readonly countsDefinitions?: boolean;
  readonly objects: readonly {
    readonly text: string;
    readonly change: "create" | "apply again" | "replace" | "keep";
  }[];
}

/** The changes of `lookout cluster remove`. */
export interface RemoveView {
  readonly cluster: string;
  readonly lookoutYaml: string;
  readonly kubeconfig: string;
  readonly deleted: readonly string[];
  readonly kept: readonly { readonly text: string; readonly why: string }[];
  /** The command that deletes the objects that stay. */
  readonly leftovers?: string;
}

const notes = {
  create: "",
  "apply again": "   (exists, and is applied again)",
  replace: "   (exists, and is replaced; its objects stay)",
  keep: "   (exists, and stays as it is)",
};

/** Returns the objects and files that `lookout cluster add` creates. */
export function renderAddPlan(view: AddView): string {
  const { cluster, host, context, namespace, lookoutYaml, kubeconfig, hasEntry, definitions, objects } = view;
  return text([
    `In the cluster at ${host} (context ${context}):`,
    ...objects.map(({ text, change }) => `  ${text}${notes[change]}`),
    "Here:",
    `  ${kubeconfig}   the kubeconfig of this account, with a token that lookout start renews`,
    `  ${lookoutYaml}   ${hasEntry ? "has the entry already" : `an entry for the cluster ${cluster}`}`,
    `To see the objects in full:  lookout cluster manifests --service-account ${namespace}/lookout --renew-token${definitions === true ? " --definitions" : ""}`,
  ]);
}

/** Returns the result of `lookout cluster add`: the check of the account, and the next command. */
export function renderAdded(view: AddView & { readonly check: ClusterCheckView }, style: Style): string {
  const { cluster, lookoutYaml, kubeconfig, countsDefinitions, check } = view;
  const config = lookoutYaml === "lookout.yaml" ? "" : ` --config ${lookoutYaml}`;
  return text([
    `${paintMark("✓", style)} Cluster ${cluster} is in ${lookoutYaml}. Keep ${kubeconfig} out of version control.`,
    renderClusterCheck(check, style).trimEnd(),
    ...(countsDefinitions === false
      ? [`${paintMark("!", style)} Lookout ignores definitions until ${lookoutYaml} has this line:  definitions: true`]
      : []),
    `To start Lookout:  lookout start${config}`,
  ]);
}

/** Returns the objects and files that `lookout cluster remove` deletes. */
export function renderRemovePlan(view: RemoveView, style: Style): string {
  const { cluster, lookoutYaml, kubeconfig, deleted, kept, leftovers } = view;
  return text([
    ...(deleted.length === 0 ? [] : ["In the cluster:", ...deleted.map((object) => `  ${object}`)]),
    "Here:",
    `  ${kubeconfig}, with its token`,
    `  the entry ${cluster} of ${lookoutYaml}`,
    ...kept.map((object) => `${paintMark("!", style)} ${object.text} stays: ${object.why}.`),
    ...(leftovers === undefined
      ? []
      : [`${paintMark("!", style)} The objects in the cluster stay. An admin deletes them:`, `  ${leftovers}`]),
  ]);
}

function text(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join("");
}
