import { accessName } from "#contracts/kubernetes/access";
import type { ClusterCheckView, ClusterRequest, ClustersView } from "#contracts/api/clusters";
import { namesServer } from "../find-server.ts";
import { serverVerb } from "../server-verb.ts";
import { userOf } from "../context.ts";
import { type ExitCode, exitCodes, Failure } from "../failure.ts";
import type { Answer } from "../output.ts";
import { renderClusterCheck, renderClusters } from "../render/clusters.ts";
import { type AccountFlags, addAccount, removeAccount, withAccount } from "./cluster-account.ts";
import { type Style, paintMark } from "../render/style.ts";
import { printable } from "../render/printable.ts";

const formats = ["table", "json", "yaml", "name"] as const;
const viewFormats = ["text", "json", "yaml"] as const;

/** `lookout cluster list` */
export const addClusterList = serverVerb({
  name: "list",
  description: "list the clusters, their sources and the results of their last syncs",
  formats,
  examples: [["lookout cluster list", ""]],
  async answer({ server, style }) {
    const view = await server.ask("listClusters");
    return listed(view, () => renderClusters(printable(view), style));
  },
});

interface AddFlags extends AccountFlags {
  readonly eks?: string;
  readonly eksRegion?: string;
  readonly role?: string;
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly by?: string;
}

interface RemoveFlags extends AccountFlags {
  readonly keepClusterObjects?: true;
}

/** The options of an EKS cluster. */
const eksOptions = ["eks", "eksRegion", "role", "allow", "deny", "by"] as const;

/** `lookout cluster add NAME` */
export const addClusterAdd = serverVerb<[string], AddFlags>({
  name: "add",
  description:
    "with --kubeconfig or --context: create Lookout's account in your cluster, and write lookout.yaml. With a stack: register an EKS cluster that has an access entry for Lookout",
  parameters: [["<name>", "the cluster's name in commands and messages"]],
  options: (command) =>
    withAccount(command)
      .option("--namespace <name>", "the namespace of Lookout's account", accessName)
      .option(
        "--token-life <duration>",
        "the life of the account's token, which Lookout renews at half (at least 10m)",
        "30d",
      )
      .option(
        "--definitions",
        "define ImagePolicy, ServiceImage and ImageRegistry, and let Lookout write their status (default: as lookout.yaml says)",
      )
      .option("--dry-run", "show what would be created, and create nothing")
      .option("--yes", "skip the question")
      .option("--eks <name>", "with a stack: the cluster's name in EKS (default: the same name)")
      .option("--eks-region <region>", "with a stack: the cluster's region (default: the stack's region)")
      .option("--role <arn>", "with a stack: the role of the cluster's access entry (default: the stack's access role)")
      .option("--allow <namespaces...>", "with a stack: track only these namespaces")
      .option("--deny <namespaces...>", "with a stack: never track these namespaces")
      .option("--by <name>", "with a stack: your name in the registration (default: USER)"),
  formats: viewFormats,
  examples: [
    ["lookout cluster add prod --context prod-admin", "add a cluster of your kubeconfig to lookout.yaml"],
    [
      "lookout cluster add prod --context prod-admin --definitions",
      "add the kinds that declare updates in the cluster",
    ],
    ["lookout cluster add prod --stack Lookout --eks prod-1 --eks-region eu-central-1", ""],
    [
      "lookout cluster add pay --role arn:aws:iam::123456789012:role/lookout/clusters",
      "register a cluster of a member account",
    ],
  ],
  async withoutServer({ world, flags, style }, name) {
    if (flags.kubeconfig !== undefined || flags.context !== undefined) {
      const stray = eksOptions.find((option) => flags[option] !== undefined);
      if (stray !== undefined) throw eksAndKubeconfig(stray);
      return addAccount(world, style, flags, name);
    }
    if (namesServer(world, flags)) return undefined;
    throw new Failure(exitCodes.wrongInput, `The command does not name the cluster ${name}.`, [
      `To add a cluster of your kubeconfig:  lookout cluster add ${name} --context CONTEXT`,
      `To register an EKS cluster with a stack:  lookout cluster add ${name} --stack STACK`,
    ]);
  },
  async answer({ world, server, flags, style }, name) {
    if (flags.definitions === true)
      throw new Failure(exitCodes.wrongInput, "A registration gives no rights in the cluster.", [
        "To define the kinds and give the rights:  lookout cluster manifests --definitions | kubectl apply -f -",
      ]);
    const view = await server.ask("addCluster", { body: requestOf(name, flags, userOf(world, server)) });
    const text = `${paintMark("✓", style)} Cluster ${name} is registered. Its first sync starts within a minute.\n`;
    return { ...checked(view, style), text: () => `${text}${renderClusterCheck(printable(view), style)}` };
  },
});

