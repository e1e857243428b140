import type { CheckReply } from "#domain/checks/answer";
import type { CheckQuestion } from "#domain/checks/question";

/** The checks of `lookout.yaml`, with their addresses and keys. */
export interface Checks {
  /** Asks a check. Never throws: a check that can't be asked gives no answer, and `why` names the reason. */
  ask(check: string, question: CheckQuestion): Promise<CheckReply>;
}
