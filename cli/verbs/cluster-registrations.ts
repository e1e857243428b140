import type { ClusterCheckView, ClusterRequest, ClustersView, ClusterSyncView } from "#contracts/api/clusters";
import { asking } from "../asking.ts";
import { userOf } from "../context.ts";
import { type ExitCode, exitCodes } from "../failure.ts";
import type { Answer } from "../output.ts";
import { renderClusterCheck, renderClusters } from "../render/clusters.ts";
import { type Look, paintMark } from "../render/look.ts";
import { printable } from "../render/printable.ts";

const path = "/v1/clusters";
const formats = ["table", "json", "yaml", "name"] as const;
const viewFormats = ["text", "json", "yaml"] as const;
const pathOf = (name: string): string => `${path}/${encodeURIComponent(name)}`;

/** `lookout cluster list` */
export const addClusterList = asking({
  name: "list",
  tells: "the clusters, where each is from, and how the last look at it went",
  formats,
  examples: [["lookout cluster list", ""]],
  async answer({ server, look }) {
    const view = await server.get<ClustersView>(path, "clusters");
    return listed(view, () => renderClusters(printable(view), look));
  },
});

interface AddFlags {
  readonly eks?: string;
  readonly eksRegion?: string;
  readonly role?: string;
  readonly endpoint?: string;
  readonly certificateAuthority?: string;
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly by?: string;
}

/** `lookout cluster add NAME` */
export const addClusterAdd = asking<[string], AddFlags>({
  name: "add",
  tells: "register a cluster of EKS with the Lookout of a stack; it must let Lookout in already",
  takes: [["<name>", "what the cluster is to be called in commands and messages"]],
  options: (command) =>
    command
      .option("--eks <name>", "what EKS calls it (default: the same)")
      .option("--eks-region <region>", "its region (default: that of the stack)")
      .option("--role <arn>", "the role whose token it lets in (default: the stack's access role)")
      .option("--endpoint <url>", "the address of its API server (default: EKS is asked)")
      .option("--certificate-authority <base64>", "the certificate authority of that address")
      .option("--allow <namespaces...>", "only these namespaces")
      .option("--deny <namespaces...>", "never these namespaces")
      .option("--by <name>", "who wants it (default: USER)"),
  formats: viewFormats,
  examples: [
    ["lookout cluster add prod --stack Lookout --eks prod-1 --eks-region eu-central-1", ""],
    ["lookout cluster add pay --role arn:aws:iam::123456789012:role/lookout/clusters", "of a member account"],
  ],
  async answer({ world, server, flags, look }, name) {
    const view = await server.post<ClusterCheckView>(path, "cluster", requestOf(name, flags, userOf(world)));
    const text = `${paintMark("✓", look)} ${name} is registered, and is looked at within a minute.\n`;
    return { ...checked(view, look), text: () => `${text}${renderClusterCheck(printable(view), look)}` };
  },
});

/** `lookout cluster remove NAME` */
export const addClusterRemove = asking({
  name: "remove",
  tells: "forget a cluster that was registered: its workloads take no part any more",
  takes: [["<name>", "as lookout cluster list shows it"]],
  formats,
  examples: [["lookout cluster remove pay", ""]],
  async answer({ server, look }, name: string) {
    const view = await server.remove<ClustersView>(pathOf(name), "clusters");
    return listed(view, () => `${paintMark("✓", look)} ${name} is forgotten; its workloads take no part any more.\n`);
  },
});

/** `lookout cluster check NAME` */
export const addClusterCheck = asking({
  name: "check",
  tells: "look whether a cluster lets Lookout in, and which rights it lacks",
  takes: [["<name>", "as lookout cluster list shows it"]],
  formats: viewFormats,
  examples: [["lookout cluster check prod", ""]],
  async answer({ server, look }, name: string) {
    return checked(await server.post<ClusterCheckView>(`${pathOf(name)}/check`, "cluster"), look);
  },
});

/** `lookout cluster sync NAME` */
export const addClusterSync = asking({
  name: "sync",
  tells: "look at all workloads of a cluster now, as happens by itself every hour",
  takes: [["<name>", "as lookout cluster list shows it"]],
  formats: viewFormats,
  examples: [["lookout cluster sync prod", ""]],
  async answer({ server, look }, name: string) {
    const view = await server.post<ClusterSyncView>(`${pathOf(name)}/sync`, "cluster");
    return { value: view, text: () => `${paintMark("✓", look)} ${name} is looked at now.\n` };
  },
});

function requestOf(name: string, flags: AddFlags, user: string): ClusterRequest {
  const { eks = name, eksRegion: region, role: roleArn, endpoint, certificateAuthority, allow, deny } = flags;
  const namespaces = { ...(allow && { allow }), ...(deny && { deny }) };
  return {
    name,
    eks: {
      name: eks,
      ...(region && { region }),
      ...(roleArn && { roleArn }),
      ...(endpoint && { endpoint }),
      ...(certificateAuthority && { certificateAuthority }),
    },
    ...(Object.keys(namespaces).length > 0 && { namespaces }),
    by: flags.by ?? user,
  };
}

function listed(view: ClustersView, text: () => string): Answer {
  return { value: view, text, names: () => view.clusters.map(({ name }) => name) };
}

function checked(view: ClusterCheckView, look: Look): Answer & { readonly exitCode: ExitCode } {
  const ill = view.missing.length > 0 ? exitCodes.refused : exitCodes.done;
  return {
    value: view,
    text: () => renderClusterCheck(printable(view), look),
    exitCode: view.problem === undefined ? ill : exitCodes.unreachable,
  };
}
