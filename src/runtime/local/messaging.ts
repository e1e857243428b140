import { eventDetail } from "#contracts/messages/events";
import { isHandledEvent, queueOf } from "#contracts/routes";
import type { ImagePushed } from "#domain/image/push";
import { isSynthetic } from "#domain/image/synthetic-push";
import { durationMs, plus } from "#domain/shared/time";
import type { AnyFact, DomainEvent, Fact, PushDisputed } from "#domain/update/events";
import { isRegistryFact, type RegistryFact } from "#domain/registry/outage";
import { registryHost } from "#domain/registry/host";
import { entriesUnder, type LimitedEntry } from "#domain/registry/rules";
import { groupOf, tenantOf } from "#domain/update/commands";
import type { Clock } from "#ports/clock";
import type { KeptMessages } from "#ports/kept-messages";
import type { Bus, OutgoingCommand, Queues } from "#ports/messaging";
import { queueFunctions, type QueueName } from "./functions.ts";
import type { LocalQueue } from "./queue.ts";

/**
 * The queues of this process. Queues may be added later, because the ports look up the queue of
 * each message.
 */
export type LocalQueues = ReadonlyMap<QueueName, Pick<LocalQueue, "send">>;

/**
 * Returns the entries of `registries` in `lookout.yaml`. The entries decide how registries share the
 * places of a queue.
 */
type Entries = () => readonly LimitedEntry[];

/** Stores the messages that outlive the process. Absent if there are none. */
interface Keeping {
  readonly messages: KeptMessages;
  readonly clock: Clock;
}

/** Returns the port that sends commands to the local queues. */
export function localQueues(queues: LocalQueues, entries: Entries, keeping?: Keeping): Queues {
  return {
    async send(sendings) {
      if (keeping !== undefined) await keepAll(sendings, keeping);
      for (const { command, delay } of sendings) {
        // A command with `requestedBy` goes first, because a change caused the command. Other
        // commands only check for a change.
        const place = "requestedBy" in command ? "first" : "last";
        const share = "registry" in command ? shareOf(command.registry, true, entries) : undefined;
        const order = { tenant: tenantOf(command), place, ...(share === undefined ? {} : { share }) } as const;
        queues.get(queueOf(command.name))?.send(JSON.stringify(command), groupOf(command), delay ?? 0, order);
      }
    },
  };
}

async function keepAll(sendings: readonly OutgoingCommand[], { messages, clock }: Keeping): Promise<void> {
  const kept = sendings.filter(({ command }) => isKept(queueOf(command.name)));
  if (kept.length === 0) return;
  const now = clock.now();
  await messages.keep(
    kept.map(({ command, delay = durationMs(0) }) => ({ body: JSON.stringify(command), dueAt: plus(now, delay) })),
  );
}

/** Returns whether the messages of a queue are stored. */
export function isKept(name: QueueName): boolean {
  const { route } = queueFunctions[name];
  return route.localKept === true;
}

/**
 * Returns the local bus. Pushes go to their queue, as in the stack. Each kind of fact goes to one
 * listener, and `tell` stores what channels tell of facts.
 */
export function localBus(
  queues: LocalQueues,
  entries: Entries,
  onFact: (fact: Fact) => void,
  onDispute: (dispute: PushDisputed) => void = () => undefined,
  onRegistryFact: (fact: RegistryFact) => void = () => undefined,
  tell: (facts: readonly AnyFact[]) => Promise<void> = () => Promise.resolve(),
): Bus {
  const deliver = (event: DomainEvent): void => {
    if (isHandledEvent(event)) {
      const share = shareOf(event.registry, event.source === "sweep", entries);
      const group = `${registryHost(event.registry)} ${share ?? ""}`;
      const subject = subjectOf(event);
      const order = { ...(share === undefined ? {} : { share }), ...(subject === undefined ? {} : { subject }) };
      queues.get(event.name)?.send(JSON.stringify(eventDetail(event)), group, 0, order);
    } else if (event.name === "PushDisputed") onDispute(event);
    else if (isRegistryFact(event)) onRegistryFact(event);
    else onFact(event);
  };
  return {
    async publish(events) {
      events.forEach(deliver);
      await tell(events.filter((event) => !isHandledEvent(event)));
    },
  };
}

/**
 * Returns the subject of a push. A new push replaces a waiting push with the same subject.
 *
 * Returns undefined for a push that must not be replaced: a probe has its own id, and a page has
 * its own subscribers.
 */
function subjectOf(push: ImagePushed): string | undefined {
  if (isSynthetic(push) || push.after !== undefined) return undefined;
  return JSON.stringify([push.registry, push.repository, push.tag, push.digest, push.source]);
}

/**
 * Returns the share of places for a registry's messages. Tenants choose unlisted hosts and swept
 * repositories, so neither may use all places.
 */
function shareOf(
  registry: string,
  isSwept: boolean,
  entries: Entries,
): "swept" | "unlisted" | "swept-unlisted" | undefined {
  if (entriesUnder(registry, entries()).length === 0) return isSwept ? "swept-unlisted" : "unlisted";
  return isSwept ? "swept" : undefined;
}
