import pLimit from "p-limit";
import { imageNameOf } from "#domain/image/reference";
import type { ListedTags, TagMove } from "#domain/policy/tag-history";
import type { Condition, ItemKey } from "#ports/items";
import type { RepositoryName } from "#ports/registry";
import type { TagHistory } from "#ports/tag-history";
import { ok, problem } from "#domain/shared/result";
import { itemOf, type Kind, objectWith, type Storage, valueOf, valuesOf } from "./kind.ts";
import { put, putIf } from "./writes.ts";

/** The last move of a tag. */
export const moves: Kind<TagMove> = {
  name: "move of a tag",
  form: 1,
  read: objectWith({ tag: "string", digest: "string", movedAt: "number" }),
};

/** The marks of all listed tags, as bytes: four for each mark, little-endian. An item may have 400 kB. */
export const listings: Kind<Uint8Array> = {
  name: "listed tags",
  form: 1,
  read: (value) =>
    value instanceof Uint8Array && value.byteLength % 4 === 0 ? ok(value) : problem("it has no whole marks"),
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
    list: async (name) => valuesOf(moves, await movesOf(name, "listing the tag moves"), storage),
    async remember(name, move) {
      const { digest, movedAt, isFound = false } = move;
      const item = itemOf(moves, moveKey(name, move.tag), move, { marks: { digest, movedAt, isFound } });
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
      return item && marksIn(valueOf(listings, item));
    },
    writeListed: (name, tags) =>
      put(items, itemOf(listings, listingKey(name), bytesOf(tags)), `storing the listed tags of ${imageNameOf(name)}`),
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
