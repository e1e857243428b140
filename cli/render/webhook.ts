import type { WebhookAnswer } from "../answers/webhook.ts";
import { digestText } from "./image.ts";
import type { Style } from "./style.ts";
import { renderTable } from "./table.ts";

/** Returns the pushes of a notification, or the reason why it has none. */
export function renderNotification({ outcome, status, pushes, reason }: WebhookAnswer, style: Style): string {
  if (outcome !== "push") return `${outcome} (${String(status)})${reason === undefined ? "" : `: ${reason}`}\n`;
  const rows = pushes.map(({ registry, repository, tags, digest, pushedAt, actor }) => [
    registry ?? "as configured",
    repository,
    tags.join(", ") || "–",
    digest === null ? "–" : digestText(digest, style),
    pushedAt ?? "–",
    actor ?? "–",
  ]);
  return renderTable(["REGISTRY", "REPOSITORY", "TAGS", "DIGEST", "PUSHED AT", "BY"], rows, style);
}
