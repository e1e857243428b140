import { isEarly, outgoing } from "#adapters/sqs/queues";
import { environment as names } from "#contracts/aws/environment";
import { type FunctionName, type QueueCommand, queueOf, triggerOf } from "#contracts/routes";
import { letterBody } from "../../dead-letter.ts";
import { variable, type Wired, type WiringPart } from "./part.ts";
import { queueUrl, stackSender } from "./queues.ts";

/**
 * Wires the ports that dead-letter messages of the function's queue, and send early messages again.
 */
export const ownQueue: WiringPart<"setAside" | "again"> = (surroundings) => {
  const { environment, name, clock, shared } = surroundings;
  const send = shared(stackSender);
  const queue = queueNameOf(name);
  const setBy = "the construct of the queues sets it";
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
      if (queue === undefined || !isEarly(envelope, now)) return false;
      await send(queueUrl(queue, envelope.group, surroundings), [outgoing(envelope, now)]);
      return true;
    },
  };
  return () => given;
};

/** Returns the command that names a function's queue; undefined for another trigger. */
function queueNameOf(name: FunctionName): QueueCommand | undefined {
  const trigger = triggerOf(name);
  return trigger?.kind === "command" ? queueOf(trigger.command) : undefined;
}
