import type { Asker } from "#domain/approval/asker";
import type { HistoryRow } from "#domain/history/history-row";
import { type Freeze, freezeScopeText } from "#domain/gates/freezes";
import type { EpochMs } from "#domain/shared/time";
import { type ActionName, actionOf } from "#domain/update/state/action";
import type { Ports } from "./ports.ts";

/** The act of a person that no record shows. */
interface Act extends Pick<HistoryRow, "scope" | "subject" | "detail"> {
  readonly what: ActionName;
  readonly at: EpochMs;
}

/**
 * Stores the act of a person in the history of the fleet. A repeated call for the same instant stores
 * nothing.
 */
export async function noteAct(
  { what, at, ...about }: Act,
  asker: Asker,
  { history }: Pick<Ports, "history">,
): Promise<void> {
  const id = [what, about.scope ?? about.subject ?? "lookout", at].join("/");
  await history.append([{ id, at, action: actionOf(what, asker), ...about, images: [] }]);
}

/** The sender of what Lookout does by itself. */
const lookout = { by: "lookout" };

/**
 * Stores the ends of freezes that have ended by themselves, once for each freeze. Whoever reads the
 * history, or replaces such a freeze, calls this first.
 */
export async function noteEndedFreezes(freezes: readonly Freeze[], now: EpochMs, ports: Ports): Promise<void> {
  for (const { scope, until, by } of freezes) {
    if (until === undefined || until > now) continue;
    const why = `its end has passed; ${by} had set it`;
    await noteAct({ what: "unfreeze", at: until, scope: freezeScopeText(scope) }, { ...lookout, why }, ports);
  }
}
