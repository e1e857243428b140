import { delivery } from "#contracts/routes";
import type { QueueMessage } from "../handler.ts";

/** The handlers and the limits of a queue. */
export interface QueueOptions {
  /** Handles a message. `again`: the queue delivers the message again. */
  readonly run: (message: QueueMessage) => Promise<"done" | "again">;
  /** Handles a message whose deliveries have all failed. */
  readonly deadLetter: (message: QueueMessage) => Promise<void>;
  /**
   * Returns the maximum number of concurrent messages of a group, at least 1. The queue calls this
   * function before each delivery.
   */
  readonly concurrency: (group: string) => number;
  /**
   * The maximum number of concurrent messages of one tenant in a group, without slow messages.
   * Absent if there is no maximum.
   */
  readonly concurrencyOfTenant?: number | undefined;
  /** Returns the maximum number of all messages of a tenant. Absent if there is no maximum. */
  readonly mostOfTenant?: ((group: string, tenant: string) => number | undefined) | undefined;
}

/** The order of a message within its group. */
export interface QueueOrder {
  /** The tenant of the message. The tenants of a group take turns. */
  readonly tenant?: string;
  /** `first`: the message goes before all waiting messages of its tenant. */
  readonly place?: "first" | "last";
  /**
   * The share of the message. All groups of a share together can use only a part of the queue's
   * places. The default is all places.
   */
  readonly share?: string;
  /**
   * The subject. A new message takes the place of the waiting message with the same group and
   * subject.
   */
  readonly subject?: string;
}

/**
 * A local queue with the delivery rules of SQS: at least once, in any order, with delays and dead
 * letters. Each group has its own limit, so that no group waits for another. Each message is
 * delivered alone, so that no message waits for a slower message.
 *
 * Three rules keep tenants from taking the places of others. While several tenants of a group have
 * messages, each gets an equal part of the group's places first. A tenant without a running
 * message does not wait for a place, up to twice the places; some places of a share are for groups
 * without a running message. And a message that has run for
 * {@link slowAfterMs} gives its place back: it waits for a slow server.
 */
export interface LocalQueue {
  /**
   * @param group - the group of a fair queue. All messages of a group have one share.
   * @param delayMs - the delay. 0: no delay.
   */
  send(body: string, group: string, delayMs: number, order?: QueueOrder): void;
  /** Returns whether a message of the group waits for its delivery. */
  isWaiting(group: string): boolean;
  /**
   * Returns the number of waiting messages, including delayed messages, and the number of groups
   * with messages.
   */
  size(): { readonly waiting: number; readonly groups: number };
  /** Stops all deliveries. Resolves when the running messages have ended. */
  stop(): Promise<void>;
}

interface Message extends Required<Omit<QueueOrder, "share" | "subject">> {
  readonly id: string;
  body: string;
  readonly group: string;
  readonly share: string | undefined;
  readonly subject: string | undefined;
  /** The number of messages that this message replaced. */
  replaced: number;
  receives: number;
}

/** The waiting messages of a tenant, and the number of its running messages. */
interface Tenant {
  readonly ready: Message[];
  inWork: number;
  /** The running messages that have given their places back. */
  slow: number;
}

/** The tenants of a group with messages, in the order of their turns. */
interface Group {
  readonly share: string | undefined;
  readonly tenants: Map<string, Tenant>;
  /** The waiting message of each subject. */
  readonly subjects: Map<string, Message>;
  waiting: number;
  inWork: number;
  slow: number;
}

/** After this time, a running message is slow. */
const slowAfterMs = 1_000;

/** The maximum number of slow messages. Other slow messages keep their places. */
const mostSlow = 125;

/**
 * The maximum number of concurrent messages of all groups together. Limits of groups are not
 * enough, because senders of webhooks can create any number of groups.
 */
const mostInWork = 250;

/**
 * The maximum number of messages that start in one turn of the event loop. The limit lets the
 * process answer requests between messages.
 */
const mostPerTurn = 25;

/**
 * The maximum number of concurrent messages of one share. Even together, the three shares of
 * messaging.ts can't use all places.
 */
