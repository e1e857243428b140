import { ruleOf } from "#contracts/event-rules";
import { eventDetail, eventSource, imagePushedPattern } from "#contracts/events";
import { matchesPattern } from "#domain/event-pattern";
import type { DomainEvent, Fact } from "#domain/events";
import type { Bus } from "#ports/messaging";

/** Whom a bus of this process delivers to. */
export interface BusTargets {
  /** Gets the detail of each event that the rule of `evaluate/image-pushed` takes. */
  readonly onPush: (detail: string, registry: string) => void;
  /** Gets every fact, as a rule of somebody else for all of them would. */
  readonly onFact: (fact: Fact) => void;
}

/** The account of this process, for the pattern of the rule that the stack deploys. */
const account = "000000000000";

/** Opens the bus of this process, which delivers at once, by the rule that the stack deploys. */
export function localBus({ onPush, onFact }: BusTargets): Bus {
  const pushes = ruleOf(imagePushedPattern(account));
  const deliver = (event: DomainEvent): void => {
    const detail = eventDetail(event);
    if (matchesPattern(pushes, { source: eventSource, "detail-type": event.name, account, detail }))
      onPush(JSON.stringify(detail), "registry" in event ? event.registry : "");
    if (event.name !== "ImagePushed") onFact(event);
  };
  return {
    publish(events) {
      events.forEach(deliver);
      return Promise.resolve();
    },
  };
}
