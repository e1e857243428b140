import type { AccountApi, AnyObject } from "#adapters/kubernetes/account-api";
import { checkAccess } from "#app/api/clusters";
import type { ClusterCheckView } from "#contracts/api/clusters";
import type { ClusterConfiguration } from "#contracts/config/configuration";
import { kubernetesName } from "#contracts/config/fields";
import { type DurationMs, epochMs } from "#domain/shared/time";
import { readIfThere } from "../whole-file.ts";
import { openClusters } from "../world.ts";
import { type Admin, type AdminChoice, openAdmin } from "./admin.ts";
import {
  accountFiles,
  type AccountFiles,
  type AccountPlace,
  addingEntry,
  type Edit,
  openKubeconfigs,
  tokenFileOf,
  writePrivate,
} from "./files.ts";
import { type AccountObject, compareObjects, lackedRights } from "./objects.ts";
import { type AccountRefusal, fromCluster, wrongInput } from "./refusal.ts";
import { isRenewalDue } from "./token-renewal.ts";

/** A cluster to add, and the objects that its account needs. */
export interface AddRequest extends AdminChoice {
  readonly name: string;
  /** The namespace of the account. */
  readonly namespace: string;
  /** The name of the account. */
  readonly account: string;
  readonly objects: readonly AnyObject[];
  readonly tokenLife: DurationMs;
  /** True if the objects define the kinds of definitions. */
  readonly definitions: boolean;
}

/** The changes of `lookout cluster add`, which are not made yet. */
export interface AddPlan {
  readonly kind: "plan";
  readonly host: string;
  readonly context: string;
  readonly lookoutYaml: string;
  readonly kubeconfig: string;
  readonly objects: readonly (Pick<AccountObject, "text"> & {
    readonly change: "create" | "apply again" | "replace" | "keep";
  })[];
  /** True if `lookout.yaml` has the entry already. */
  readonly hasEntry: boolean;
  /** Makes the changes, and checks the access of the account. */
  carryOut(): Promise<{ readonly kind: "added"; readonly check: ClusterCheckView } | AccountRefusal>;
  close(): Promise<void>;
}

/**
 * Compares a cluster and `lookout.yaml` with an account, and changes nothing.
 *
 * @throws PermanentError for an unusable kubeconfig, and for an invalid `lookout.yaml`
 */
export async function planAdd(
  request: AddRequest,
  place: AccountPlace,
  signal: AbortSignal,
): Promise<AddPlan | AccountRefusal> {
  const { name, namespace } = request;
  const invalid = [name, namespace].find((text) => !kubernetesName.safeParse(text).success);
  if (invalid !== undefined)
    return wrongInput(
      `"${invalid}" is no valid name: expected at most 63 lower-case letters, digits and dashes.`,
      "For example:  lookout cluster add prod --context CONTEXT",
    );
  const files = await accountFiles(name, place);
  const edit = await addingEntry(name, files);
  const admin = await openAdmin(name, request, place, signal);
  if (admin.kind === "refused") return admin;
  const plan = await planWith(request, files, edit, admin, place, signal);
  if (plan.kind === "refused") await admin.api.close();
  return plan;
}

async function planWith(
  request: AddRequest,
  files: AccountFiles,
  edit: Edit,
  { api, identity }: Admin,
  place: AccountPlace,
  signal: AbortSignal,
): Promise<AddPlan | AccountRefusal> {
  const { name, namespace } = request;
  const other = await otherCluster(name, files, identity, place, signal);
  if (other !== undefined) return other;
  const compared = await compareObjects(request.objects, namespace, api, signal);
  if (compared.kind !== "compared") return fromCluster(compared, ...forAnAdmin(request));
  const foreign = compared.objects.filter(({ state, name: { kind } }) => state === "foreign" && kind !== "Namespace");
  if (foreign.length > 0) return foreignObjects(foreign, request);
  const applied = compared.objects.filter(({ state }) => state !== "foreign");
  const token = { group: "", version: "v1", kind: "ServiceAccount", plural: "serviceaccounts", subresource: "token" };
  const rights = [
    ...applied.flatMap((object) => (["create", "patch"] as const).map((verb) => [verb, object.name] as const)),
    ["create", { ...token, namespace, name: request.account }] as const,
  ];
  const lacked = await lackedRights(rights, api, signal);
  if (lacked.kind !== "lacked") return fromCluster(lacked);
  if (lacked.rights.length > 0)
    return {
      kind: "refused",
      by: "rights",
      sentence: `The context ${api.context} lacks rights for this: ${lacked.rights.join(", ")}.`,
      advice: forAnAdmin(request),
    };
  return {
    kind: "plan",
    host: api.host,
    context: api.context,
    lookoutYaml: files.lookoutYaml,
    kubeconfig: files.kubeconfig,
    objects: compared.objects.map(({ text, state }) => ({ text, change: changes[state] })),
    hasEntry: edit.isUnchanged,
    carryOut: () => carryOut(request, { files, edit, api, identity, applied, place }, signal),
    close: () => api.close(),
  };
}

const changes = { absent: "create", own: "apply again", shared: "replace", foreign: "keep" } as const;

/** Returns the commands for a user who must ask an admin. */
function forAnAdmin({ namespace, account, definitions }: AddRequest): readonly string[] {
  return [
    "Use an admin's context, or hand the manifests to an admin (docs/cluster-access.md):",
    `  lookout cluster manifests --service-account ${namespace}/${account} --renew-token${definitions ? " --definitions" : ""}`,
  ];
}

