/**
 * Trigger  The writes of records.
 * Emits    facts.
 * Retry    The same changes, until they are published or set aside. Safe to repeat: a ledger row is stored once, a fact keeps its id.
 */
import { publishChanges } from "#app/notify/state-changed";
import { onChanges } from "#runtime/handler";

export const handler = onChanges(publishChanges);
