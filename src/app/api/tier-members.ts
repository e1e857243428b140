import type { ReasonView } from "#contracts/api/schema";
import { isOfTier } from "#domain/shared/reasons";
import { toIso } from "#domain/shared/time";
import type { TierMember } from "#domain/tiers/member";
import type { ImageChange } from "#domain/workload/patch";
import { parseWorkloadKey } from "#domain/workload/workload";
import { mapBounded } from "../shared/bounded.ts";
import { doingOf, type MemberDoing } from "../shared/member-doing.ts";
import type { Ports } from "../shared/ports.ts";

const readsAtOnce = 10;

/**
 * Returns a function that adds what each member does to the reasons of a workload's tiers. Only the members that
 * these reasons name are read.
 *
 * @param changes - the images that the workload waits to get
 */
export async function tellMembers(
  reasons: readonly ReasonView[],
  changes: readonly ImageChange[],
  { store }: Pick<Ports, "store">,
): Promise<(reason: ReasonView) => ReasonView> {
  const named = [
    ...new Set(reasons.flatMap(({ reason, member }) => (isOfTier(reason) ? (member?.workload ?? []) : []))),
  ];
  const read = await mapBounded(named, readsAtOnce, async (key) => {
    const record = parseWorkloadKey(key).ok ? await store.read(key) : undefined;
    return record?.tracked === true ? ([key, doingView(doingOf(record, changes))] as const) : undefined;
  });
  const states = new Map(read.flatMap((one) => (one === undefined ? [] : [one])));
  return (reason) => {
    const { member } = reason;
    const does = states.get(member?.workload ?? "");
    return member === undefined || does === undefined ? reason : { ...reason, member: { ...member, ...does } };
  };
}

function doingView({ does, since }: MemberDoing): Pick<NonNullable<ReasonView["member"]>, "does" | "since"> {
  return { does, ...(since === undefined ? {} : { since: toIso(since) }) };
}

/**
 * Returns an answer in which no reason names a member of a tier that the caller may not see.
 *
 * @param shows - whether the caller may see a workload
 */
export function withoutHiddenMembers<Answer>(answer: Answer, shows: (workload: string) => boolean): Answer {
  return hidden(answer, shows) as Answer;
}

function hidden(value: unknown, shows: (workload: string) => boolean): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => hidden(one, shows));
  if (typeof value !== "object" || value === null) return value;
  const one = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, hidden(part, shows)]));
  return isReason(one) && !shows(one.member.workload)
    ? { ...one, detail: `${one.member.tier}: another member`, member: { tier: one.member.tier } }
    : one;
}

type NamingReason = { readonly member: Pick<TierMember, "tier"> & { readonly workload: string } };

function isReason(value: object): value is NamingReason {
  const { reason, member } = value as Partial<ReasonView>;
  return typeof reason === "string" && typeof member === "object" && typeof member.workload === "string";
}
