import type { FreezeRequest, FreezesView } from "#contracts/api/freezes";
import { fleet } from "#domain/gates/freeze";
import { hang, type Look, paintMark } from "./look.ts";
import { renderTable } from "./table.ts";
import { clock, relative } from "./time.ts";

/** Writes what is frozen, what is planned for later, and the workloads whose patch was begun before and may still land. */
export function renderFreezes({ freezes, planned, inFlight }: FreezesView, look: Look): string {
  const rows = freezes.map(({ scope, by, at, until, why, planned: name }) => [
    scope,
    by,
    at === undefined ? "–" : relative(at, look),
    until === undefined ? (name === undefined ? "lifted" : "–") : instantCell(until, look),
    why,
  ]);
  const now =
    rows.length === 0 ? "Nothing is frozen.\n" : renderTable(["SCOPE", "BY", "SINCE", "UNTIL", "WHY"], rows, look);
  const landing = inFlight.length === 0 ? "" : `\nBegun before, and may still land:\n${listed(inFlight)}`;
  return now + landing + plannedText(planned, look);
}

function plannedText(planned: FreezesView["planned"], look: Look): string {
  const rows = planned.map(({ name, scope, from, until, why }) => [
    name,
    scope,
    from === undefined ? "never again" : instantCell(from, look),
    until === undefined ? "–" : clock(until, look),
    why,
  ]);
  if (rows.length === 0) return "";
  return `\nPlanned in lookout.yaml:\n${renderTable(["NAME", "SCOPE", "FROM", "UNTIL", "WHY"], rows, look)}`;
}

function instantCell(instant: string, look: Look): string {
  return `${clock(instant, look)} (${relative(instant, look)})`;
}

/** Writes one line per freeze for those who look at something else. */
export function frozenLines(freezes: FreezesView["freezes"], look: Look): string {
  return freezes
    .map((freeze) => `${hang(`${paintMark("⏸", look)} frozen: `, sayFreeze(freeze, look), look)}\n`)
    .join("");
}

/** Says that a scope is frozen, and which patches of before may still land. */
export function frozenText({ scope, until }: FreezeRequest, inFlight: readonly string[], look: Look): string {
  const end = until === undefined ? "it is lifted" : clock(until, look);
  const words = `${capital(placeOf(scope))} is frozen: nothing is patched there until ${end}.`;
  if (inFlight.length === 0) return `${paintMark("✓", look)} ${words}\n`;
  const landing = `${capital(placeOf(scope))} is frozen until ${end}. Nothing more is patched there, but what was begun before may still land on:`;
  return `${paintMark("!", look)} ${landing}\n${listed(inFlight)}  To see what became of it:  lookout status\n`;
}

/** Says that the freeze of a scope is lifted, and by which wider ones it is still frozen. */
export function unfrozenText(scope: string, wider: FreezesView["freezes"], look: Look): string {
  const done = `${paintMark("✓", look)} The freeze of ${placeOf(scope)} is lifted.`;
  if (wider.length === 0) return `${done} What it held goes on.\n`;
  const others = wider.map((freeze) => `  ${sayFreeze(freeze, look)}\n`);
  return `${done} Still frozen by:\n${others.join("")}`;
}

/** `prod/shop by alice: Christmas, until 22:00 CET`. */
function sayFreeze({ scope, by, why, until }: FreezesView["freezes"][number], look: Look): string {
  return `${placeOf(scope)} by ${by}: ${why}${until === undefined ? "" : `, until ${clock(until, look)}`}`;
}

function placeOf(scope: string): string {
  return scope === fleet ? "the whole fleet" : scope;
}

/** The names of clusters stay as they are. */
function capital(place: string): string {
  return place.replace(/^the /, "The ");
}

function listed(keys: readonly string[]): string {
  return keys.map((key) => `  ${key}\n`).join("");
}
