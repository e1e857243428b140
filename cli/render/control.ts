import type { ControlView } from "#contracts/api/control";
import { hang, paintMark, type Style } from "./style.ts";

/** Renders the effect of a person's request: what it did, the update that follows, and what holds it. */
export function controlText({ workload, changed, detail, update, reasons }: ControlView, style: Style): string {
  const lines = [hang(`${paintMark(changed ? "✓" : "!", style)} ${workload}: `, detail, style)];
  if (update !== undefined) {
    const tags = [...new Set(update.wants.map(({ tag, image }) => tag ?? image))].join(", ");
    lines.push(hang("  ", `Update ${update.seq} to ${tags} is ${update.status}.`, style));
  }
  for (const { sentence, detail: why, remedy } of reasons)
    lines.push(
      hang(`  ${paintMark("⏸", style)} `, `${sentence}${why === undefined ? "" : ` (${why})`} ${remedy}`, style),
    );
  return `${lines.join("\n")}\n`;
}
