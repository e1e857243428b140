import type { QuarantineView } from "#contracts/api/quarantine";
import { digestText } from "./image.ts";
import type { Style } from "./style.ts";
import { renderTable } from "./table.ts";
import { relative } from "./time.ts";

/** Returns a table of the digests in quarantine. */
export function renderQuarantine({ quarantined }: QuarantineView, style: Style): string {
  if (quarantined.length === 0) return "No digest is in quarantine.\n";
  const rows = quarantined.map(({ digest, by, at, why }) => [digestText(digest, style), by, relative(at, style), why]);
  return renderTable(["DIGEST", "BY", "SINCE", "WHY"], rows, style);
}
