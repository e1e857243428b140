import pLimit from "p-limit";
import * as z from "zod/mini";
import type { StoredSighting } from "#domain/policy/tag-age";
import type { TaggedImage } from "#domain/policy/tag-history";
import { withoutUndefined } from "#domain/shared/without-undefined";
import type { ItemKey } from "#ports/items";
import type { Sightings } from "#ports/sightings";
import { isSameKey } from "./keys.ts";
import { itemOf, type Kind, type Storage, valuesOf } from "./kind.ts";
import { anyText, digest, imageName, instant, maybe, type Members, tag } from "./shape.ts";
import { putIf } from "./writes.ts";

/** The kind of first sights of digests. */
export const sightingKind: Kind<StoredSighting> = {
  name: "first sight of a digest",
  form: 1,
  shape: z.object({
    imageName,
    tag,
    digest,
    seenAt: instant,
    doubtedAt: maybe(instant),
    keptUntil: instant,
    content: maybe(anyText),
  } satisfies Members<StoredSighting>),
  isAt: (sighting, { pk, sk }) => isSameKey(keyOf(sighting), { pk, sk }),
};

const prefix = "SEEN#";
const writesAtOnce = 10;

function partitionOf(imageName: string): string {
  return `TAGS#${imageName}`;
}

/** Returns the key of a sighting. The separator is `#`, because no tag contains this character. */
function keyOf({ imageName, tag, digest }: TaggedImage): ItemKey {
  return { pk: partitionOf(imageName), sk: `${prefix}${tag}#${digest}` };
}

/** Returns the store of sightings, in the partitions of the tag histories. */
export function storedSightings(storage: Storage): Sightings {
  const { items } = storage;
  return {
    async remember(sightings) {
      await pLimit(writesAtOnce).map(sightings, ({ imageName, tag, digest, seenAt, doubtedAt, keptUntil, content }) => {
        const known = withoutUndefined({ doubtedAt, content });
        const stored: StoredSighting = { imageName, tag, digest, seenAt, keptUntil, ...known };
        const item = itemOf(sightingKind, keyOf(stored), stored, { marks: { seenAt }, expiresAt: keptUntil });
        const isLater = {
          kind: "any",
          of: [{ kind: "absent" }, { kind: "at-most", mark: "seenAt", value: seenAt }],
        } as const;
        return putIf(items, item, isLater, `storing when ${imageName}:${tag} came to its digest`);
      });
    },
    async list(imageName) {
      const query = { pk: partitionOf(imageName), prefix };
      return valuesOf(sightingKind, await items.query(query, `listing the sightings of ${imageName}`), storage);
    },
    among: async (images) =>
      valuesOf(sightingKind, await items.getMany(images.map(keyOf), "reading when tags came to digests"), storage),
    async forget(sightings) {
      await pLimit(writesAtOnce).map(sightings, (sighting) => {
        const same = { kind: "equals", mark: "seenAt", value: sighting.seenAt } as const;
        const doing = `deleting a sighting of ${sighting.imageName}:${sighting.tag}`;
        return items.write([{ kind: "remove", key: keyOf(sighting), if: same }], doing);
      });
    },
  };
}
