import type { TierMember, TierPlace } from "#domain/tiers/member";

/** The members of tiers, which are written with their records. Reads are strongly consistent. */
export interface TierMembers {
  /** Lists the members of a tier of a group, by the keys of their workloads. */
  list(place: TierPlace): Promise<readonly TierMember[]>;
  /** Reads one member; undefined if the workload is no member there. */
  read(place: TierPlace, workload: string): Promise<TierMember | undefined>;
}
