import type { Sender } from "#adapters/sqs/sender";
import type { Surroundings } from "./part.ts";

/** Sends to queues, for those of which most runs send nothing: the client of SQS is loaded with the first message. */
export function seldomSender({ shared }: Pick<Surroundings, "shared">): Sender {
  return async (queue, messages) => {
    const { stackSender } = await import("./sender.ts");
    await shared(stackSender)(queue, messages);
  };
}