const mostOfShare = 75;
/** From this number on, only groups without a running message get a place of the share. */
const firstOfShare = 50;

/** Returns an empty queue. */
export function localQueue(options: QueueOptions): LocalQueue {
  /** Groups with waiting messages, in the order of their turns. */
  const turns = new Map<string, Group>();
  /**
   * Groups with waiting or running messages. Empty groups are removed, because senders choose the
   * names.
   */
  const groups = new Map<string, Group>();
  const running = new Set<Promise<void>>();
  /** The number of running messages of each share. */
  const shares = new Map<string | undefined, number>();
  let sent = 0;
  let waiting = 0;
  let slow = 0;
  let isToDeliver = false;
  const delays = delayLine((message) => {
    const group = groups.get(message.group) ?? emptyGroup(message);
    groups.set(message.group, group);
    enter(group, message);
    if (!turns.has(message.group)) turns.set(message.group, group);
    waiting += 1;
    deliverSoon();
  });
  const deliverSoon = (): void => {
    if (isToDeliver) return;
    isToDeliver = true;
    setImmediate(deliver);
  };
  const deliver = (): void => {
    isToDeliver = false;
    for (let begun = 0; !delays.stopped() && running.size < mostInWork && deliverNext();) {
      begun += 1;
      if (begun < mostPerTurn) continue;
      deliverSoon();
      return;
    }
  };
  /**
   * Starts one message of the first group with a free place, and moves the group behind all other
   * groups.
   */
  const deliverNext = (): boolean => {
    for (const [name, group] of turns) {
      const places = options.concurrency(name);
      const used = group.inWork - group.slow;
      const ofShare = group.share === undefined ? 0 : (shares.get(group.share) ?? 0);
      if (ofShare >= (group.inWork === 0 ? mostOfShare : firstOfShare) || used >= 2 * places) continue;
      const message = takeNext(name, group, places, options);
      if (message === undefined) continue;
      turns.delete(name);
      if (group.waiting > 0) turns.set(name, group);
      waiting -= 1;
      start(name, group, message);
      return true;
    }
    return false;
  };
  const start = (name: string, group: Group, message: Message): void => {
    const countShare = (change: 1 | -1): void => {
      shares.set(group.share, (shares.get(group.share) ?? 0) + change);
    };
    countShare(1);
    let isSlow = false;
    const giveBack = setTimeout(() => {
      const tenant = group.tenants.get(message.tenant);
      // A tenant with few slow messages goes before a tenant with many.
      if (tenant === undefined || slow >= mostSlow || tenant.slow >= mostSlow / 5) return;
      isSlow = true;
      for (const one of [tenant, group]) one.slow += 1;
      slow += 1;
      deliverSoon();
    }, slowAfterMs);
    const done = work(message, options, delays.keep).finally(() => {
      clearTimeout(giveBack);
      if (isSlow) slow -= 1;
      countShare(-1);
      leave(group, message, isSlow);
      running.delete(done);
      if (group.tenants.size === 0) groups.delete(name);
      // This call starts messages only in a later turn of the event loop, because fast messages
      // would otherwise block all other queues.
      deliverSoon();
    });
    running.add(done);
  };

  return {
    send(body, group, delayMs, { tenant = "", place = "last", share, subject } = {}) {
      const waitingOne = subject === undefined ? undefined : groups.get(group)?.subjects.get(subject);
      if (waitingOne !== undefined) {
        waitingOne.body = body;
        waitingOne.replaced += 1;
        return;
      }
      sent += 1;
      const order = { group, tenant, place, share, subject };
      delays.keep({ id: `m${sent}`, body, ...order, replaced: 0, receives: 0 }, delayMs);
    },
    isWaiting: (group) => turns.has(group),
    size: () => ({ waiting: waiting + delays.size(), groups: groups.size }),
    async stop() {
      delays.stop();
      await Promise.allSettled(running);
    },
  };
}

function emptyGroup({ share }: Message): Group {
  return { share, tenants: new Map(), subjects: new Map(), waiting: 0, inWork: 0, slow: 0 };
}

