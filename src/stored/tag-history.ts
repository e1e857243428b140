import pLimit from "p-limit";
import * as z from "zod/mini";
import { imageNameOf } from "#domain/image/reference";
import type { ListedTags, TagMove } from "#domain/policy/tag-history";
import type { Condition, ItemKey } from "#ports/items";
import type { RepositoryName } from "#ports/registry";
import type { TagHistory } from "#ports/tag-history";
import { itemOf, type Kind, type Storage, valueOf, valuesOf } from "./kind.ts";
import { digest, instant, maybe, type Members, tag, yes } from "./shape.ts";
import { put, putIf } from "./writes.ts";

/** The kind of the moves of tags. */
export const moveKind: Kind<TagMove> = {
  name: "move of a tag",
  form: 1,
  shape: z.object({ tag, digest, movedAt: instant, isFound: maybe(yes) } satisfies Members<TagMove>),
  isAt: ({ tag }, { sk }) => sk === `${prefix}${tag}`,
};

/** The kind of the marks of all listed tags, as bytes: four for each mark, little-endian. An item may have 400 kB. */
export const listingKind: Kind<Uint8Array> = {
  name: "listed tags",
  form: 1,
  shape: z.custom<Uint8Array>((value) => value instanceof Uint8Array && value.byteLength % 4 === 0),
};

const prefix = "TAG#";
const deletesAtOnce = 10;

function partitionOf(name: RepositoryName): string {
  return `TAGS#${imageNameOf(name)}`;
}

function moveKey(name: RepositoryName, tag: string): ItemKey {
  return { pk: partitionOf(name), sk: `${prefix}${tag}` };
}

function listingKey(name: RepositoryName): ItemKey {
  return { pk: partitionOf(name), sk: "KNOWN" };
}

/** Returns the store of tag histories: the last move of each tag, and the tags that were ever listed. */
export function storedTagHistory(storage: Storage): TagHistory {
  const { items } = storage;
  const movesOf = (name: RepositoryName, doing: string) =>
    items.query({ pk: partitionOf(name), prefix }, `${doing} of ${imageNameOf(name)}`);
  return {
    list: async (name) => valuesOf(moveKind, await movesOf(name, "listing the tag moves"), storage),
    async remember(name, move) {
      const { digest, movedAt, isFound = false } = move;
      const item = itemOf(moveKind, moveKey(name, move.tag), move, { marks: { digest, movedAt, isFound } });
      await putIf(items, item, replacedBy(move), `storing the move of ${imageNameOf(name)}:${move.tag}`);
    },
    async forget(name, forgotten) {
      await pLimit(deletesAtOnce).map(forgotten, ({ tag, movedAt }) => {
        const same = { kind: "equals", mark: "movedAt", value: movedAt } as const;
        const doing = `deleting the move of ${imageNameOf(name)}:${tag}`;
        return items.write([{ kind: "remove", key: moveKey(name, tag), if: same }], doing);
      });
    },
    async listed(name) {
      const item = await items.get(listingKey(name), `reading the listed tags of ${imageNameOf(name)}`);
      return item && marksIn(valueOf(listingKind, item));
    },
    writeListed: (name, tags) =>
      put(
        items,
        itemOf(listingKind, listingKey(name), bytesOf(tags)),
        `storing the listed tags of ${imageNameOf(name)}`,
      ),
    async drop(name) {
      const stored = await movesOf(name, "deleting the tag history");
      await items.removeMany([...stored, listingKey(name)], `deleting the tag history of ${imageNameOf(name)}`);
    },
  };
}

/** Returns the condition that a stored move is not later, and is of another digest or was only found. */
function replacedBy({ digest, movedAt }: TagMove): Condition {
  const isOther = {
    kind: "any",
    of: [
      { kind: "differs", mark: "digest", value: digest },
      { kind: "equals", mark: "isFound", value: true },
    ],
  } as const;
  const isNotLater = { kind: "at-most", mark: "movedAt", value: movedAt } as const;
  return { kind: "any", of: [{ kind: "absent" }, { kind: "all", of: [isOther, isNotLater] }] };
}

function bytesOf(tags: ListedTags): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(tags.length * 4));
  for (const [index, mark] of tags.entries()) bytes.setUint32(index * 4, mark, true);
  return new Uint8Array(bytes.buffer);
}

function marksIn(stored: Uint8Array): ListedTags {
  const bytes = new DataView(stored.buffer, stored.byteOffset, stored.byteLength);
  return Array.from({ length: stored.byteLength / 4 }, (_, index) => bytes.getUint32(index * 4, true));
}
