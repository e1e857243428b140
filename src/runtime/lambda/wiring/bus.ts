import { eventBridgeBus, eventBridgeClient } from "#adapters/eventbridge/bus";
import { environment as names } from "#contracts/environment";
import type { Bus } from "#ports/messaging";
import { type Environment, variable, type WiringPart } from "./part.ts";

/** Opens the bus of the stack. */
export function stackBus(environment: Environment): Bus {
  const bus = variable(environment, names.bus, "the construct of the bus sets it on functions that publish");
  return eventBridgeBus({ client: eventBridgeClient(), bus });
}

/** Publishes on the bus of the stack. */
export const bus: WiringPart<"bus"> = ({ environment }) => {
  const made = stackBus(environment);
  return () => ({ bus: made });
};
