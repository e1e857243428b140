import { reasons } from "#domain/shared/reasons";
import type { ElectAnswer } from "../answers/selection.ts";
import { hang, type Style, paintMark } from "./style.ts";
import { printable } from "./printable.ts";
import { rejectionSummary } from "./rejection.ts";

/** Returns the tag that a policy selects, and the reasons of the rejected tags. */
export function renderSelection(answer: ElectAnswer, current: string | undefined, style: Style): string {
  const safe = printable(answer);
  const rejected = rejectionSummary(safe.rejected).map((text) => `${hang("  rejected: ", text, style)}\n`);
  return `${verdict(safe, current, style)}\n${rejected.join("")}`;
}

function verdict(answer: ElectAnswer, current: string | undefined, style: Style): string {
  switch (answer.outcome) {
    case "elected":
      return `${paintMark("✓", style)} ${answer.tag} is selected${current === undefined ? "" : ` in place of ${current}`}.`;
    case "unchanged":
      return `${paintMark("✓", style)} ${answer.tag} stays.`;
    case "none":
      return `${paintMark("✗", style)} ${reasons[answer.reason].sentence}`;
  }
}
