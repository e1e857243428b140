import { parseImageReference } from "../../image/reference.ts";
import { agreedAttributes, groupsOf } from "../../policy/attributes.ts";
import { statusPrefix, type WorkloadSettings } from "../../settings/settings.ts";
import { type EpochMs, toIso } from "../../shared/time.ts";
import { changesText, textOfImages } from "../../workload/changes-text.ts";
import type { ImageChange } from "../../workload/patch.ts";
import type { LiveWorkload } from "../../workload/workload.ts";
import type { WorkloadRecord } from "../state/workload.ts";

/** The inputs of the status annotations that a patch writes. */
export interface StatusInputs {
  readonly live: LiveWorkload;
  /** `from` is the image on the object, and `to` is the image that the patch writes. */
  readonly changes: readonly ImageChange[];
  readonly settings: WorkloadSettings;
  /** The number of the workload's updates that landed, with the update of this patch. */
  readonly updateCount: number;
  readonly now: EpochMs;
}

/**
 * The annotation of a held update that waits for an approval. A patch of the images removes this
 * annotation.
 */
export const availableUpdateKey = `${statusPrefix}available-update`;

/**
 * Returns the images of the pending update that needs an approval, as text of
 * {@link availableUpdateKey}. Returns undefined if no pending update needs an approval.
 */
export function availableUpdate({ tracked, pending }: WorkloadRecord): string | undefined {
  if (!tracked || pending?.approval === undefined) return undefined;
  return changesText(pending.changes) ?? `${pending.changes.length} containers`;
}

const attributePrefix = `${statusPrefix}attribute.`;

/**
 * Returns the status annotations that a patch writes beside the images; the value undefined removes
 * an annotation.
 *
 * Attributes of an earlier tag are removed. Lookout never reads these annotations.
 */
export function statusAnnotations(inputs: StatusInputs): Readonly<Record<string, string | undefined>> {
  const { live, changes, updateCount, now } = inputs;
  return {
    ...outdated(live),
    [`${statusPrefix}last-update`]: toIso(now),
    [`${statusPrefix}previous-image`]: imagesText(live, []),
    [`${statusPrefix}current-image`]: imagesText(live, changes),
    [`${statusPrefix}update-count`]: String(updateCount),
    ...attributes(inputs),
  };
}

/**
 * Returns the outdated annotations of the object with the value undefined, which removes them. A
 * patch can't remove an absent annotation.
 */
function outdated({ annotations }: LiveWorkload): Readonly<Record<string, undefined>> {
  const keys = Object.keys(annotations).filter((key) => key === availableUpdateKey || key.startsWith(attributePrefix));
  return Object.fromEntries(keys.map((key) => [key, undefined]));
}

/**
 * Returns the images of all containers after some changes:
 * `api=shop/api:1.4.0,init:migrate=shop/migrate:2.0.1`.
 */
function imagesText({ containers }: LiveWorkload, changes: readonly ImageChange[]): string {
  const images = containers.map(({ list, name, image, isUnset }) => {
    const change = changes.find((one) => one.list === list && one.name === name);
    return { list, name, image: change?.to ?? (isUnset === true ? "none" : image) };
  });
  return textOfImages(images) ?? `${containers.length} containers`;
}

/**
 * Returns the named groups of the patterns as annotations. A group with different values gets no
 * annotation.
 */
function attributes({ changes, settings }: StatusInputs): Readonly<Record<string, string>> {
  const found = agreedAttributes(changes.flatMap((change) => groupsIn(change, settings)));
  return Object.fromEntries(found.map(([name, value]) => [`${attributePrefix}${name}`, value]));
}

function groupsIn({ name, to }: ImageChange, { containers }: WorkloadSettings): ReturnType<typeof groupsOf> {
  const rule = containers[name];
  const written = parseImageReference(to);
  return rule === undefined || !written.ok || written.value.tag === undefined ? [] : groupsOf(rule, written.value.tag);
}
