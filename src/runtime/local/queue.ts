import { delivery } from "#contracts/routes";
import type { QueueMessage } from "../handler.ts";

/** What a queue needs of the process that runs it. */
export interface QueueOptions {
  /** Runs a message; `again`: it is delivered again. */
  readonly run: (message: QueueMessage) => Promise<"done" | "again">;
  /** Takes a message that failed every time. */
  readonly deadLetter: (message: QueueMessage) => Promise<void>;
  /** How many messages of a group may be in work at once, asked before each delivery; at least 1. */
  readonly concurrency: (group: string) => number;
}

/**
 * A local queue with the delivery rules of SQS: at least once, in any order, with delays and dead
 * letters. Each group has its own limit, so that no group waits for another. Messages are delivered
 * one by one, so that none waits for a slower one.
 */
export interface LocalQueue {
  /**
   * @param group - the group of a fair queue
   * @param delayMs - the delay; 0: none
   * @param place - `first`: before all waiting messages of its group
   */
  send(body: string, group: string, delayMs: number, place?: "first" | "last"): void;
  /** Returns true when a message of the group waits for its delivery. */
  isWaiting(group: string): boolean;
  /** Returns the number of messages that wait for a delivery, delayed ones too, and of groups with messages. */
  size(): { readonly waiting: number; readonly groups: number };
  /** Stops all deliveries, and resolves when the running ones have ended. */
  stop(): Promise<void>;
}

interface Message extends QueueMessage {
  readonly group: string;
  readonly place: "first" | "last";
  receives: number;
}

/** The waiting messages of a group, and the number of running ones. */
interface Room {
  readonly ready: Message[];
  inWork: number;
}

/**
 * How many messages of all groups run at once. Senders of webhooks choose groups, so that a limit of
 * each group alone is none.
 */
const mostInWork = 250;

/** Returns the delay of a retry: half a second, doubled with each delivery, at most 30 s. */
function retryDelayMs(receives: number): number {
  return Math.min(30_000, 500 * 2 ** (receives - 1));
}

/** Returns a queue. */
export function localQueue(options: QueueOptions): LocalQueue {
  /** Rooms with waiting messages, in the order of their turns. */
  const turns = new Map<string, Room>();
  /** Rooms with messages of any kind; a room without any is forgotten, because senders choose its name. */
  const rooms = new Map<string, Room>();
  const running = new Set<Promise<void>>();
  let [sent, waiting, isToDeliver] = [0, 0, false];
  const delays = delayLine((message) => {
    const room = rooms.get(message.group) ?? { ready: [], inWork: 0 };
    rooms.set(message.group, room);
    if (message.place === "first") room.ready.unshift(message);
    else room.ready.push(message);
    if (!turns.has(message.group)) turns.set(message.group, room);
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
    while (!delays.stopped() && running.size < mostInWork && deliverNext());
  };
  /** Takes one message of the first room that has a place, which then waits for its next turn. */
  const deliverNext = (): boolean => {
    for (const [group, room] of turns) {
      if (room.inWork >= options.concurrency(group)) continue;
      turns.delete(group);
      const message = room.ready.shift() as Message;
      if (room.ready.length > 0) turns.set(group, room);
      waiting -= 1;
      room.inWork += 1;
      const done = work(message, options, delays.keep).finally(() => {
        room.inWork -= 1;
        running.delete(done);
        if (room.inWork === 0 && room.ready.length === 0) rooms.delete(group);
        deliver();
      });
      running.add(done);
      return true;
    }
    return false;
  };

  return {
    send(body, group, delayMs, place = "last") {
      sent += 1;
      delays.keep({ id: `m${sent}`, body, group, place, receives: 0 }, delayMs);
    },
    isWaiting: (group) => turns.has(group),
    size: () => ({ waiting: waiting + delays.size(), groups: rooms.size }),
    async stop() {
      delays.stop();
      await Promise.allSettled(running);
    },
  };
}

interface DelayLine {
  readonly keep: (message: Message, delayMs: number) => void;
  size(): number;
  stop(): void;
  stopped(): boolean;
}

/** Delays messages, each for its own time. A stop drops them. */
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
      const timer = setTimeout(() => {
        timers.delete(timer);
        release(message);
      }, delayMs);
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
 * Handles one message. A failure is retried later, or dead-lettered. An exception is a failure too.
 */
async function work(message: Message, { run, deadLetter }: QueueOptions, keep: DelayLine["keep"]): Promise<void> {
  message.receives += 1;
  const outcome = await run({ id: message.id, body: message.body }).catch(() => "again" as const);
  if (outcome === "done") return;
  if (message.receives >= delivery.maximumReceives) await deadLetter(message);
  else keep(message, retryDelayMs(message.receives));
}
