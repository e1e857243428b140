import type { Bus } from "#ports/messaging";
import type { WiringPart } from "./part.ts";

/** As `bus`, for functions of which most runs publish nothing: the client of EventBridge is loaded with the first event. */
export const seldomBus: WiringPart<"bus"> = ({ shared }) => {
  const publish: Bus["publish"] = async (events) => {
    if (events.length === 0) return;
    const { stackBus } = await import("./bus.ts");
    await shared(stackBus).publish(events);
  };
  return () => ({ bus: { publish } });
};
