import { printableText, shortened } from "#domain/shared/shown-text";

/** An invisible character, at which a name or an address stops to be one. */
const stop = "\u200b";

/** What Slack or Teams takes for markup, and what is shown instead. */
const inertForms: readonly (readonly [RegExp, string])[] = [
  [/&/g, "&amp;"],
  [/</g, "&lt;"],
  [/>/g, "&gt;"],
  [/@/g, `@${stop}`],
  [/:\/\//g, `:${stop}//`],
  [/\b(www)\./gi, `$1${stop}.`],
  [/\]\s*([([:])/g, `]${stop} $1`],
  [/`/g, "\u02cb"],
  [/\*/g, "\u2217"],
  [/~/g, "\u223c"],
  // Within a name, an underscore is no markup.
  [/(?<!\w)_|_(?!\w)/g, "\u02cd"],
];

/** Returns a text from outside in a form that can't mention anybody, link to anything, or format. */
export function inert(text: string, most: number): string {
  const shown = shortened(printableText(text.toWellFormed()).replaceAll(/ {2,}/g, " ").trim(), most - 1);
  return inertForms.reduce((made, [markup, form]) => made.replaceAll(markup, form), shown);
}
