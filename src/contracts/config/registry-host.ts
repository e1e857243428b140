import { parseImageReference } from "#domain/image/reference";
import { registryHost } from "#domain/registry/host";
import type { RegistryAliases } from "#domain/workload/registry-aliases";

/**
 * Parses a registry's host as in image references: `host` or `host:port`. The result is in lower
 * case, and `index.docker.io` becomes `docker.io`.
 *
 * @returns `undefined` for anything else, such as a URL or one word without a dot or a port. Image
 *   references read such a word as a path on Docker Hub.
 */
export function parseRegistryHost(text: string): string | undefined {
  return parseRepository(text, "any/name")?.registry;
}

/**
 * Parses a host and a path of an image reference. One-word paths on Docker Hub get the prefix
 * `library/`.
 *
 * @returns `undefined` for an invalid host or path, and if the joined text names another registry.
 */
export function parseRepository(
  host: string,
  path: string,
): { readonly registry: string; readonly repository: string } | undefined {
  const lower = host.toLowerCase();
  const parsed = parseImageReference(`${lower}/${path}`);
  if (!parsed.ok) return undefined;
  const { registry, repository, tag, digest } = parsed.value;
  if (tag !== undefined || digest !== undefined) return undefined;
  return registryHost(registry) === registryHost(lower) ? { registry, repository } : undefined;
}

/** Returns the aliases of the configured registries, each with the host of its registry. */
export function aliasesOf(
  registries: readonly { readonly host: string; readonly aliases?: readonly string[] }[],
): RegistryAliases {
  return new Map(
    registries.flatMap(({ host, aliases = [] }) => aliases.map((alias) => [registryHost(alias), host] as const)),
  );
}
