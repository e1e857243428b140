import { isSameDigest, type RepositoryDigest } from "../../workload/repository-digest.ts";
import type { StateChanges } from "../state/changes.ts";
import type { WorkloadRecord } from "../state/workload.ts";
import { keepNewest } from "./manual-change.ts";

type Remembering = Pick<WorkloadRecord, "unreleased" | "pending">;

/** Returns the digests that Lookout found while it observed, and that nobody has released since. */
export function unreleasedOf({ unreleased, pending }: Remembering): readonly RepositoryDigest[] {
  // A record of an earlier Lookout has only the digests of its held update.
  return unreleased ?? (pending?.observed === true ? pending.changes : []);
}

/** Returns the part of the state that remembers digests as observed. Empty if it has them already. */
export function remembering(
  record: Remembering,
  digests: readonly RepositoryDigest[],
): Pick<StateChanges, "unreleased"> {
  const known = unreleasedOf(record);
  const all = [...known, ...digests]
    .filter((one, index, among) => among.findIndex(isSameDigest(one)) === index)
    .map(({ imageName, digest }) => ({ imageName, digest }));
  const isKnown = all.length === (record.unreleased?.length ?? 0);
  return isKnown ? {} : { unreleased: keepNewest(all) };
}
