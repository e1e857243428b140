/** The host of simulated registries. */
export const host = "registry.test";

/** Returns the pinned digest of an image text; undefined without a pin. */
export function pinOf(image: string): string | undefined {
  return image.split("@")[1];
}

/** Returns the tag of an image text; empty without a tag. */
export function tagOf(image: string): string {
  return (image.split("@")[0] ?? "").slice(host.length).split(":")[1] ?? "";
}

/** Returns a number that orders the versions of a history: `1.<minor>.<patch>`. */
export function rankOf(tag: string): number {
  return tag.split(".").reduce((sum, part) => sum * 1_000 + Number(part), 0);
}

/** Returns an image text without its host, with eight letters of its digest. */
export function short(text: string): string {
  return text.replaceAll(`${host}/`, "").replaceAll(/sha256:([0-9a-f]{8})[0-9a-f]{56}/g, "$1");
}
