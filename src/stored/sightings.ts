import pLimit from "p-limit";
import type { StoredSighting } from "#domain/policy/tag-age";
import type { TaggedImage } from "#domain/policy/tag-history";
import type { ItemKey } from "#ports/items";
import type { Sightings } from "#ports/sightings";
import { itemOf, type Kind, objectWith, type Storage, valuesOf } from "./kind.ts";
import { putIf } from "./writes.ts";

/** The first sight of a digest under a tag. */
export const kind: Kind<StoredSighting> = {
  name: "first sight of a digest",
  form: 1,
  read: objectWith({ imageName: "string", tag: "string", digest: "string", seenAt: "number", keptUntil: "number" }),
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
      await pLimit(writesAtOnce).map(sightings, ({ imageName, tag, digest, seenAt, keptUntil, content }) => {
        const stored = { imageName, tag, digest, seenAt, keptUntil, ...(content === undefined ? {} : { content }) };
        const item = itemOf(kind, keyOf(stored), stored, { marks: { seenAt }, expiresAt: keptUntil });
        const isLater = {
          kind: "any",
          of: [{ kind: "absent" }, { kind: "at-most", mark: "seenAt", value: seenAt }],
        } as const;
        return putIf(items, item, isLater, `storing when ${imageName}:${tag} came to its digest`);
      });
    },
    async list(imageName) {
      const query = { pk: partitionOf(imageName), prefix };
      return valuesOf(kind, await items.query(query, `listing the sightings of ${imageName}`), storage);
    },
    among: async (images) =>
      valuesOf(kind, await items.getMany(images.map(keyOf), "reading when tags came to digests"), storage),
    async forget(sightings) {
      await pLimit(writesAtOnce).map(sightings, (sighting) => {
        const same = { kind: "equals", mark: "seenAt", value: sighting.seenAt } as const;
        const doing = `deleting a sighting of ${sighting.imageName}:${sighting.tag}`;
        return items.write([{ kind: "remove", key: keyOf(sighting), if: same }], doing);
      });
    },
  };
}
