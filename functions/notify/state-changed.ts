/**
 * Trigger  The writes of records: the stream of the table, or the outbox of one process.
 * Emits    EvaluateWorkload, facts.
 * Retry    The stream or outbox delivers again. Safe to repeat: rows are stored once, and facts keep ids.
 */
import { publishChanges } from "#app/notify/state-changed";
import { onChanges } from "#runtime/handler";

export const handler = onChanges(publishChanges);