function enter(group: Group, message: Message): void {
  const tenant = group.tenants.get(message.tenant) ?? { ready: [], inWork: 0, slow: 0 };
  group.tenants.set(message.tenant, tenant);
  if (message.place === "first") tenant.ready.unshift(message);
  else tenant.ready.push(message);
  if (message.subject !== undefined) group.subjects.set(message.subject, message);
  group.waiting += 1;
}

/** Takes one message of a tenant with a free place, or undefined. */
function takeNext(
  name: string,
  group: Group,
  places: number,
  { concurrencyOfTenant = Infinity, mostOfTenant }: Pick<QueueOptions, "concurrencyOfTenant" | "mostOfTenant">,
): Message | undefined {
  const equalPart = Math.ceil(places / group.tenants.size);
  // Only a tenant without a running message may begin one without a free place.
  const hasPlace = group.inWork - group.slow < places;
  for (const part of hasPlace ? [Math.min(equalPart, concurrencyOfTenant), concurrencyOfTenant] : ["new" as const])
    for (const [tenantName, tenant] of group.tenants) {
      const mayBegin = part === "new" ? tenant.inWork === 0 : tenant.inWork - tenant.slow < part;
      if (!mayBegin || tenant.inWork >= (mostOfTenant?.(name, tenantName) ?? Infinity)) continue;
      const message = takeOf(tenantName, tenant, group);
      if (message !== undefined) return message;
    }
  return undefined;
}

/**
 * Takes the first message of a tenant, or undefined. The tenant then comes last in the order of the
 * turns.
 */
function takeOf(name: string, tenant: Tenant, group: Group): Message | undefined {
  const message = tenant.ready.shift();
  if (message === undefined) return undefined;
  group.tenants.delete(name);
  group.tenants.set(name, tenant);
  if (message.subject !== undefined && group.subjects.get(message.subject) === message)
    group.subjects.delete(message.subject);
  group.waiting -= 1;
  group.inWork += 1;
  tenant.inWork += 1;
  return message;
}

function leave(group: Group, { tenant: name }: Message, isSlow: boolean): void {
  const tenant = group.tenants.get(name);
  for (const one of tenant === undefined ? [group] : [group, tenant]) {
    one.inWork -= 1;
    if (isSlow) one.slow -= 1;
  }
  if (tenant?.inWork === 0 && tenant.ready.length === 0) group.tenants.delete(name);
}

interface DelayLine {
  readonly keep: (message: Message, delayMs: number) => void;
  size(): number;
  stop(): void;
  stopped(): boolean;
}

/** The longest time of a timer, about 25 days. A longer one would end at once. */
const longestTimerMs = 2_147_483_647;

/** Returns a line that releases each message after its delay. A stop drops delayed messages. */
function delayLine(release: (message: Message) => void): DelayLine {
  const timers = new Set<NodeJS.Timeout>();
  let isStopped = false;
  return {
    keep(message, delayMs) {
      if (isStopped) return;
      if (delayMs <= 0) {
        release(message);
        return;
      }
      const timer = setTimeout(
        () => {
          timers.delete(timer);
          release(message);
        },
        Math.min(delayMs, longestTimerMs),
      );
      timers.add(timer);
    },
    stop() {
      isStopped = true;
      for (const timer of timers) clearTimeout(timer);
    },
    size: () => timers.size,
    stopped: () => isStopped,
  };
}

/**
 * Handles one message. A failed message is retried later, or dead-lettered. An exception is a
 * failure too.
 */
async function work(message: Message, { run, deadLetter }: QueueOptions, keep: DelayLine["keep"]): Promise<void> {
  message.receives += 1;
  const { id, body, replaced } = message;
  const outcome = await run({ id, body, ...(replaced === 0 ? {} : { replaced }) }).catch(() => "again" as const);
  if (outcome === "done") return;
  if (message.receives >= delivery.maximumReceives) await deadLetter(message);
  else keep(message, delivery.retryDelayMs(message.receives));
}
