import { imageNameOf, impliedTag, parseImageReference } from "../../image/reference.ts";
import { agreedAttributes, allAttributes } from "../../policy/attributes.ts";
import type { ContainerSettings, WorkloadSettings } from "../../settings/settings.ts";
import type { ImageChange, LabelChange } from "../../workload/patch.ts";
import type { LiveContainer, LiveWorkload } from "../../workload/workload.ts";

const longestValue = 63;

/**
 * Returns the labels of the pods for the images after some changes, without their prefix.
 *
 * A label whose attribute is unknown or empty is absent, and so is a label for which containers have
 * different values.
 *
 * @param changes - `to` is the image that the patch writes, and `digest` is its digest.
 */
export function attributeLabelsFor(
  live: Pick<LiveWorkload, "containers">,
  changes: readonly (Pick<ImageChange, "list" | "name" | "to"> & { readonly digest?: string })[],
  { containers }: Pick<WorkloadSettings, "containers">,
): Readonly<Record<string, string>> {
  const found = live.containers.flatMap((container) => {
    const own = containers[container.name];
    const change = changes.find(({ list, name }) => list === container.list && name === container.name);
    return own === undefined ? [] : labelsOf(own, container, change);
  });
  return Object.fromEntries(agreedAttributes(found));
}

function labelsOf(
  own: ContainerSettings,
  { image }: LiveContainer,
  change: { readonly to: string; readonly digest?: string } | undefined,
): readonly (readonly [key: string, value: string])[] {
  const parsed = parseImageReference(change?.to ?? image);
  if (own.attributeLabels === undefined || !parsed.ok) return [];
  const written = parsed.value;
  const digest = change?.digest ?? written.digest;
  // An image with only a digest has no tag.
  const tag = written.tag ?? (written.digest === undefined ? impliedTag : undefined);
  const one = {
    imageName: imageNameOf(written),
    ...(tag === undefined ? {} : { tag }),
    ...(digest === undefined ? {} : { digest }),
  };
  const attributes = allAttributes(own, one);
  return own.attributeLabels.flatMap(({ key, attribute }) => {
    const value = labelValue(attributes[attribute] ?? "");
    return value === "" ? [] : [[key, value] as const];
  });
}

/**
 * Returns a text as the value of a label: other characters become `-`, and the text is cut after 63
 * characters.
 *
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#syntax-and-character-set
 */
export function labelValue(text: string): string {
  return text
    .replaceAll(/[^\w.-]+/g, "-")
    .replace(/^[_.-]+/, "")
    .slice(0, longestValue)
    .replace(/[_.-]+$/, "");
}

/** Returns the change from the object's labels to other ones, or undefined if they are equal. */
export function labelChange(
  { attributeLabels: from = {} }: Pick<LiveWorkload, "attributeLabels">,
  to: Readonly<Record<string, string>>,
): LabelChange | undefined {
  const keys = new Set([...Object.keys(from), ...Object.keys(to)]);
  return [...keys].some((key) => from[key] !== to[key]) ? { from, to } : undefined;
}
