import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type QueueCommand, queueOf } from "#contracts/routes";
import type { DomainEvent, Fact } from "#domain/update/events";
import type { ImagePushed } from "#domain/image/push";
import { type DurationMs, durationMs, hours, minutes, seconds } from "#domain/shared/time";
import type { Command } from "#domain/update/commands";
import type { Bus, Queues } from "#ports/messaging";
import { deployment, start } from "./records.ts";

/** Work as a function got it. */
export interface Handed {
  /** The queue of the function. */
  readonly to: QueueCommand;
  readonly command: Command;
  /** When, since the bed was made. */
  readonly afterMs: number;
}

/** Queues and a bus, what is behind them, and time that passes when a test says so. */
export interface MessagingBed {
  readonly queues: Queues;
  readonly bus: Bus;
  /** Everything that functions got, in whatever order. */
  readonly handed: readonly Handed[];
  /** The events that were on the bus, as those with a rule for them see them. */
  readonly told: readonly DomainEvent[];
  pass(duration: DurationMs): Promise<void>;
  close(): Promise<void>;
}

const workload = deployment("api");
const state = { workload, uid: "u", seq: 3, version: 14 };

/** One of each command. */
const ofEach: readonly Command[] = [
  { name: "SyncCluster", id: "1", cluster: "prod" },
  { name: "SweepRepository", id: "2", registry: "r.test:5000", repository: "shop/api", at: start },
  { name: "EvaluateWorkload", id: "3", workload, source: "policy", correlationId: "push – 1" },
  { name: "Wake", ...state, requestedBy: "freeze lifted" },
  { name: "RollOut", ...state, correlationId: "push – 1" },
  { name: "ShowAvailable", ...state },
  { name: "CheckRollout", ...state },
];
const wake = (version: number): Command => ({ name: "Wake", ...state, version });

const textOf = (value: unknown): string => JSON.stringify(value);
/** At least once and in no order: the same as a set. */
const setOf = (values: readonly unknown[]): ReadonlySet<string> => new Set(values.map(textOf));

/** What every way to send work does. */
export function queuesContract(makeBed: () => Promise<MessagingBed>): void {
  let bed: MessagingBed;
  beforeEach(async () => {
    bed = await makeBed();
  });
  afterEach(() => bed.close());

  const handedWork = (): ReadonlySet<string> => setOf(bed.handed.map(({ command }) => command));

  describe("a sent command", () => {
    it("reaches the function of its queue at once, unchanged", async () => {
      await bed.queues.send(ofEach.map((command) => ({ command })));
      await bed.pass(seconds(1));

      expect(setOf(bed.handed.map(({ to, command }) => [to, command]))).toEqual(
        setOf(ofEach.map((command) => [queueOf(command.name), command])),
      );
    });

    it("is not delivered for an empty list", async () => {
      await bed.queues.send([]);
      await bed.pass(seconds(1));

      expect(bed.handed).toEqual([]);
    });

    it("may exceed the largest request of a service", async () => {
      const many = Array.from({ length: 57 }, (_, index) => wake(index + 1));

      await bed.queues.send(many.map((command) => ({ command })));
      await bed.pass(seconds(1));

      expect(handedWork()).toEqual(setOf(many));
    });

    it.each([seconds(1), seconds(90), minutes(15), minutes(16), minutes(90), hours(6)])(
      "is delayed exactly: %i ms",
      async (delay) => {
        await bed.queues.send([{ command: wake(1), delay }]);
        await bed.pass(durationMs(delay - 501));
        const early = [...bed.handed];
        await bed.pass(seconds(2));

        expect(early).toEqual([]);
        expect(handedWork()).toEqual(setOf([wake(1)]));
        expect(Math.abs((bed.handed[0]?.afterMs ?? 0) - delay)).toBeLessThanOrEqual(1_000);
      },
    );

    it("is not delayed by other commands of the same call", async () => {
      const delays = [hours(1), seconds(0), minutes(20), seconds(5)];

      await bed.queues.send(delays.map((delay, index) => ({ command: wake(index + 1), delay })));
      await bed.pass(hours(2));

      const order = bed.handed.toSorted((one, other) => one.afterMs - other.afterMs).map(({ command }) => command);
      expect(order).toEqual([wake(2), wake(4), wake(3), wake(1)]);
    });
  });
}

const push: ImagePushed = {
  name: "ImagePushed",
  ...{ id: "p – 1", registry: "r.test", repository: "shop/api", tag: "1.0.0", source: "webhook generic", at: start },
};
const fact = (version: number): Fact => ({
  name: "UpdateReleased",
  ...{ id: `u/3/${String(version)}/UpdateReleased`, ...state, version, at: start, changes: [], reasons: [] },
});

/** What every way to publish does. */
export function busContract(makeBed: () => Promise<MessagingBed>): void {
  let bed: MessagingBed;
  beforeEach(async () => {
    bed = await makeBed();
  });
  afterEach(() => bed.close());

  describe("published events", () => {
    it.each([
      { because: "a push and a fact, as they are", events: [push, fact(1)] },
      { because: "none", events: [] },
      {
        because: "more than one request of any service takes",
        events: Array.from({ length: 57 }, (_, index) => fact(index + 1)),
      },
    ])("reach the functions with a rule for them: $because", async ({ events }) => {
      await bed.bus.publish(events);
      await bed.pass(seconds(1));

      expect(setOf(bed.told.map(withoutWords))).toEqual(setOf(events));
    });
  });
}

/** Leaves out what a published fact has for people and rules. */
function withoutWords(event: object): object {
  const { severity, outcome, text, ...plain } = event as Readonly<Record<string, unknown>>;
  return plain;
}
