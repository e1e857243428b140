import { tableShape } from "#contracts/aws/table";
import type { Sighting, TaggedImage } from "#domain/policy/tag-history";
import type { EpochMs } from "#domain/shared/time";
import { type Sightings, sightingsKept } from "#ports/sightings";
import type { DynamoTable } from "./client.ts";
import type { ItemKey } from "./keys.ts";
import { type Item, readItems } from "./reads.ts";
import { putNewItem } from "./writes.ts";

const doing = "reading when images were first seen";

/** Returns the key of a sighting. The separator is `#`, because no tag contains this character. */
function sightingKey({ imageName, tag, digest }: TaggedImage): ItemKey {
  return { pk: `TAGS#${imageName}`, sk: `SEEN#${tag}#${digest}` };
}

/**
 * Returns the store of sightings. A sighting states when a digest was first seen under a tag. Each
 * sighting has one item, in the partition of the tag history.
 */
export function dynamoSightings(where: DynamoTable): Sightings {
  const among: Sightings["among"] = async (images) =>
    (await readItems(where, images.map(sightingKey), doing)).map(sightingOf);
  return {
    async remember(images, at) {
      const known = await among(images);
      const fresh = images.filter((image) => !known.some((sighting) => isSame(sighting, image)));
      if (fresh.length === 0) return known;
      await Promise.all(fresh.map((image) => putSighting(where, image, at)));
      return among(images);
    },
    among,
  };
}

function isSame(one: TaggedImage, other: TaggedImage): boolean {
  return one.imageName === other.imageName && one.tag === other.tag && one.digest === other.digest;
}

async function putSighting(where: DynamoTable, image: TaggedImage, seenAt: EpochMs): Promise<void> {
  const { imageName, tag, digest } = image;
  const expiry = { [tableShape.expiryAttribute]: Math.floor((seenAt + sightingsKept) / 1_000) };
  const item = { ...sightingKey(image), ...expiry, sighting: { imageName, tag, digest, seenAt } };
  await putNewItem(where, item, `storing when ${imageName}:${tag} was first seen`);
}

function sightingOf(item: Item): Sighting {
  return item.sighting as Sighting;
}
