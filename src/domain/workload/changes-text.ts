import type { ImageChange } from "./patch.ts";
import type { ContainerList } from "./workload.ts";

/**
 * The largest number of characters of an annotation. Kubernetes allows at most 256 KiB for all
 * annotations of an object.
 */
export const longestText = 16_384;

/**
 * Returns the new images of an update with their containers:
 * `api=shop/api:1.4.0@sha256:…,init:migrate=shop/migrate:2.0.1@sha256:…`. Returns undefined if the
 * text is longer than {@link longestText}.
 */
export function changesText(changes: readonly Pick<ImageChange, "list" | "name" | "to">[]): string | undefined {
  return textOfImages(changes.map(({ list, name, to }) => ({ list, name, image: to })));
}

/** Returns images with their containers, or undefined if the text is too long. */
export function textOfImages(
  images: readonly { readonly list: ContainerList; readonly name: string; readonly image: string }[],
): string | undefined {
  const text = images.map(({ list, name, image }) => `${shownName(list, name)}=${image}`).join(",");
  return text.length > longestText ? undefined : text;
}

function shownName(list: ContainerList, name: string): string {
  return `${list === "initContainers" ? "init:" : ""}${name}`;
}
