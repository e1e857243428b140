import { parseImageReference } from "../image/reference.ts";
import { isApplier } from "./appliers.ts";
import type { ContainerState } from "./observed.ts";
import { fieldManager } from "./workload.ts";

/** A container, the owner of its image, and the image that others wrote last. */
export type WrittenImage = Pick<ContainerState, "name" | "image" | "imageOwner" | "applied" | "appliedBy">;

/**
 * Returns what the next apply of a container's manifest does: nothing to tell, a conflict, or the
 * return of an earlier image.
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts
 */
export function manifestNotices(container: WrittenImage): readonly string[] {
  const { name, image, imageOwner, applied } = container;
  if (imageOwner?.operation === "Apply" && imageOwner.manager !== fieldManager)
    return [
      `${imageOwner.manager} applies the image of container ${name} server-side: after an update by Lookout, its next apply fails with a conflict with "${fieldManager}". ${remedyOfConflict("the running image", "the image of the manifest")}`,
    ];
  const isOurs = imageOwner === undefined || imageOwner.manager === fieldManager;
  return applied === undefined || applied === image || !isOurs ? [] : [afterUpdate(container, applied)];
}

function afterUpdate({ name, image, appliedBy }: WrittenImage, applied: string): string {
  const [earlier, running] = shortest(applied, image);
  const runs = `Container ${name} runs ${running}`;
  const write = `Write ${running} into the manifest.`;
  if (appliedBy?.operation === "Apply")
    return `${runs}, and the manifest that ${appliedBy.manager} applied server-side names ${earlier}: its next apply fails with a conflict with "${fieldManager}". ${remedyOfConflict(running, earlier)}`;
  if (appliedBy !== undefined && isApplier(appliedBy))
    return `${runs}, and the manifest that ${appliedBy.manager} applied names ${earlier}: its next apply sets it back. ${write}`;
  const who = appliedBy?.manager ?? "its last author";
  return `${runs}, and ${who} wrote ${earlier} before: the next apply of a manifest with ${earlier} sets it back. ${write}`;
}

function remedyOfConflict(running: string, earlier: string): string {
  return `Write ${running} into the manifest, or leave the image out. --force-conflicts sets ${earlier} back.`;
}

/** Returns the tags of two images, or the images if their tags are equal or missing. */
function shortest(applied: string, image: string): readonly [string, string] {
  const [earlier, running] = [tagOf(applied), tagOf(image)];
  return earlier === undefined || running === undefined || earlier === running ? [applied, image] : [earlier, running];
}

function tagOf(image: string): string | undefined {
  const parsed = parseImageReference(image);
  return parsed.ok ? parsed.value.tag : undefined;
}
