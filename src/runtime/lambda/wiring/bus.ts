import { eventBridgeBus, eventBridgeClient } from "#adapters/eventbridge/bus";
import { environment as names } from "#contracts/aws/environment";
import type { Bus } from "#ports/messaging";
import { type Environment, variable, type WiringPart } from "./part.ts";

/** Returns the stack's event bus, which all parts of a function share. */
export function stackBus(environment: Environment): Bus {
  const name = variable(environment, names.bus, "the construct of the bus sets it on functions that publish");
  return eventBridgeBus({ client: eventBridgeClient(), bus: name });
}

/** Wires the stack's event bus. */
export const bus: WiringPart<"bus"> = ({ shared }) => {
  const made = shared(stackBus);
  return () => ({ bus: made });
};
