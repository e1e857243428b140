import { beforeEach, expect, it } from "vitest";
import type { TierChange, TierMember } from "#domain/tiers/member";
import { epochMs } from "#domain/shared/time";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { workloadKey } from "#domain/workload/workload";
import type { WorkloadStore } from "#ports/store";
import type { TierMembers } from "#ports/tier-members";
import { deployment, firstRecord, nextRecord } from "./records.ts";

/** A store of records, and the members of tiers that are written with them. */
export interface TierMembersBed {
  readonly store: WorkloadStore;
  readonly tierMembers: TierMembers;
}

const memberOf = (name: string, given: Partial<TierMember> = {}): TierMember => ({
  ...{ group: "shop/web", tier: "dev", workload: deployment(name), containers: [], ran: [], halted: [] },
  ...given,
});
const joining = (member: TierMember): WorkloadRecord =>
  firstRecord(member.workload, { effects: { tier: { puts: member } } });
const next = (record: WorkloadRecord, tier: TierChange): WorkloadRecord => nextRecord(record, { effects: { tier } });
const leaves = (member: TierMember): NonNullable<TierChange["leaves"]> => ({ ...member, leftAt: epochMs(9_000) });

/** What all stores of members of tiers do, whatever keeps them. */
export function tierMembersContract(makeBed: () => Promise<TierMembersBed>): void {
  let store: WorkloadStore;
  let tierMembers: TierMembers;
  const namesIn = async (group: string, tier: string) =>
    (await tierMembers.list({ group, tier })).map(({ workload }) => workload.name);
  beforeEach(async () => {
    ({ store, tierMembers } = await makeBed());
  });

  it("a tier has no members at first", async () => {
    expect(await namesIn("shop/web", "dev")).toEqual([]);
    expect(await tierMembers.read({ group: "shop/web", tier: "dev" }, workloadKey(deployment("api")))).toBeUndefined();
  });

  it("members are stored with their records, and listed by workload, without those of similar places", async () => {
    const members = [memberOf("b"), memberOf("a", { suspended: true })];
    const others = [
      memberOf("c", { tier: "dev2" }),
      memberOf("d", { group: "shop/web2" }),
      memberOf("e", { tier: "de" }),
    ];
    for (const member of [...members, ...others]) await store.write(joining(member));
    expect(await tierMembers.list({ group: "shop/web", tier: "dev" })).toEqual(members.toReversed());
    expect(await tierMembers.read({ group: "shop/web", tier: "dev" }, workloadKey(deployment("a")))).toEqual(
      members[1],
    );
    expect(await tierMembers.read({ group: "shop/web", tier: "de" }, workloadKey(deployment("a")))).toBeUndefined();
  });

  it("a member that left stays with what failed on it, until it comes back", async () => {
    const halted = [
      { imageName: "registry.test/web", tag: "1", digest: "sha256:1", reason: "rollout-failed", at: epochMs(1) },
    ] as const;
    const member = memberOf("a", { halted });
    const first = joining(member);
    const second = next(first, { leaves: leaves(member) });
    await store.write(first);
    await store.write(second);
    expect(await tierMembers.list({ group: "shop/web", tier: "dev" })).toEqual([{ ...member, leftAt: epochMs(9_000) }]);
    await store.write(next(second, { puts: member }));
    expect(await tierMembers.list({ group: "shop/web", tier: "dev" })).toEqual([member]);
  });

  it("a member moves between tiers and groups with one version of its record", async () => {
    const first = joining(memberOf("a"));
    const second = next(first, { puts: memberOf("a", { tier: "prod" }), leaves: leaves(memberOf("a")) });
    const third = next(second, {
      puts: memberOf("a", { group: "web" }),
      leaves: leaves(memberOf("a", { tier: "prod" })),
    });
    for (const record of [first, second]) await store.write(record);
    expect([await namesIn("shop/web", "dev"), await namesIn("shop/web", "prod")]).toEqual([[], ["a"]]);
    await store.write(third);
    expect([await namesIn("shop/web", "prod"), await namesIn("web", "dev")]).toEqual([[], ["a"]]);
  });

  it("a member leaves with the version that untracks its workload", async () => {
    const first = joining(memberOf("a"));
    await store.write(first);
    await store.write({ ...next(first, { leaves: leaves(memberOf("a")) }), tracked: false });
    expect(await namesIn("shop/web", "dev")).toEqual([]);
  });

  it("a version that changes nothing for tiers keeps the member", async () => {
    const first = joining(memberOf("a"));
    await store.write(first);
    await store.write(nextRecord(first));
    expect(await namesIn("shop/web", "dev")).toEqual(["a"]);
  });

  it("a refused version moves no member", async () => {
    const first = joining(memberOf("a"));
    const late = next(first, { puts: memberOf("a", { tier: "prod" }), leaves: leaves(memberOf("a")) });
    for (const record of [first, nextRecord(first, { cause: "another" })]) await store.write(record);
    expect(await store.write(late)).toEqual({ kind: "conflict" });
    expect([await namesIn("shop/web", "dev"), await namesIn("shop/web", "prod")]).toEqual([["a"], []]);
  });
}