/** `lookout cluster remove NAME` */
export const addClusterRemove = serverVerb<[string], RemoveFlags>({
  name: "remove",
  description:
    "undo lookout cluster add: delete Lookout's account in the cluster, and its entry in lookout.yaml. With a server: remove a registered cluster, and untrack its workloads",
  parameters: [["<name>", "the cluster's name in lookout cluster list"]],
  options: (command) =>
    withAccount(command)
      .option("--keep-cluster-objects", "remove only the files here, for a cluster that you can't reach")
      .option("--dry-run", "show what would be removed, and remove nothing")
      .option("--yes", "skip the question"),
  formats,
  examples: [
    ["lookout cluster remove prod", "remove a cluster of lookout.yaml"],
    ["lookout cluster remove pay --stack Lookout", "remove a registered cluster"],
  ],
  async withoutServer({ world, flags, style }, name) {
    return namesServer(world, flags) ? undefined : removeAccount(world, style, flags, name);
  },
  async answer({ world, server, style }, name) {
    const by = userOf(world, server);
    const view = await server.ask("removeCluster", { params: { cluster: name }, query: { by } });
    return listed(view, () => `${paintMark("✓", style)} Cluster ${name} is removed. Its workloads are untracked.\n`);
  },
});

/** `lookout cluster check NAME` */
export const addClusterCheck = serverVerb({
  name: "check",
  description: "check Lookout's access to a cluster, and list missing rights",
  parameters: [["<name>", "the cluster's name in lookout cluster list"]],
  formats: viewFormats,
  examples: [["lookout cluster check prod", ""]],
  async answer({ server, style }, name: string) {
    return checked(await server.ask("checkCluster", { params: { cluster: name } }), style);
  },
});

/** `lookout cluster sync NAME` */
export const addClusterSync = serverVerb({
  name: "sync",
  description: "sync all workloads of a cluster now",
  parameters: [["<name>", "the cluster's name in lookout cluster list"]],
  formats: viewFormats,
  examples: [["lookout cluster sync prod", ""]],
  async answer({ server, style }, name: string) {
    const view = await server.ask("syncCluster", { params: { cluster: name } });
    return { value: view, text: () => `${paintMark("✓", style)} A sync of cluster ${name} has started.\n` };
  },
});

function eksAndKubeconfig(option: string): Failure {
  const flag = `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  return new Failure(
    exitCodes.wrongInput,
    `${flag} is for EKS clusters of a stack, and --kubeconfig and --context are for lookout.yaml: remove one of them.`,
  );
}

function requestOf(name: string, flags: AddFlags, user: string): ClusterRequest {
  const { eks = name, eksRegion: region, role: roleArn, allow, deny } = flags;
  const namespaces = { ...(allow && { allow }), ...(deny && { deny }) };
  return {
    name,
    eks: {
      name: eks,
      ...(region && { region }),
      ...(roleArn && { roleArn }),
    },
    ...(Object.keys(namespaces).length > 0 && { namespaces }),
    by: flags.by ?? user,
  };
}

function listed(view: ClustersView, text: () => string): Answer {
  return { value: view, text, names: () => view.clusters.map(({ name }) => name) };
}

function checked(view: ClusterCheckView, style: Style): Answer & { readonly exitCode: ExitCode } {
  const { problem, missing } = view;
  return {
    value: view,
    text: () => renderClusterCheck(printable(view), style),
    exitCode: problem !== undefined ? exitCodes.unreachable : missing.length > 0 ? exitCodes.refused : exitCodes.done,
  };
}
