import { isEarly, outgoing } from "#adapters/sqs/queues";
import { environment as names } from "#contracts/aws/environment";
import { queueOf, triggerOf } from "#contracts/routes";
import { letterBody } from "../../dead-letter.ts";
import { type Surroundings, variable, type Wired, type WiringPart } from "./part.ts";
import { queueUrl, stackSender } from "./queues.ts";

const setBy = "the construct of the queues sets it";

/**
 * Wires the ports that dead-letter messages of the function's queue, and send early messages again.
 */
export const ownQueue: WiringPart<"setAside" | "again"> = (surroundings) => {
  const { environment, name, clock, shared } = surroundings;
  const send = shared(stackSender);
  const attributes = { function: name };
  const given: Pick<Wired, "setAside" | "again"> = {
    setAside: {
      deadLetter: (message) =>
        send(variable(environment, names.deadLetterQueue, setBy), [{ body: letterBody(message), group: "" }]),
      keep: ({ body, why }) =>
        send(variable(environment, names.keptQueue, setBy), [
          { body: letterBody({ body, why }), group: "", attributes },
        ]),
    },
    async again(envelope) {
      const now = clock.now();
      const url = isEarly(envelope, now) ? ownQueueUrl(envelope.group, surroundings) : undefined;
      if (url === undefined) return false;
      await send(url, [outgoing(envelope, now)]);
      return true;
    },
  };
  return () => given;
};

/** Returns the URL of the function's queue; undefined for a function without delayed messages. */
function ownQueueUrl(group: string, surroundings: Surroundings): string | undefined {
  const trigger = triggerOf(surroundings.name);
  if (trigger?.kind === "dead-letter") return variable(surroundings.environment, names.deadLetterQueue, setBy);
  return trigger?.kind === "command" ? queueUrl(queueOf(trigger.command), group, surroundings) : undefined;
}
