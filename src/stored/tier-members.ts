import type { TierMember, TierPlace } from "#domain/tiers/member";
import { hours, plus } from "#domain/shared/time";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { parseWorkloadKey, workloadKey } from "#domain/workload/workload";
import type { ItemKey, ItemWrite } from "#ports/items";
import type { TierMembers } from "#ports/tier-members";
import { itemOf, type Kind, type Storage, valuesOf } from "./kind.ts";
import { tierMember } from "./record-shape.ts";

const partitionPrefix = "TIER#";

/** The kind of members of tiers. One that can't be read has run nothing, so its tier stays closed. */
export const tierMemberKind: Kind<TierMember> = {
  name: "member of a tier",
  form: 1,
  shape: tierMember,
  isAt: (member, { pk, sk }) =>
    pk === tierPartition(member) && sk === placeKey(member, workloadKey(member.workload)).sk,
  closed({ pk, sk }) {
    const [tier = "", key = ""] = sk.split("#");
    const workload = parseWorkloadKey(key);
    if (!workload.ok) return undefined;
    const place = { group: pk.slice(partitionPrefix.length), tier };
    return { ...place, workload: workload.value, containers: [], ran: [], halted: [], isUnreadable: true };
  },
};

/** Returns the partition of the members of a group. */
export function tierPartition({ group }: Pick<TierPlace, "group">): string {
  return `${partitionPrefix}${group}`;
}

/** Returns the key of a member. No name of a tier has a `#`. */
function placeKey(place: TierPlace, workload: string): ItemKey {
  return { pk: tierPartition(place), sk: `${place.tier}#${workload}` };
}

/** Returns the writes of a record's change of its tier. */
export function tierWrites({ workload, effects: { tier } }: WorkloadRecord): readonly ItemWrite[] {
  const { puts, leaves } = tier ?? {};
  const key = workloadKey(workload);
  return [
    ...(puts === undefined ? [] : [{ kind: "put", item: itemOf(tierMemberKind, placeKey(puts, key), puts) } as const]),
    ...(leaves === undefined ? [] : [writeOfLeft(leaves, placeKey(leaves, key))]),
  ];
}

/** The time for which a place keeps what a member that left ran and blocked there. */
const keptFor = hours(30 * 24);

/** Returns the write of a member that left. One that ran and blocked nothing is forgotten. */
function writeOfLeft(left: TierMember, key: ItemKey): ItemWrite {
  if (left.leftAt === undefined || left.ran.length + left.halted.length === 0) return { kind: "remove", key };
  return { kind: "put", item: itemOf(tierMemberKind, key, left, { expiresAt: plus(left.leftAt, keptFor) }) };
}

/** Returns the store of members of tiers. They are written with their records. */
export function storedTierMembers(storage: Storage): TierMembers {
  const { items } = storage;
  return {
    async list(place) {
      const query = { pk: tierPartition(place), prefix: `${place.tier}#` };
      const found = await items.query(query, `reading tier ${place.tier} of ${place.group}`);
      return valuesOf(tierMemberKind, found, storage);
    },
    async read(place, workload) {
      const item = await items.get(placeKey(place, workload), `reading ${workload} in tier ${place.tier}`);
      return item && valuesOf(tierMemberKind, [item], storage)[0];
    },
  };
}
