/**
 * Trigger  Deliver on its queue: a fact that a channel tells, or a message that has to change.
 * Emits    Deliver.
 * Retry    The queue delivers again. Safe to repeat: a crash between a sending and its note repeats one message.
 */
import { deliver } from "#app/notify/deliver";
import { onCommands } from "#runtime/handler";

export const handler = onCommands({ Deliver: deliver });
