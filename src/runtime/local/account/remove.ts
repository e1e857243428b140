import type { AccountApi, AnyObject } from "#adapters/kubernetes/account-api";
import { nearest } from "#domain/shared/nearest";
import { type Admin, type AdminChoice, openAdmin } from "./admin.ts";
import {
  accountFiles,
  type AccountFiles,
  type AccountPlace,
  type Edit,
  removeAccountFiles,
  removingEntry,
} from "./files.ts";
import { type AccountObject, addedLabel, compareObjects, lackedRights } from "./objects.ts";
import { type AccountRefusal, fromCluster, wrongInput } from "./refusal.ts";

/** A cluster to remove. */
export interface RemoveRequest extends AdminChoice {
  readonly name: string;
  /** True if the objects in the cluster stay. */
  readonly keepObjects: boolean;
  /** Returns the objects of an account in a namespace. */
  readonly objects: (account: { readonly namespace: string; readonly name: string }) => readonly AnyObject[];
}

/** The changes of `lookout cluster remove`, which are not made yet. */
export interface RemovePlan {
  readonly kind: "plan";
  readonly lookoutYaml: string;
  readonly kubeconfig: string;
  /** The objects that are deleted, in this order. */
  readonly deleted: readonly string[];
  /** The objects that stay, with the reason. */
  readonly kept: readonly { readonly text: string; readonly why: string }[];
  /** The command that deletes the objects, if all of them stay. */
  readonly leftovers?: string;
  carryOut(): Promise<{ readonly kind: "removed" } | AccountRefusal>;
  close(): Promise<void>;
}

/**
 * Finds all that `lookout cluster add` created, and changes nothing.
 *
 * @throws PermanentError for an invalid `lookout.yaml`
 */
export async function planRemove(
  request: RemoveRequest,
  place: AccountPlace,
  signal: AbortSignal,
): Promise<RemovePlan | AccountRefusal> {
  const { name } = request;
  const files = await accountFiles(name, place);
  const { account } = files;
  const isOwnPath = files.entry?.kubeconfig === files.kubeconfig;
  if (account === undefined && !isOwnPath) return notAdded(name, files);
  const edit = await removingEntry(name, files);
  const kept = account ?? { namespace: "lookout", name: "lookout" };
  const leftovers = leftoverCommand(kept.namespace);
  if (request.keepObjects)
    return planWith(files, edit, { deleted: [], kept: [], leftovers }, () => Promise.resolve(undefined));
  const objects = request.objects(kept);
  const admin = await adminOf(request, files, place, signal).catch((error: unknown) => {
    if (!(error instanceof Error) || error.name !== "PermanentError") throw error;
    return wrongInput(`${error.message}.`);
  });
  if (admin.kind === "refused") return withLeftovers(admin, name, kept.namespace);
  const plan = await planObjects(objects, kept.namespace, admin.api, signal);
  if (plan.kind === "refused") {
    await admin.api.close();
    return withLeftovers(plan, name, kept.namespace);
  }
  const texts = { deleted: plan.deleted.map(({ text }) => text), kept: plan.kept };
  return planWith(
    files,
    edit,
    texts,
    () => deleteAll(plan.deleted, admin.api, signal),
    () => admin.api.close(),
  );
}

/** Returns the refusal for a cluster that `lookout cluster add` did not add. */
export function notAdded(name: string, { entry, known }: AccountFiles): AccountRefusal {
  if (entry !== undefined)
    return wrongInput(
      `The cluster ${name} has no account of lookout cluster add.`,
      "To change or remove it, edit its entry in lookout.yaml.",
    );
  const near = nearest(name, known);
  return wrongInput(
    `lookout.yaml has no cluster ${name}.`,
    ...(near === undefined ? [] : [`Did you mean ${near}?`]),
    `Its clusters: ${known.join(", ") || "none"}`,
  );
}

/** Returns the refusal for a context of another cluster. */
export function otherIdentity(name: string, context: string): AccountRefusal {
  return wrongInput(
    `The context ${context} is another cluster than ${name}.`,
    "To name the right context:  --kubeconfig FILE --context CONTEXT",
  );
}

