import type { WiringPart } from "./part.ts";
import { stackSender } from "./sender.ts";
import { stackQueues } from "./stack-queues.ts";

/** Sends commands to the queues of the stack. */
export const queues: WiringPart<"queues"> = (surroundings) => {
  const made = stackQueues(surroundings, surroundings.shared(stackSender));
  return () => ({ queues: made });
};
