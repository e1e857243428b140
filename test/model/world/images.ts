import type { Chance } from "#test/model/chance";
import type { ImageBehaviour } from "#adapters/memory/cluster-state";
import { memoryRegistry, type MemoryRegistry } from "./registry-hands.ts";
import { host, pinOf, tagOf } from "#test/model/image-text";

/** The pushed images of a history. */
export interface Images {
  readonly registry: MemoryRegistry;
  /** The digests whose pods do not start. */
  readonly broken: ReadonlySet<string>;
  /** The digests whose last started pods do not run, although the image may be mended since. */
  readonly failing: ReadonlySet<string>;
  /** Returns how the containers of an image behave in pods that start now. */
  behaviour(image: string, now: number): ImageBehaviour;
  /** Returns how the pulls of a digest fail for a while. Undefined: they don't. */
  pullFault(digest: string): PullFault | undefined;
  /** Ends the limit of pulls for pods that start from an instant on. */
  endLimits(at: number): void;
  /** The digests that a node has pulled. */
  readonly pulled: ReadonlySet<string>;
  push(repository: string, tag: string, broken: boolean): string;
  /** Makes the pods of all pushed images start from now on. */
  mend(): void;
  /** Moves a tag back to its first digest, and returns that digest. */
  moveBack(repository: string, tag: string): string | undefined;
  /** Returns the tags of a repository, the oldest push first. */
  tags(repository: string): readonly string[];
  /** Returns the current digest of an image text: its pin, else the digest of its tag. */
  digestOf(image: string): string | undefined;
  /** Pulls an image to a node, and returns its digest. */
  pull(image: string): string | undefined;
  /** Returns all digests that an image text has had so far. */
  digestsOf(image: string): readonly string[];
  /** Returns whether the tag of an image text named one digest, and later another. */
  namedAfter(text: string, before: string, after: string): boolean;
  /** Returns the number of names so far: each push and each move of a tag is one. */
  named(): number;
  /** Returns whether an image text named a digest last before a number of names. */
  namedBefore(text: string, digest: string, names: number): boolean;
  /** Returns the tags of an image name before a number of names. */
  tagsBefore(imageName: string, names: number): readonly string[];
}

/** `limit`: a registry limits pulls until half an hour after the faults stop. `denial`: each pod's pulls are denied for a while. */
type PullFault = "limit" | "denial";

/** The time for which pulls are denied: less than the usual grace. */
const deniedForMs = 20_000;

/** Returns an empty registry. The pulls of some later pushes fail, as `pulls` chooses. Absent: none. */
export function noImages(pulls?: Chance): Images {
  const registry = memoryRegistry();
  const named = new Map<string, string[]>();
  const broken = new Set<string>();
  const failing = new Set<string>();
  let limitsUntil = Infinity;
  const digestOf = (image: string): string | undefined => pinOf(image) ?? named.get(image)?.at(-1);
  const pulled = new Set<string>();
  const pullFaults = new Map<string, PullFault>();
  const log: string[] = [];
  const name = (text: string, digest: string): void => {
    named.set(text, [...(named.get(text) ?? []), digest]);
    log.push(`${text}@${digest}`);
  };
  return {
    registry,
    broken,
    failing,
    pulled,
    push(repository, tag, isBroken) {
      const digest = registry.push(host, repository, tag);
      const isFirst = named.size < 2;
      name(`${host}/${repository}:${tag}`, digest);
      if (isBroken) broken.add(digest);
      else if (!isFirst && pulls?.happens(0.35) === true)
        pullFaults.set(digest, pulls.happens(0.7) ? "limit" : "denial");
      return digest;
    },
    behaviour(image, now) {
      const digest = digestOf(image) ?? "";
      failing.delete(digest);
      if (broken.has(digest)) {
        failing.add(digest);
        return "cannot-be-pulled";
      }
      const because = pullFaults.get(digest);
      if (because === undefined || (because === "limit" && now >= limitsUntil)) return "runs";
      return { kind: "pulled-later", afterMs: because === "limit" ? Infinity : deniedForMs, because };
    },
    pullFault: (digest) => pullFaults.get(digest),
    endLimits: (at) => {
      limitsUntil = at;
    },
    mend: () => {
      broken.clear();
      limitsUntil = 0;
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
    digestOf,
    pull(image) {
      const digest = digestOf(image);
      if (digest !== undefined) pulled.add(digest);
      return digest;
    },
    digestsOf: (image) => {
      const pin = pinOf(image);
      return pin === undefined ? (named.get(image) ?? []) : [pin];
    },
    namedAfter(text, before, after) {
      const digests = named.get(text) ?? [];
      return digests.includes(before) && digests.lastIndexOf(after) > digests.indexOf(before);
    },
    named: () => log.length,
    namedBefore: (text, digest, names) => {
      const last = log.lastIndexOf(`${text}@${digest}`);
      return last !== -1 && last < names;
    },
    tagsBefore: (imageName, names) =>
      log.slice(0, names).flatMap((one) => (one.startsWith(`${imageName}:`) ? [tagOf(one)] : [])),
  };
}
