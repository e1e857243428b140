import { type ImageName, imageNameOf } from "#domain/image/reference";
import { keptLonger, seenNow, sightingsOf, type StoredSighting } from "#domain/policy/tag-age";
import type { TaggedImage } from "#domain/policy/tag-history";
import type { DurationMs } from "#domain/shared/time";
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
export async function readSeenTags(
  name: RepositoryName,
  { sightings, clock }: Pick<Ports, "sightings" | "clock">,
): Promise<SeenTags> {
  const imageName: ImageName = imageNameOf(name);
  const readAt = clock.now();
  const byKey = new Map<string, StoredSighting>();
  for (const one of await sightings.list(imageName)) if (one.keptUntil > readAt) byKey.set(keyOf(one), one);
  const of: SeenTags["of"] = (tag) => sightingsOf([...byKey.values()], tag);
  const store = async (sighting: StoredSighting): Promise<StoredSighting> => {
    if (byKey.get(keyOf(sighting)) === sighting) return sighting;
    // Another selection may see the tag while this sighting is being stored.
    byKey.set(keyOf(sighting), sighting);
    await sightings.remember([sighting], clock.now());
    return sighting;
  };
  return {
    of,
    latest: () => {
      const latest = new Map<string, StoredSighting>();
      for (const one of byKey.values()) if ((latest.get(one.tag)?.seenAt ?? -1) < one.seenAt) latest.set(one.tag, one);
      return [...latest.values()];
    },
    see: (tag, digest, minAge) => store(seenNow(of(tag), { imageName, tag, digest }, minAge, clock.now())),
    async keep(sighting, minAge, content) {
      const current = byKey.get(keyOf(sighting)) ?? sighting;
      const kept = keptLonger(current, minAge, clock.now());
      await store(content === undefined || content === kept.content ? kept : { ...kept, content });
    },
    async forget(gone) {
      // Another function may have stored a sighting after this one was listed.
      const stored = gone.filter((one) => one.seenAt < readAt && byKey.delete(keyOf(one)));
      if (stored.length > 0) await sightings.forget(stored);
    },
  };
}

function keyOf({ tag, digest }: TaggedImage): string {
  return `${tag} ${digest}`;
}
