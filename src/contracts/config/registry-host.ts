import { parseImageReference } from "#domain/image/reference";
import type { RegistryAliases } from "#domain/workload/registry-aliases";

/** Docker Hub's first name; an image under it is one of `docker.io`. */
const namesOfDockerHub: ReadonlySet<string> = new Set(["docker.io", "index.docker.io"]);

/**
 * Reads a registry's host as it stands in image references: `host` or `host:port`, answered in lower case.
 *
 * A host that no image reference can name is none: one word without a dot and without a port (`registry`) would be read as
 * part of a path on Docker Hub. `index.docker.io` is `docker.io`.
 *
 * @returns `undefined` for anything else, a URL too.
 */
export function parseRegistryHost(text: string): string | undefined {
  return parseRepository(text, "any/name")?.registry;
}

/**
 * Reads a repository that is given as a host and a path, and answers it as image references name it.
 *
 * The host may be in any case. One-word paths on Docker Hub get their `library/`.
 *
 * @returns `undefined` when host or path are none, or when together they would be read as another registry's.
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
  return registry === (namesOfDockerHub.has(lower) ? "docker.io" : lower) ? { registry, repository } : undefined;
}

/** Returns the other hosts of the configured registries, each with its registry. */
export function aliasesOf(
  registries: readonly { readonly host: string; readonly aliases?: readonly string[] }[],
): RegistryAliases {
  return new Map(registries.flatMap(({ host, aliases = [] }) => aliases.map((alias) => [alias, host] as const)));
}
