import { ociRegistry } from "#adapters/oci/registry";
import type { OciRegistryOptions } from "#adapters/oci/registry";
import type { Asking } from "#ports/registry";
import type { Handler, TestServer } from "./registry-server.ts";
import { serve } from "./registry-server.ts";

/** An entry of `lookout.yaml` for a registry on this machine. */
export function onLoopback(host: string) {
  return { host, insecure: true, allowPrivateNetwork: true };
}

const servers: TestServer[] = [];

/** Starts a server that {@link closeServers} closes. */
export async function start(handler: Handler): Promise<TestServer> {
  const server = await serve(handler);
  servers.push(server);
  return server;
}

export async function closeServers(): Promise<void> {
  await Promise.all(servers.splice(0).map((server) => server.close()));
}

/** Asks about the repository `shop/api` of a server, without a credential unless given. */
export function ask(server: Pick<TestServer, "host">, options: Partial<OciRegistryOptions> = {}) {
  const registry = ociRegistry({
    credentials: async () => undefined,
    registries: [onLoopback(server.host)],
    ...options,
  });
  const name = { registry: server.host, repository: "shop/api" };
  const { signal } = new AbortController();
  return {
    tags: (asking?: Asking) => registry.tags(name, signal, asking),
    resolve: (tag = "1.0.0") => registry.resolve(name, tag, signal),
    manifest: (digest: string) => registry.manifest(name, digest, signal),
    answers: () => registry.answers(name, signal),
  };
}
