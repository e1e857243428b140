import type { TierGroupView, TierMemberView, TiersView, TierView } from "#contracts/api/tiers";
import { counted } from "./counted.ts";
import { type Mark, paintMark, type Style } from "./style.ts";
import { renderTable } from "./table.ts";
import { relative } from "./time.ts";

const noTiers =
  "lookout.yaml has no tiers, so all workloads get an image at once. To update dev before prod: docs/tiers.md\n";

/** Returns a table of the groups, with how each tier stands. */
export function renderTiers({ tiers, groups, more }: TiersView, style: Style): string {
  if (tiers.length === 0 && groups.length === 0) return noTiers;
  if (groups.length === 0) return "No workload is tracked, so no group has tiers yet.\n";
  const rows = groups.map((group) => [
    group.group,
    group.image?.tag ?? "-",
    group.tiers
      .filter(({ members }) => members > 0)
      .map((tier) => `${tier.tier} ${countText(tier)}${tier.state === "done" ? ` ${paintMark("✓", style)}` : ""}`)
      .join("  "),
    waitsText(firstWait(group), style),
  ]);
  const table = renderTable(["GROUP", "NEWEST", "TIERS", "WAITS FOR"], rows, style);
  return more === 0 ? table : `${table}${counted(more, "further group")}. One of them: lookout tiers GROUP\n`;
}

/** Returns how the tiers of a group stand, and its members. */
export function renderTierGroup(group: TierGroupView, style: Style): string {
  const tag = group.image?.tag;
  const head = ["TIER", "MEMBERS", tag === undefined ? "AT" : `AT ${tag}`, "WAITS FOR"];
  const rows = group.tiers.map((tier) => [
    tier.tier,
    String(tier.members),
    tier.state === "done" ? `${String(tier.at)} ${paintMark("✓", style)}` : String(tier.at),
    waitsText(tier, style),
  ]);
  return `${renderTable(head, rows, style)}\n${renderMembers(group.members ?? [], style)}`;
}

function renderMembers(members: readonly TierMemberView[], style: Style): string {
  const rows = members.map(({ tier, workload, tag, ran, does, since }) => [
    tier,
    workload,
    ran ? `${tag ?? "-"} ${paintMark("✓", style)}` : (tag ?? "-"),
    since === undefined ? does : `${does}, ${relative(since, style)}`,
  ]);
  return renderTable(["TIER", "MEMBER", "RUNS", "DOES"], rows, style);
}

function countText({ at, members }: TierView): string {
  return `${String(at)}/${String(members)}`;
}

function firstWait({ tiers }: TierGroupView): TierView | undefined {
  return tiers.find(({ waitsFor, state }) => waitsFor !== undefined && state !== "behind");
}

const marks: Readonly<Partial<Record<TierView["state"], Mark>>> = { halted: "✗", unproved: "✗", unread: "✗" };

/** Returns what a tier waits for: `prod-eu/shop/deployment/api: rolls out 1.5.0, 2 m ago`. */
function waitsText(tier: TierView | undefined, style: Style): string {
  const { waitsFor, state } = tier ?? {};
  if (waitsFor === undefined || state === undefined) return "-";
  const { workload, why, since, until } = waitsFor;
  const time = until ?? since;
  const text = [
    workload === undefined ? why : `${workload}: ${why}`,
    ...(time === undefined ? [] : [relative(time, style)]),
  ];
  const mark = marks[state];
  return `${mark === undefined ? "" : `${paintMark(mark, style)} `}${text.join(", ")}`;
}
