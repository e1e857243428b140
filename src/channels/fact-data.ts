import { anyFactView } from "#contracts/messages/fact-view";
import { wordsOf } from "#domain/notify/words";
import { shortened } from "#domain/shared/shown-text";
import type { WaitReason } from "#domain/shared/wait-reason";
import type { AnyFact } from "#domain/update/events";
import type { ImageChange } from "#domain/workload/patch";
import { jsonText } from "./json-text.ts";

/** What is left of a fact that is too large: the length of its texts, and of its lists. */
interface Cut {
  readonly characters: number;
  readonly items: number;
}

const cuts: readonly Cut[] = [
  { characters: 500, items: 20 },
  { characters: 250, items: 5 },
  { characters: 250, items: 0 },
];

/**
 * Returns a fact as data for programs, with its severity, its outcome and its text.
 *
 * A fact whose JSON would be larger than `mostBytes` loses the ends of its texts and lists, and gets
 * the member `shortened`.
 */
export function factData(fact: AnyFact, mostBytes: number): object {
  const words = wordsOf(fact);
  const whole = anyFactView(fact);
  if (isWithin(mostBytes, whole)) return whole;
  const views = cuts.map((cut) => ({ ...anyFactView(cutTo(cut, fact)), ...words, shortened: true }));
  return views.find((view) => isWithin(mostBytes, view)) ?? views.at(-1) ?? whole;
}

function isWithin(mostBytes: number, view: object): boolean {
  return Buffer.byteLength(jsonText(view)) <= mostBytes;
}

function cutTo({ characters, items }: Cut, fact: AnyFact): AnyFact {
  const text = (whole: string) => shortened(whole, characters - 1);
  const cut = "detail" in fact ? { ...fact, detail: text(fact.detail ?? "") } : fact;
  if (!("workload" in cut)) return cut;
  const reason = (one: WaitReason) => (one.detail === undefined ? one : { ...one, detail: text(one.detail) });
  return { ...cut, reasons: cut.reasons.slice(0, items).map(reason), changes: cut.changes.slice(0, items).map(short) };
}

/** Leaves out what only other decisions need. */
function short({ list, name, imageName, tag, digest, apply, from, to, policy }: ImageChange): ImageChange {
  return { list, name, imageName, tag, digest, apply, from, to, policy };
}
