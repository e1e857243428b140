import { dockerHub } from "../image/reference.ts";

/** Docker Hub's API has a host of its own; users and credentials name it too. */
const dockerHubNames = new Set([dockerHub, "index.docker.io", "registry-1.docker.io"]);

/** Returns a registry's one name: lower case, and `docker.io` for each name of Docker Hub. */
export function registryHost(name: string): string {
  const host = name.toLowerCase();
  return dockerHubNames.has(host) ? dockerHub : host;
}

/** Returns the entries of a host. */
export function entriesOf<Entry extends { readonly host: string }>(
  entries: readonly Entry[],
  registry: string,
): readonly Entry[] {
  return entries.filter(({ host }) => registryHost(host) === registryHost(registry));
}
