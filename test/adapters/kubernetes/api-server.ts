import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { KubeConfig } from "@kubernetes/client-node";

/** A user of a kubeconfig. */
export type ApiUser = Parameters<KubeConfig["loadFromClusterAndUser"]>[1];

/** Something that answers in the place of an API server, and a kubeconfig for it. */
export async function apiServer(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  user: Partial<ApiUser> = { token: "canary" },
): Promise<{ readonly kubeConfig: KubeConfig; readonly host: string; close(): Promise<void> }> {
  const server = createServer(answer);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const host = `127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromClusterAndUser(
    { name: "c", server: `http://${host}`, skipTLSVerify: true },
    { name: "u", ...user },
  );
  return {
    kubeConfig,
    host,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Answers with JSON. */
export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
