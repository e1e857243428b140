import { memoryRegistry, type MemoryRegistry } from "./registry-hands.ts";
import { host, pinOf, tagOf } from "#test/model/image-text";

/** What was pushed in a history. */
export interface Images {
  readonly registry: MemoryRegistry;
  /** Digests whose pods do not start. */
  readonly broken: ReadonlySet<string>;
  push(repository: string, tag: string, broken: boolean): string;
  /** From here on everything that was pushed starts. */
  mend(): void;
  /** Lets a tag name once more what it named first; answers that digest. */
  moveBack(repository: string, tag: string): string | undefined;
  /** The tags of a repository, the oldest push first. */
  tags(repository: string): readonly string[];
  /** The digest that an image text names at this moment: its pin, else what its tag names. */
  digestOf(image: string): string | undefined;
  /** Every digest that an image text may have named so far. */
  digestsOf(image: string): readonly string[];
  /** Answers whether an image text without its pin named one digest, and later another. */
  namedAfter(text: string, before: string, after: string): boolean;
}

/** An empty registry. */
export function noImages(): Images {
  const registry = memoryRegistry();
  const named = new Map<string, string[]>();
  const broken = new Set<string>();
  const name = (text: string, digest: string): void => void named.set(text, [...(named.get(text) ?? []), digest]);
  return {
    registry,
    broken,
    push(repository, tag, isBroken) {
      const digest = registry.push(host, repository, tag);
      name(`${host}/${repository}:${tag}`, digest);
      if (isBroken) broken.add(digest);
      return digest;
    },
    mend: () => {
      broken.clear();
    },
    moveBack(repository, tag) {
      const text = `${host}/${repository}:${tag}`;
      const [first] = named.get(text) ?? [];
      if (first === undefined) return undefined;
      registry.moveTag(host, repository, tag, first);
      name(text, first);
      return first;
    },
    tags: (repository) =>
      [...named.keys()].filter((text) => text.startsWith(`${host}/${repository}:`)).map((text) => tagOf(text)),
    digestOf: (image) => pinOf(image) ?? named.get(image)?.at(-1),
    digestsOf: (image) => {
      const pin = pinOf(image);
      return pin === undefined ? (named.get(image) ?? []) : [pin];
    },
    namedAfter(text, before, after) {
      const digests = named.get(text) ?? [];
      return digests.includes(before) && digests.lastIndexOf(after) > digests.indexOf(before);
    },
  };
}