async function adminOf(
  { name, kubeconfig, context }: RemoveRequest,
  { account }: AccountFiles,
  place: AccountPlace,
  signal: AbortSignal,
): Promise<Admin | AccountRefusal> {
  const named = context ?? (kubeconfig === undefined ? account?.context : undefined);
  if (account === undefined && named === undefined && kubeconfig === undefined)
    return wrongInput(
      `The kubeconfig of ${name} is missing, so its cluster is unknown.`,
      "Name it:  --context CONTEXT",
    );
  const choice = { ...(kubeconfig && { kubeconfig }), ...(named && { context: named }) };
  const admin = await openAdmin(name, choice, place, signal);
  if (admin.kind === "refused" || account === undefined || admin.identity === account.identity) return admin;
  await admin.api.close();
  return otherIdentity(name, admin.api.context);
}

/** Adds what stays in the cluster, and the flag that removes the rest. */
function withLeftovers(refusal: AccountRefusal, name: string, namespace: string): AccountRefusal {
  return {
    ...refusal,
    advice: [
      ...refusal.advice,
      `Nothing was removed. To remove only the files here:  lookout cluster remove ${name} --keep-cluster-objects`,
      `The objects in the cluster then stay. An admin deletes them:  ${leftoverCommand(namespace)}`,
    ],
  };
}

/** Returns the command that deletes all objects of an account. */
function leftoverCommand(namespace: string): string {
  const kinds =
    "serviceaccount,clusterrole,clusterrolebinding,role,rolebinding,validatingadmissionpolicy,validatingadmissionpolicybinding";
  return `kubectl delete -n ${namespace} -l ${addedLabel}=${namespace} ${kinds}`;
}

type Kept = RemovePlan["kept"][number];

/** The kinds of objects that show that others use a namespace. */
const signsOfUse = ["pods", "persistentvolumeclaims", "secrets"];

async function planObjects(
  objects: readonly AnyObject[],
  namespace: string,
  api: AccountApi,
  signal: AbortSignal,
): Promise<
  | { readonly kind: "objects"; readonly deleted: readonly AccountObject[]; readonly kept: readonly Kept[] }
  | AccountRefusal
> {
  const compared = await compareObjects(objects, namespace, api, signal);
  if (compared.kind !== "compared") return fromCluster(compared);
  const own = compared.objects.filter(({ state }) => state === "own");
  const kept: Kept[] = compared.objects
    .filter(({ state }) => state === "foreign")
    .map(({ text }) => ({ text, why: "lookout cluster add did not create it" }));
  const isNamespace = ({ name }: AccountObject): boolean => name.kind === "Namespace";
  const deleted = own.filter((object) => !isNamespace(object));
  for (const object of own.filter(isNamespace)) {
    const inUse: string[] = [];
    for (const plural of signsOfUse) {
      const listed = await api.hasAny(namespace, plural, signal);
      if (listed.kind !== "listed") return fromCluster(listed);
      if (listed.any) inUse.push(plural);
    }
    if (inUse.length === 0) deleted.push(object);
    else kept.push({ text: object.text, why: `it has ${inUse.join(", ")}` });
  }
  const lacked = await lackedRights(
    deleted.map(({ name }) => ["delete", name] as const),
    api,
    signal,
  );
  if (lacked.kind !== "lacked") return fromCluster(lacked);
  if (lacked.rights.length === 0) return { kind: "objects", deleted, kept };
  const sentence = `The context ${api.context} lacks rights for this: ${lacked.rights.join(", ")}.`;
  return { kind: "refused", by: "rights", sentence, advice: [] };
}

async function deleteAll(
  objects: readonly AccountObject[],
  api: AccountApi,
  signal: AbortSignal,
): Promise<AccountRefusal | undefined> {
  for (const { name } of objects) {
    const answer = await api.delete(name, signal);
    if (answer.kind !== "deleted") return fromCluster(answer, "To finish what began, run the same command again.");
  }
  return undefined;
}

function planWith(
  files: AccountFiles,
  edit: Edit,
  texts: Pick<RemovePlan, "deleted" | "kept" | "leftovers">,
  deleteObjects: () => Promise<AccountRefusal | undefined>,
  close: () => Promise<void> = () => Promise.resolve(),
): RemovePlan {
  return {
    kind: "plan",
    lookoutYaml: files.lookoutYaml,
    kubeconfig: files.accountFile ?? files.kubeconfig,
    ...texts,
    carryOut: async () => {
      const refused = await deleteObjects();
      if (refused !== undefined) return refused;
      await edit.write();
      await removeAccountFiles(files);
      return { kind: "removed" };
    },
    close,
  };
}
