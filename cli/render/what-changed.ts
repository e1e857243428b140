import type { ImageView } from "#contracts/api/schema";
import { hang, type Style } from "./style.ts";

type Changed = Pick<ImageView, "whatChanged"> & { readonly container?: string };

/** Returns the link to the commits of each image, or the commits themselves. Returns none without them. */
export function changesText(images: readonly Changed[], style: Pick<Style, "wide">): string {
  const texts = images.flatMap((image) => {
    const text = changeText(image, style);
    return text === undefined ? [] : [{ text, container: image.container }];
  });
  const distinct = new Set(texts.map(({ text }) => text));
  if (distinct.size <= 1) return [...distinct].join("");
  return texts.map(({ text, container = "" }) => `${container} ${text}`).join(", ");
}

/** Returns the lines below a table: what changed in each of these updates, each update once. */
export function changedUpdates(
  updates: readonly { readonly name: string; readonly images: readonly Changed[] }[],
  style: Style,
): string {
  const texts = new Map<string, string>();
  for (const { name, images } of updates) {
    const text = changesText(images, style);
    if (text !== "" && !texts.has(name)) texts.set(name, text);
  }
  if (texts.size === 0) return "";
  const lines = [...texts].map(([name, text]) => `${hang(`  ${name}   `, text, style)}\n`);
  return `\nWhat changed:\n${lines.join("")}`;
}

const shownDigits = 12;

function changeText({ whatChanged }: Changed, { wide }: Pick<Style, "wide">): string | undefined {
  if (whatChanged === undefined) return undefined;
  const { url, from, to } = whatChanged;
  if (url !== undefined) return url;
  if (to.revision === undefined) return undefined;
  const commits = [from?.revision, to.revision].flatMap(
    (revision) => revision?.slice(0, wide ? undefined : shownDigits) ?? [],
  );
  return `commit ${commits.join(" → ")}`;
}
