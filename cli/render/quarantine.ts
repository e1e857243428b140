import type { QuarantineView } from "#contracts/api/quarantine";
import { digestText } from "./image.ts";
import type { Look } from "./look.ts";
import { renderTable } from "./table.ts";
import { relative } from "./time.ts";

/** Writes the digests in quarantine. */
export function renderQuarantine({ quarantined }: QuarantineView, look: Look): string {
  if (quarantined.length === 0) return "No digest is in quarantine.\n";
  const rows = quarantined.map(({ digest, by, at, why }) => [digestText(digest, look), by, relative(at, look), why]);
  return renderTable(["DIGEST", "BY", "SINCE", "WHY"], rows, look);
}
