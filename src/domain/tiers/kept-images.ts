import { mostRan, type RanImage } from "./member.ts";

/** The latest images of a container that are always kept. */
const latestKept = 4;
/** The highest rank of a digest: of 4,096 digests, one has it. */
const highestRank = 12;

/**
 * Returns the images that a member remembers: the latest ones of each container, and of the older ones the
 * latest of each rank.
 *
 * Half of all digests have the rank 0, a quarter the rank 1, and so on. So the older images are kept ever more
 * rarely, and all members keep the same ones: in a tier that gets an image every minute, one of them has soaked.
 * In a list of the last ten, none ever has.
 *
 * @param ran - the images that ran, the latest success first.
 */
export function keptImages(ran: readonly RanImage[]): readonly RanImage[] {
  const seen = new Map<string, { count: number; rank: number }>();
  const kept = ran.filter(({ list, name, digest }) => {
    const container = `${list} ${name}`;
    const before = seen.get(container) ?? { count: 0, rank: 0 };
    const rank = rankOf(digest);
    const isKept = before.count < latestKept || rank > before.rank;
    seen.set(container, { count: before.count + 1, rank: Math.max(before.rank, rank) });
    return isKept;
  });
  return kept.slice(0, mostRan);
}

/** Returns the number of zero bits at the end of a digest, at most {@link highestRank}. */
export function rankOf(digest: string): number {
  const bits = Number.parseInt(digest.slice(-3), 16);
  if (Number.isNaN(bits)) return 0;
  for (let rank = 0; rank < highestRank; rank += 1) if ((bits >> rank) % 2 === 1) return rank;
  return highestRank;
}
