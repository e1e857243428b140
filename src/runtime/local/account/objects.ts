import { type AccountApi, type AnyObject, objectName, type ObjectName, textOf } from "#adapters/kubernetes/account-api";
import type { ClusterRefusal } from "#ports/cluster";

/** The label of the objects of `lookout cluster add`. Its value is the account's namespace. */
export const addedLabel = "lookout.dev/cluster-add";

/** An object of the account, compared with the cluster. */
export interface AccountObject {
  readonly object: AnyObject;
  readonly name: ObjectName;
  /** The object in words: `Role lookout/lookout-token`. */
  readonly text: string;
  /**
   * `own`: `lookout cluster add` created it. `foreign`: somebody else created it. `shared`: it defines a kind, whoever
   * created it.
   */
  readonly state: "absent" | "own" | "foreign" | "shared";
}

/** Compares the objects with the cluster. */
export async function compareObjects(
  objects: readonly AnyObject[],
  namespace: string,
  api: AccountApi,
  signal: AbortSignal,
): Promise<{ readonly kind: "compared"; readonly objects: readonly AccountObject[] } | ClusterRefusal> {
  const compared: AccountObject[] = [];
  for (const object of objects) {
    const name = objectName(object);
    const found = await api.find(name, signal);
    if (found.kind !== "found" && found.kind !== "absent") return found;
    const definesKind = name.kind === "CustomResourceDefinition";
    const isOwn = found.kind === "found" && found.labels[addedLabel] === namespace;
    compared.push({
      // Deleting the objects by the label would delete all objects of the kind.
      object: definesKind ? object : labelled(object, namespace),
      name,
      text: textOf(name),
      state: found.kind === "absent" ? "absent" : definesKind ? "shared" : isOwn ? "own" : "foreign",
    });
  }
  return { kind: "compared", objects: compared };
}

function labelled(object: AnyObject, namespace: string): AnyObject {
  const metadata = object["metadata"] as Readonly<Record<string, unknown>>;
  return { ...object, metadata: { ...metadata, labels: { [addedLabel]: namespace } } };
}

/** Returns the rights among these that the user lacks, each as `create clusterroles`. */
export async function lackedRights(
  rights: readonly (readonly [verb: string, object: ObjectName])[],
  api: AccountApi,
  signal: AbortSignal,
): Promise<{ readonly kind: "lacked"; readonly rights: readonly string[] } | ClusterRefusal> {
  const answers = await Promise.all(
    rights.map(async ([verb, object]) => [verb, object, await api.may(verb, object, signal)] as const),
  );
  const lacked: string[] = [];
  for (const [verb, { plural, subresource }, answer] of answers) {
    if (answer.kind !== "right") return answer;
    if (!answer.allowed) lacked.push(`${verb} ${plural}${subresource === undefined ? "" : `/${subresource}`}`);
  }
  return { kind: "lacked", rights: [...new Set(lacked)] };
}
