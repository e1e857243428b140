import { eventBridgeBus, eventBridgeClient } from "#adapters/eventbridge/bus";
import { environment as names } from "#contracts/aws/environment";
import { variable, type WiringPart } from "./part.ts";

/** Wires the stack's event bus. */
export const bus: WiringPart<"bus"> = ({ environment }) => {
  const name = variable(environment, names.bus, "the construct of the bus sets it on functions that publish");
  const made = eventBridgeBus({ client: eventBridgeClient(), bus: name });
  return () => ({ bus: made });
};
