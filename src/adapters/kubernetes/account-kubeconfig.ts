import { readFileSync } from "node:fs";
import type { KubeConfig } from "@kubernetes/client-node";
import { stringify } from "yaml";
import * as z from "zod";

/** The extension of a context in a kubeconfig that `lookout cluster add` wrote. */
export const accountExtension = "lookout.dev/account";

/** The service account of a kubeconfig that `lookout cluster add` wrote. */
export const accountSchema = z.object({
  namespace: z.string(),
  name: z.string(),
  /** The uid of the cluster's namespace kube-system. */
  identity: z.string(),
});
/** The service account of a kubeconfig that `lookout cluster add` wrote. */
export type ClusterAccount = z.infer<typeof accountSchema>;

/**
 * Returns the text of a kubeconfig for an account. The server is the server of the given
 * kubeconfig. The context has the same name, so commands for users fit their own kubeconfig.
 *
 * @param tokenFile - the path of the token, relative to the new kubeconfig.
 * @throws the system error if the file of the certificate authority can't be read.
 */
export function accountKubeconfig(kubeConfig: KubeConfig, account: ClusterAccount, tokenFile: string): string {
  const context = kubeConfig.getCurrentContext();
  const { server, caData, caFile, skipTLSVerify, tlsServerName, proxyUrl } = kubeConfig.getCurrentCluster() ?? {};
  const authority = caFile === undefined ? caData : readFileSync(caFile).toString("base64");
  const cluster = {
    server,
    ...(authority && { "certificate-authority-data": authority }),
    ...(skipTLSVerify && { "insecure-skip-tls-verify": true }),
    ...(tlsServerName && { "tls-server-name": tlsServerName }),
    ...(proxyUrl && { "proxy-url": proxyUrl }),
  };
  const extensions = [{ name: accountExtension, extension: account }];
  return stringify(
    {
      apiVersion: "v1",
      kind: "Config",
      "current-context": context,
      clusters: [{ name: context, cluster }],
      users: [{ name: account.name, user: { tokenFile } }],
      contexts: [{ name: context, context: { cluster: context, user: account.name, extensions } }],
    },
    { lineWidth: 0 },
  );
}
