import type { ReasonView } from "#contracts/api/schema";
import { durationMs, parseInstant } from "#domain/shared/time";
import type { Style } from "./style.ts";
import { clock, span } from "./time.ts";

type Member = NonNullable<ReasonView["member"]>;

/** Returns the name of a member without its kind: `dev/shop/api`. */
export function memberName({ workload }: Pick<Member, "workload">): string {
  if (workload === undefined) return "another member";
  const [cluster = "", namespace = "", , name = ""] = workload.split("/");
  return [cluster, namespace, name].join("/");
}

/** Returns a reason of a tier for a table, if a member decides: `waits for dev/shop/api`. */
export function shortTierReason(view: ReasonView, style: Style): string | undefined {
  const { reason, member } = view;
  const text = member === undefined ? undefined : shortTexts[reason]?.(member);
  const does = memberText(view, style);
  return text === undefined || does === undefined ? text : `${text}${does.slice(memberName(member ?? {}).length)}`;
}

const shortTexts: Readonly<Partial<Record<ReasonView["reason"], (member: Member) => string>>> = {
  "tier-pending": (member) => `waits for ${memberName(member)}`,
  "tier-soaking": ({ tier }) => `tier ${tier} soaks`,
  "tier-halted": (member) => `halted by ${memberName(member)}`,
  "tier-unread": (member) => `no answer from ${memberName(member)}`,
};

/** Returns what an update waited for, for a line of steps: `tier dev: dev/shop/api soaks for 30 m more`. */
export function tierWaitText({ reason, member, until }: ReasonView, at: string): string | undefined {
  const says = member === undefined ? undefined : waitTexts[reason];
  if (says === undefined || member === undefined) return undefined;
  const left = until === undefined ? 0 : Math.max(0, (parseInstant(until) ?? 0) - (parseInstant(at) ?? 0));
  return `tier ${member.tier}: ${memberName(member)} ${says(span(durationMs(left)))}`;
}

const waitTexts: Readonly<Partial<Record<ReasonView["reason"], (left: string) => string>>> = {
  "tier-pending": () => "has not run it",
  "tier-soaking": (left) => `soaks for ${left} more`,
  "tier-halted": () => "halted it",
  "tier-unread": () => "gives no answer",
};

/**
 * Returns what the member does that holds an update: `dev/shop/api: rolls out 1.5.0, since 09:42`. Undefined if it
 * is not known, or if no member holds the update.
 */
export function memberText({ reason, member }: ReasonView, style: Style): string | undefined {
  const holds = reason === "tier-pending" || reason === "tier-halted";
  if (!holds || member?.does === undefined) return undefined;
  const since = member.since === undefined ? "" : `, since ${clock(member.since, style)}`;
  return `${memberName(member)}: ${member.does}${since}`;
}
