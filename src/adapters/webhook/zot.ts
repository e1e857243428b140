import { createHash } from "node:crypto";
import * as z from "zod/mini";
import { cloudEventOf } from "./cloud-event.ts";
import { mayBeImage } from "./media-type.ts";
import { anything, instantOf, someText, text } from "./notice.ts";
import { ignored, invalid, type NotificationReader, onePush } from "./reading.ts";

const Updated = z.object({
  name: z.string(),
  reference: text,
  digest: text,
  mediaType: someText,
  manifest: someText,
  actor: z.nullish(z.object({ name: anything })),
});

/**
 * Reads the CloudEvents of zot. The events name no host. The events carry the manifest, which must
 * match the digest.
 *
 * @see https://zotregistry.dev/latest/articles/events/
 */
export const reader: NotificationReader = {
  read(request, settings) {
    const event = cloudEventOf(request);
    if (event === undefined)
      return invalid("expected a CloudEvent: the Ce-Type header is missing, or the body is not JSON");
    if (event.type !== "zotregistry.image.updated") return ignored("no image was updated");
    const updated = Updated.safeParse(event.data);
    if (!updated.success) return invalid("expected name, reference and digest");
    const { name: path, reference, digest, mediaType, manifest, actor } = updated.data;
    if (!mayBeImage(mediaType)) return ignored("the event is not a push of an image");
    if (manifest && !isOf(digest, manifest)) return invalid("the manifest does not match the digest");
    const stated = { id: event.id, path, references: [reference], digest, pushedAt: instantOf(event.time) };
    return onePush({ ...stated, actor: actor?.name }, settings);
  },
};

/**
 * Returns whether a manifest may have a digest. Digests of other algorithms than sha256 are not
 * compared.
 */
function isOf(digest: string, manifest: string): boolean {
  const [algorithm, hex] = digest.split(":");
  return algorithm !== "sha256" || createHash("sha256").update(manifest).digest("hex") === hex;
}
