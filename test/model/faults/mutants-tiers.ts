import { epochMs } from "#domain/shared/time";
import type { TierMember } from "#domain/tiers/member";
import type { Tamper } from "#test/model/world/installation";
import type { HistoryMutant } from "./mutant.ts";

/** Faulty reads of the members of tiers. */
export const tiers: readonly HistoryMutant[] = [
  {
    what: "members of tiers whose soak is over at once",
    caughtBy: "S17",
    tiers: true,
    tamper: withMembers((members) =>
      members.map((member) => ({ ...member, ran: member.ran.map((image) => ({ ...image, at: epochMs(0) })) })),
    ),
  },
  {
    what: "members of tiers that all ran what one of them ran",
    caughtBy: "S17",
    tiers: true,
    tamper: withMembers((members) => {
      const ran = members.flatMap((member) => member.ran);
      return members.map((member) => ({ ...member, ran }));
    }),
  },
  {
    what: "members of tiers that forget which images failed",
    caughtBy: "S17",
    tiers: true,
    tamper: withMembers((members) =>
      members.map((member) => ({
        ...member,
        halted: [],
        ran: [...member.ran, ...member.halted.flatMap(asRan(member))],
      })),
    ),
  },
  {
    what: "a tier with a member that is gone, for which all lower tiers wait",
    caughtBy: "L1",
    tiers: true,
    tamper: withMembers((members) =>
      members.flatMap((member) => [
        member,
        { ...member, workload: { ...member.workload, name: `${member.workload.name}-gone` }, ran: [] },
      ]),
    ),
  },
];

function asRan({ containers }: TierMember) {
  return ({ digest, tag, imageName, at }: TierMember["halted"][number]): TierMember["ran"] =>
    containers
      .filter((container) => container.imageName === imageName)
      .map(({ list, name }) => ({ list, name, imageName, tag, digest, foundAt: at, at }));
}

function withMembers(shown: (members: readonly TierMember[]) => readonly TierMember[]): Tamper {
  return (ports) => ({
    ...ports,
    tierMembers: {
      ...ports.tierMembers,
      list: async (place) => shown(await ports.tierMembers.list(place)),
    },
  });
}
