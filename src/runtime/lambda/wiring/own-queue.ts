import { isEarly, outgoing } from "#adapters/sqs/queues";
import { environment as names } from "#contracts/aws/environment";
import { type FunctionName, functionName, type QueueCommand, routes } from "#contracts/routes";
import { type Letter, letterBody } from "../../dead-letter.ts";
import { variable, type Wired, type WiringPart } from "./part.ts";
import { queueUrl, stackSender } from "./queues.ts";

/**
 * Wires the ports that dead-letter messages of the function's queue, and send early messages again.
 */
export const ownQueue: WiringPart<"setAside" | "again"> = (surroundings) => {
  const { environment, name, clock, shared } = surroundings;
  const send = shared(stackSender);
  const queue = queueNameOf(name);
  const keepLetter = async (queue: string, setBy: string, letter: Letter): Promise<void> => {
    await send(variable(environment, queue, setBy), [{ body: letterBody(letter), group: "" }]);
  };
  const given: Pick<Wired, "setAside" | "again"> = {
    setAside: {
      deadLetter: (message) => keepLetter(names.deadLetterQueue, "the construct of the queues sets it", message),
      keep: ({ body, why }) =>
        keepLetter(names.ownDeadLetterQueue, "the construct of the function sets it", { body, why }),
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
  const trigger = routes.find((route) => functionName(route) === name)?.trigger;
  return trigger?.kind === "command" ? trigger.command : undefined;
}
