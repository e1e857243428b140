import type { ReasonView } from "#contracts/api/schema";
import { type Reason, reasons } from "#domain/shared/reasons";
import { digestText, withShortDigests } from "./image.ts";
import type { Style } from "./style.ts";
import { memberText, shortTierReason } from "./tier-member.ts";
import { clock, relative } from "./time.ts";

const ofWindows: ReadonlySet<string> = new Set<Reason>(["window-closed", "blackout-active"]);

/** The texts of a reason. A newer server may send reasons that this version does not know. */
interface Texts {
  readonly short: string;
  readonly end?: string;
  readonly isDetailLong?: true;
}

function textsOf(reason: string): Texts | undefined {
  const known: Readonly<Record<string, Texts>> = reasons;
  return known[reason];
}

/** Returns a reason's end: `ends in 2 h 14 m`, `next try in 1 h`. */
function endOf(reason: string, until: string, style: Style): string {
  return `${textsOf(reason)?.end ?? "next try"} ${relative(until, style)}`;
}

/** Returns a reason for a table: `window opens in 2 h 14 m`. */
export function shortReason(view: ReasonView, style: Style): string {
  const { reason, detail, until } = view;
  if (reason === "window-closed" && until !== undefined) return `window opens ${relative(until, style)}`;
  const ofTier = shortTierReason(view, style);
  const text =
    ofTier ??
    (detail === undefined || textsOf(reason)?.isDetailLong === true ? wordsOf(view) : `${wordsOf(view)}: ${detail}`);
  return withShortDigests(until === undefined ? text : `${text}, ${endOf(reason, until, style)}`, style);
}

/** Returns a reason as it was recorded, with the time of its end. */
export function recordedReason(view: ReasonView, style: Style): string {
  const text = view.detail === undefined ? wordsOf(view) : `${wordsOf(view)}: ${view.detail}`;
  const until = view.until === undefined ? "" : `, until ${clock(view.until, style)}`;
  return withShortDigests(text + until, style);
}

/**
 * Returns the short words of a reason, or its sentence if this version does not know the reason.
 */
function wordsOf({ reason, sentence }: ReasonView): string {
  return textsOf(reason)?.short ?? sentence.replace(/\.$/, "");
}

/** Returns a reason in full: its sentence, details and end. */
export function longReason(view: ReasonView, style: Style): string {
  const { reason, sentence, until } = view;
  // What a member does now says more than that it has not run the image.
  const detail = memberText(view, style) ?? view.detail;
  const parts = [sentence, ...(detail === undefined ? [] : [`${detail.replace(/\.$/, "")}.`])];
  if (until !== undefined) {
    const end = endOf(reason, until, style);
    parts.push(`${end.charAt(0).toUpperCase()}${end.slice(1)}, ${clock(until, style)}.`);
  }
  return withShortDigests(parts.join(" "), style);
}

/**
 * Returns a remedy with the workload and the digest in its commands; undefined without a remedy.
 */
export function remedyOf(
  { reason, remedy, detail, until, member }: ReasonView,
  workload: string,
  style: Pick<Style, "wide">,
): string | undefined {
  if (remedy === "Nothing to do." || (ofWindows.has(reason) && until !== undefined)) return undefined;
  const digest = /\bsha(?:256|384|512):[0-9a-f]+/.exec(detail ?? "")?.[0];
  if (detail === undefined && /\bnamed\b/.test(remedy)) return "Find the cause in the log of Lookout.";
  const named = remedy
    .replaceAll(/\bWORKLOAD\b/g, workload)
    .replace(/\bdeployment NAME\b/, deploymentOf(workload))
    .replace(/\bMEMBER\b/, member?.workload ?? "MEMBER")
    .replace(/ SCOPE\b/, scopeOf(detail));
  return digest === undefined ? named : named.replace(/\bDIGEST\b/, digestText(digest, style));
}

/** Returns the arguments of `kubectl` for a Deployment `cluster/namespace/kind/name`. */
function deploymentOf(workload: string): string {
  const [name = "NAME", , namespace] = workload.split("/").reverse();
  return `deployment ${name}${namespace === undefined ? "" : ` -n ${namespace}`}`;
}

/** Returns the scope at the start of a freeze's detail. An empty scope means the whole fleet. */
function scopeOf(detail = ""): string {
  const [scope = ""] = /^[a-z0-9-]+(?:\/[a-z0-9-]+)?(?=: )/.exec(detail) ?? [];
  return scope === "" ? "" : ` ${scope}`;
}
