import { reasons } from "#domain/shared/reasons";
import type { ElectAnswer } from "../batch/elect-line.ts";
import { hang, type Look, paintMark } from "./look.ts";
import { printable } from "./printable.ts";
import { rejectionSummary } from "./rejection.ts";

/** Says which tag a policy selects, and why the others were none. */
export function renderSelection(answer: ElectAnswer, current: string | undefined, look: Look): string {
  const told = printable(answer);
  const rejected = rejectionSummary(told.rejected ?? []).map((text) => `${hang("  rejected: ", text, look)}\n`);
  return `${verdict(told, current, look)}\n${rejected.join("")}`;
}

function verdict(answer: ElectAnswer, current: string | undefined, look: Look): string {
  switch (answer.outcome) {
    case "elected":
      return `${paintMark("✓", look)} ${answer.tag} is selected${current === undefined ? "" : ` in place of ${current}`}.`;
    case "unchanged":
      return `${paintMark("✓", look)} ${answer.tag} stays.`;
    case "none":
      return `${paintMark("✗", look)} ${reasons[answer.reason].sentence}`;
  }
}
