import { ok, problem, type Result } from "../shared/result.ts";

type Labels = Readonly<Record<string, string>>;

/** A parsed label selector. It returns whether an object with these labels is selected. */
export type LabelSelector = (labels: Labels) => boolean;

/** The maximum number of parts of a selector. */
const mostParts = 50;

/**
 * Parses a label selector as kubectl reads it: `app=api,tier in (web,db),!canary`. As there, a label
 * that an object lacks differs from every value. The problem names the part that can't be read.
 */
export function parseLabelSelector(text: string): Result<LabelSelector, string> {
  const parts = text.split(betweenParts).map((part) => part.trim());
  if (parts.length > mostParts) return problem(`the selector has more than ${mostParts} parts`);
  const read = parts.map((part) => ({ part, selects: partOf(part) }));
  const wrong = read.find(({ selects }) => selects === undefined);
  if (wrong !== undefined)
    return problem(
      `"${wrong.part}" is no part of a label selector: expected KEY=VALUE, KEY!=VALUE, KEY, !KEY, "KEY in (A,B)" or "KEY notin (A,B)"`,
    );
  return ok((labels) => read.every(({ selects }) => selects?.(labels) === true));
}

/** Matches the commas outside of parentheses. */
const betweenParts = /,(?![^(]*\))/;

const key = /[A-Za-z0-9](?:[-A-Za-z0-9_./]*[A-Za-z0-9])?/.source;
const value = /(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?)?/.source;
const comparison = new RegExp(`^(${key})\\s*(==|=|!=)\\s*(${value})$`);
const presence = new RegExp(`^(!?)\\s*(${key})$`);
const membership = new RegExp(`^(${key})\\s+(in|notin)\\s*\\(\\s*(${value}(?:\\s*,\\s*${value})*)\\s*\\)$`);

function partOf(text: string): LabelSelector | undefined {
  const [, compared, operator, wanted = ""] = comparison.exec(text) ?? [];
  if (compared !== undefined)
    return operator === "!="
      ? (labels) => valueIn(labels, compared) !== wanted
      : (labels) => valueIn(labels, compared) === wanted;
  const [, not, present] = presence.exec(text) ?? [];
  if (present !== undefined) return (labels) => (valueIn(labels, present) === undefined) === (not === "!");
  const [, member, kind, listed = ""] = membership.exec(text) ?? [];
  if (member === undefined) return undefined;
  const values = new Set(listed.split(",").map((one) => one.trim()));
  return (labels) => {
    const found = valueIn(labels, member);
    return (found !== undefined && values.has(found)) === (kind === "in");
  };
}

function valueIn(labels: Labels, name: string): string | undefined {
  return Object.hasOwn(labels, name) ? labels[name] : undefined;
}
