import { type ImageName, imageNameOf } from "#domain/image/reference";
import { agesFrom, keptLonger, latestFirst, seenNow, type StoredSighting } from "#domain/policy/tag-age";
import type { DurationMs } from "#domain/shared/time";
import { isAhead } from "#domain/shared/wrong-clock";
import type { RepositoryName } from "#ports/registry";
import type { Ports } from "./ports.ts";

/** The sightings of one repository, with the sightings of this evaluation. */
export interface SeenTags {
  /** Returns the sightings of a tag, the latest first. */
  of(tag: string): readonly StoredSighting[];
  /** Returns the latest sighting of each tag. */
  latest(): readonly StoredSighting[];
  /** Stores that the registry has named the digest of a tag. Returns its sighting. */
  see(tag: string, digest: string, minAge: DurationMs): Promise<StoredSighting>;
  /** Keeps a sighting that is still needed, with the content of its manifest if it is known. */
  keep(sighting: StoredSighting, minAge: DurationMs, content?: string): Promise<void>;
  /** Forgets sightings, because the registry no longer has the tags or the digests. */
  forget(sightings: readonly StoredSighting[]): Promise<void>;
}

/** Reads the sightings of a repository. Several selections may share the result. */
export async function readSeenTags(name: RepositoryName, { sightings, clock }: Ports): Promise<SeenTags> {
  const imageName: ImageName = imageNameOf(name);
  const readAt = clock.now();
  const alive = (await sightings.list(imageName)).filter(
    // No sighting of now is stored over one of the future, so that one counts.
    ({ keptUntil, seenAt }) => keptUntil > readAt || isAhead(seenAt, readAt),
  );
  const byTag = new Map<string, readonly StoredSighting[]>();
  for (const [tag, all] of Map.groupBy(alive, ({ tag }) => tag)) byTag.set(tag, latestFirst(all));
  const of: SeenTags["of"] = (tag) => byTag.get(tag) ?? [];
  const others = (sighting: StoredSighting) => of(sighting.tag).filter(({ digest }) => digest !== sighting.digest);
  const store = async (sighting: StoredSighting): Promise<StoredSighting> => {
    if (of(sighting.tag).includes(sighting)) return sighting;
    // Another selection may see the tag while this sighting is being stored.
    byTag.set(sighting.tag, latestFirst([...others(sighting), sighting]));
    await sightings.remember([sighting], clock.now());
    return sighting;
  };
  return {
    of,
    latest: () => [...byTag.values()].flatMap(([latest]) => latest ?? []),
    see: (tag, digest, minAge) => store(seenNow(of(tag), { imageName, tag, digest }, minAge, clock.now())),
    async keep(sighting, minAge, content) {
      const current = of(sighting.tag).find(({ digest }) => digest === sighting.digest) ?? sighting;
      const kept = keptLonger(current, minAge, clock.now());
      await store(content === undefined || content === kept.content ? kept : { ...kept, content });
    },
    async forget(gone) {
      // Another function may have stored a sighting after this one was listed.
      const stored = gone.filter((sighting) => agesFrom(sighting, readAt) < readAt);
      for (const sighting of stored) byTag.set(sighting.tag, others(sighting));
      if (stored.length > 0) await sightings.forget(stored);
    },
  };
}
