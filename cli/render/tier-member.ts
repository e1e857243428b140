import type { ReasonView } from "#contracts/api/schema";
import { reasons } from "#domain/shared/reasons";
import { durationMs, parseInstant } from "#domain/shared/time";
import type { MemberStateName } from "#domain/tiers/member-state";
import type { Style } from "./style.ts";
import { clock, span } from "./time.ts";

type Member = NonNullable<ReasonView["member"]>;
type Does = NonNullable<Member["does"]>;

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
 * Returns what the member does that holds an update: `dev/shop/api: rolling out 1.5.0 since 09:42`. Undefined if it
 * is not known, or if no member holds the update.
 */
export function memberText({ reason, member }: ReasonView, style: Style): string | undefined {
  const holds = reason === "tier-pending" || reason === "tier-halted";
  if (!holds || member?.does === undefined) return undefined;
  return `${memberName(member)}: ${doesText(member.does, style)}`;
}

function doesText(does: Does, style: Style): string {
  const at = does.since === undefined ? undefined : clock(does.since, style);
  const text: Words = doing[does.what] ?? ((_, since) => does.what.replaceAll("-", " ") + since);
  return text(
    { runs: "another image", tag: "another image", waits: [], ...does },
    at === undefined ? "" : ` since ${at}`,
  );
}

type Words = (does: Does & Required<Pick<Does, "runs" | "tag" | "waits">>, since: string) => string;

/** A newer server may send a state that this version does not know. */
const doing: Readonly<Partial<Record<string, Words>>> = {
  "rolling-out": ({ tag }, since) => `rolling out ${tag}${since}`,
  "rolling-back": ({ tag }, since) => `rolling back from ${tag}${since}`,
  held: ({ tag, waits }, since) => `holds ${tag}: ${waits.map(shortOf).join(", ")},${since}`,
  failed: ({ runs, tag, cause = "failed" }, since) => `runs ${runs}; ${tag} ${cause}${since.replace("since", "at")}`,
  suspended: ({ runs }, since) => `runs ${runs}, suspended${since}`,
  runs: ({ runs }, since) => `runs ${runs}${since}`,
} satisfies Readonly<Record<MemberStateName, Words>>;

function shortOf(reason: string): string {
  const known: Readonly<Record<string, { readonly short: string }>> = reasons;
  return known[reason]?.short ?? reason.replaceAll("-", " ");
}
