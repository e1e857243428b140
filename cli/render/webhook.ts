import type { WebhookAnswer } from "../batch/webhook-line.ts";
import { digestText } from "./image.ts";
import type { Look } from "./look.ts";
import { renderTable } from "./table.ts";

/** Writes what came of a notification: its pushes, or why there are none. */
export function renderNotification({ outcome, status, pushes, reason }: WebhookAnswer, look: Look): string {
  if (outcome !== "push") return `${outcome} (${String(status)})${reason === undefined ? "" : `: ${reason}`}\n`;
  const rows = pushes.map(({ registry, repository, tags, digest, pushedAt, actor }) => [
    registry ?? "the receiver's",
    repository,
    tags.join(", ") || "–",
    digest === null ? "–" : digestText(digest, look),
    pushedAt ?? "–",
    actor ?? "–",
  ]);
  return renderTable(["REGISTRY", "REPOSITORY", "TAGS", "DIGEST", "PUSHED AT", "BY"], rows, look);
}
