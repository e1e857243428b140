import { type StatedPush, imageParts, nonEmpty } from "./notice.ts";

/**
 * Splits the package URL of an OCI image: `pkg:oci/name@digest?repository_url=host/path&tag=1.2`.
 * Returns undefined for invalid percent-encoding.
 *
 * `repository_url` names the repository itself, or the folder that contains `name`.
 *
 * @see https://github.com/package-url/purl-spec/blob/main/types-doc/oci-definition.md
 */
export function readImageUrl(text: string): Pick<StatedPush, "host" | "path" | "references"> | undefined {
  const [whole = "", query] = text.slice("pkg:oci/".length).split("#", 1).join("").split("?");
  const at = whole.lastIndexOf("@");
  try {
    const name = decodeURIComponent(at < 0 ? whole : whole.slice(0, at));
    const version = at < 0 ? undefined : decodeURIComponent(whole.slice(at + 1));
    const qualifiers = new URLSearchParams(query);
    const references = [qualifiers.get("tag"), version];
    const repository = nonEmpty(qualifiers.get("repository_url"))?.replace(/^https?:\/\//, "");
    if (repository === undefined) return { path: name, references };
    const { host, path } = imageParts(repository.includes("/") ? repository : `${repository}/`);
    const isWhole = path === name || path.endsWith(`/${name}`);
    return { host, path: isWhole ? path : [path, name].filter((part) => part !== "").join("/"), references };
  } catch {
    return undefined;
  }
}
