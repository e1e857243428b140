/** The host of every registry that is not a real one. */
export const host = "registry.test";

/** The digest that an image text is pinned to. */
export function pinOf(image: string): string | undefined {
  return image.split("@")[1];
}

/** The tag of an image text; empty where it has none. */
export function tagOf(image: string): string {
  return (image.split("@")[0] ?? "").slice(host.length).split(":")[1] ?? "";
}

/** Orders the versions of a history: `1.<minor>.<patch>`. */
export function rankOf(tag: string): number {
  return tag.split(".").reduce((sum, part) => sum * 1_000 + Number(part), 0);
}

/** An image text as people read it: without the host, with eight letters of its digest. */
export function short(text: string): string {
  return text.replaceAll(`${host}/`, "").replaceAll(/sha256:([0-9a-f]{8})[0-9a-f]{56}/g, "$1");
}
