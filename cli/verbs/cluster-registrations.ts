import type { ClusterCheckView, ClusterRequest, ClustersView } from "#contracts/api/clusters";
import { serverVerb } from "../server-verb.ts";
import { userOf } from "../context.ts";
import { type ExitCode, exitCodes } from "../failure.ts";
import type { Answer } from "../output.ts";
import { renderClusterCheck, renderClusters } from "../render/clusters.ts";
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

interface AddFlags {
  readonly eks?: string;
  readonly eksRegion?: string;
  readonly role?: string;
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly by?: string;
}

/** `lookout cluster add NAME` */
export const addClusterAdd = serverVerb<[string], AddFlags>({
  name: "add",
  description: "register an EKS cluster with a stack; the cluster must have an access entry for Lookout",
  parameters: [["<name>", "the cluster's name in commands and messages"]],
  options: (command) =>
    command
      .option("--eks <name>", "the cluster's name in EKS (default: the same name)")
      .option("--eks-region <region>", "the cluster's region (default: the stack's region)")
      .option("--role <arn>", "the role of the cluster's access entry (default: the stack's access role)")
      .option("--allow <namespaces...>", "track only these namespaces")
      .option("--deny <namespaces...>", "never track these namespaces")
      .option("--by <name>", "your name in the registration (default: USER)"),
  formats: viewFormats,
  examples: [
    ["lookout cluster add prod --stack Lookout --eks prod-1 --eks-region eu-central-1", ""],
    [
      "lookout cluster add pay --role arn:aws:iam::123456789012:role/lookout/clusters",
      "register a cluster of a member account",
    ],
  ],
  async answer({ world, server, flags, style }, name) {
    const view = await server.ask("addCluster", { body: requestOf(name, flags, userOf(world, server)) });
    const text = `${paintMark("✓", style)} Cluster ${name} is registered. Its first sync starts within a minute.\n`;
    return { ...checked(view, style), text: () => `${text}${renderClusterCheck(printable(view), style)}` };
  },
});

/** `lookout cluster remove NAME` */
export const addClusterRemove = serverVerb({
  name: "remove",
  description: "remove a registered cluster, and untrack its workloads",
  parameters: [["<name>", "the cluster's name in lookout cluster list"]],
  formats,
  examples: [["lookout cluster remove pay", ""]],
  async answer({ server, style }, name: string) {
    const view = await server.ask("removeCluster", { params: { cluster: name } });
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
