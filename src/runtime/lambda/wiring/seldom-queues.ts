import type { WiringPart } from "./part.ts";
import { seldomSender } from "./seldom-sender.ts";
import { stackQueues } from "./stack-queues.ts";

/** As `queues`, for functions of which most runs send no command. */
export const seldomQueues: WiringPart<"queues"> = (surroundings) => {
  const made = stackQueues(surroundings, seldomSender(surroundings));
  return () => ({ queues: made });
};
