import type { FreezeRequest, FreezesView } from "#contracts/api/freezes";
import { fleet } from "#domain/gates/freezes";
import { counted } from "./counted.ts";
import { hang, type Style, paintMark } from "./style.ts";
import { renderTable } from "./table.ts";
import { clock, relative } from "./time.ts";

/** Returns the freezes, the planned freezes, and the workloads whose patch is still in flight. */
export function renderFreezes({ freezes, planned, inFlight }: FreezesView, style: Style): string {
  const rows = freezes.map(({ scope, by, at, until, why }) => [
    scope,
    by,
    at === undefined ? "–" : relative(at, style),
    until === undefined ? "–" : instantCell(until, style),
    why,
  ]);
  const now =
    rows.length === 0 ? "Nothing is frozen.\n" : renderTable(["SCOPE", "BY", "SINCE", "UNTIL", "WHY"], rows, style);
  const landing =
    inFlight.length === 0 ? "" : `\nPatches from before the freeze may still land on:\n${listed(inFlight)}`;
  return now + landing + plannedText(planned, style);
}

function plannedText(planned: FreezesView["planned"], style: Style): string {
  const rows = planned.map(({ name, scope, from, until, why }) => [
    name,
    scope,
    from === undefined ? "past" : instantCell(from, style),
    until === undefined ? "–" : clock(until, style),
    why,
  ]);
  if (rows.length === 0) return "";
  return `\nPlanned in lookout.yaml:\n${renderTable(["NAME", "SCOPE", "FROM", "UNTIL", "WHY"], rows, style)}`;
}

function instantCell(instant: string, style: Style): string {
  return `${clock(instant, style)} (${relative(instant, style)})`;
}

/** Returns one line per freeze, for `lookout status`. */
export function frozenLines(freezes: FreezesView["freezes"], style: Style): string {
  return freezes
    .map((freeze) => `${hang(`${paintMark("⏸", style)} frozen: `, freezeText(freeze, style), style)}\n`)
    .join("");
}

/** Returns the confirmation of a freeze, with the patches that may still land. */
export function frozenText(
  { scope, until }: FreezeRequest,
  inFlight: readonly string[],
  effect: FreezesView["effect"],
  style: Style,
): string {
  const end = until === undefined ? "lookout unfreeze" : clock(until, style);
  const words = `${capital(placeOf(scope))} is frozen: no patch starts until ${end}.`;
  const covered = effect === undefined ? "" : `  ${coveredText(effect)}\n`;
  if (inFlight.length === 0) return `${paintMark("✓", style)} ${words}\n${covered}`;
  const landing = `${words} Patches from before the freeze may still land on:`;
  return `${paintMark("!", style)} ${landing}\n${listed(inFlight)}${covered}  To see their results:  lookout status\n`;
}

/** Returns what a freeze covers: `It covers 3 workloads, and holds 2 waiting updates.` */
function coveredText({ workloads, inFlight, holds }: NonNullable<FreezesView["effect"]>): string {
  const goesOn =
    inFlight === 0 ? "" : ` ${counted(inFlight, "rollout")} in flight ${inFlight === 1 ? "goes" : "go"} on.`;
  return `It covers ${counted(workloads, "workload")}, and holds ${counted(holds, "waiting update")}.${goesOn}`;
}

/** Returns the confirmation of an unfreeze, with the wider freezes that remain. */
export function unfrozenText(scope: string, wider: FreezesView["freezes"], style: Style): string {
  const done = `${paintMark("✓", style)} The freeze of ${placeOf(scope)} has ended.`;
  if (wider.length === 0) return `${done} The updates that it held continue.\n`;
  const others = wider.map((freeze) => `  ${freezeText(freeze, style)}\n`);
  return `${done} Wider freezes remain:\n${others.join("")}`;
}

/** Returns a freeze as text: `prod/shop by alice: Christmas, until 22:00 CET`. */
function freezeText({ scope, by, why, until }: FreezesView["freezes"][number], style: Style): string {
  return `${placeOf(scope)} by ${by}: ${why}${until === undefined ? "" : `, until ${clock(until, style)}`}`;
}

function placeOf(scope: string): string {
  return scope === fleet ? "the whole fleet" : scope;
}

/** Returns a place for the start of a sentence. Names of clusters keep their case. */
function capital(place: string): string {
  return place.replace(/^the /, "The ");
}

function listed(keys: readonly string[]): string {
  return keys.map((key) => `  ${key}\n`).join("");
}