function foreignObjects(foreign: readonly AccountObject[], { namespace, account }: AddRequest): AccountRefusal {
  const texts = foreign.map(({ text }) => text);
  return wrongInput(
    `The cluster already has objects that this command did not create for ${namespace}/${account}: ${texts.join(", ")}.`,
    "They belong to another account of Lookout, which this command would disturb.",
    `If nobody needs them, delete them first:  kubectl delete ${foreign.map(({ name: { plural, namespace: inside, name } }) => `${plural}/${name}${inside === undefined ? "" : ` -n ${inside}`}`).join(" && kubectl delete ")}`,
  );
}

/** Returns a refusal if `lookout.yaml` or the state folder has another cluster with this name. */
async function otherCluster(
  name: string,
  { entry, account, accountFile, kubeconfig }: AccountFiles,
  identity: string,
  place: AccountPlace,
  signal: AbortSignal,
): Promise<AccountRefusal | undefined> {
  const isOfEntry = entry === undefined || entry.kubeconfig === accountFile;
  if (account !== undefined && isOfEntry) return account.identity === identity ? undefined : ofOther(name);
  // An earlier run may have ended before it wrote the kubeconfig.
  if (entry === undefined || entry.kubeconfig === kubeconfig) return undefined;
  return otherEntry(entry, identity, place, signal);
}

/** Returns a refusal if an entry of `lookout.yaml` is another cluster, or can't be compared. */
async function otherEntry(
  entry: ClusterConfiguration,
  identity: string,
  place: AccountPlace,
  signal: AbortSignal,
): Promise<AccountRefusal | undefined> {
  const { name } = entry;
  const remedy = "Choose another name, or remove the entry from lookout.yaml.";
  if (entry.eks !== undefined || entry.inCluster === true)
    return wrongInput(`The entry ${name} of lookout.yaml names no kubeconfig.`, remedy);
  const clusters = await openClusters([entry], place.environment).catch(() => undefined);
  try {
    const found = await clusters?.cluster(name)?.identity(signal);
    if (found?.kind === "identity") return found.uid === identity ? undefined : ofOther(name);
    const why = found?.detail ?? "its kubeconfig can't be read";
    return wrongInput(`The entry ${name} of lookout.yaml can't be compared with the cluster: ${why}.`, remedy);
  } finally {
    await clusters?.close();
  }
}

function ofOther(name: string): AccountRefusal {
  const remedy = `Choose another name, or first remove it:  lookout cluster remove ${name}`;
  return wrongInput(`The name ${name} belongs to another cluster.`, remedy);
}

interface Prepared {
  readonly files: AccountFiles;
  readonly edit: Edit;
  readonly api: AccountApi;
  readonly identity: string;
  readonly applied: readonly AccountObject[];
  readonly place: AccountPlace;
}

async function carryOut(
  request: AddRequest,
  { files, edit, api, identity, applied, place }: Prepared,
  signal: AbortSignal,
): ReturnType<AddPlan["carryOut"]> {
  const { name, namespace, account, tokenLife } = request;
  await openKubeconfigs(files);
  for (const { object } of applied) {
    const answer = await api.apply(object, signal);
    if (answer.kind !== "applied")
      return fromCluster(answer, "To finish what began, run the same command again.", ...forAnAdmin(request));
  }
  const tokenFile = tokenFileOf(files.kubeconfig);
  const isNew = applied.some(({ state, name: { kind } }) => state === "absent" && kind === "ServiceAccount");
  const kept = isNew ? undefined : await readIfThere(tokenFile);
  if (kept === undefined || isRenewalDue(kept, epochMs(Date.now()))) {
    const token = await api.token({ namespace, name: account }, tokenLife / 1_000, signal);
    if (token.kind !== "token") return fromCluster(token, "To finish what began, run the same command again.");
    await writePrivate(tokenFile, token.value);
  }
  const kubeconfig = api.kubeconfigOf({ namespace, name: account, identity }, `${name}.token`);
  if ((await readIfThere(files.kubeconfig)) !== kubeconfig) await writePrivate(files.kubeconfig, kubeconfig);
  await edit.write();
  return { kind: "added", check: await checkSoon(name, files.kubeconfig, place, signal) };
}

/** The time until the API server knows new rights on all its replicas, and the pause between checks. */
const rightsWithinMs = 10_000;
const pauseMs = 250;

/** Checks the access. Repeats the check, because new rights need a moment. */
async function checkSoon(
  name: string,
  kubeconfig: string,
  { environment }: AccountPlace,
  signal: AbortSignal,
): Promise<ClusterCheckView> {
  const clusters = await openClusters([{ name, kubeconfig }], environment);
  const cluster = clusters.cluster(name);
  if (cluster === undefined) throw new Error(`no cluster ${name}`);
  const clock = { now: () => epochMs(Date.now()) };
  const until = performance.now() + rightsWithinMs;
  try {
    for (;;) {
      const view = await checkAccess(name, cluster, { clock }, signal);
      const isGood = view.problem === undefined && view.missing.length === 0;
      if (isGood || performance.now() > until || signal.aborted) return view;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  } finally {
    await clusters.close();
  }
}
