import { describe, expect, it } from "vitest";
import { hours, minutes, plus, seconds } from "#domain/shared/time";
import { byPresentClock } from "#domain/update/state/wrong-clock";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { aChange, aPending, aRecord, aRolledBack, aRolling, aRunning, digest, imageName, noon } from "../builders.ts";
import { checkGates } from "./decisions.ts";
import { openFacts, settingsOf } from "../builders.ts";

const jump = hours(12_000);
/** Noon by the clock that is ahead. */
const wrongNoon = plus(noon, jump);
const after = minutes(1);
const now = plus(noon, after);
/** Noon of the wrong clock, by the right clock at `now`. */
const found = now;
const stored = (given: Partial<WorkloadRecord>): WorkloadRecord =>
  aRecord({ changedAt: wrongNoon, effects: { dueAt: plus(wrongNoon, minutes(11)) }, ...given });
const approval = { askedAt: wrongNoon, until: plus(wrongNoon, hours(1)), bindingHash: "hash", approvedBy: [] };

describe("a record that a clock ahead stored", () => {
  it("is overdue, and keeps the rest of its rollout's deadline and of the grace of a fault", () => {
    const progress = (from: typeof noon) =>
      ({
        kind: "progressing",
        deadlineAt: plus(from, minutes(10)),
        fault: { detail: "app: ErrImagePull", ready: 1, failsAt: plus(from, minutes(2)) },
      }) as const;
    const active = aRolling({ patchedAt: plus(wrongNoon, seconds(-10)), progress: progress(wrongNoon) });

    expect(byPresentClock(stored({ active }), now)).toEqual({
      ...stored({ active: aRolling({ patchedAt: plus(found, seconds(-10)), progress: progress(found) }) }),
      effects: { dueAt: now },
    });
  });

  it("lets running pods settle, and a rollback end", () => {
    const running = {
      restarts: 0,
      pods: 3,
      since: wrongNoon,
      seenAt: wrongNoon,
      settlesAt: plus(wrongNoon, minutes(1)),
    };
    const back = (from: typeof noon) =>
      aRolledBack({
        failure: { at: from, reason: "rollout-failed", detail: "ErrImagePull" },
        rollback: { kind: "patched", at: from, deadlineAt: plus(from, minutes(10)) },
      });

    expect(byPresentClock(stored({ active: aRunning(running) }), now).active).toEqual(
      aRunning({ ...running, since: found, seenAt: found, settlesAt: plus(found, minutes(1)) }),
    );
    expect(byPresentClock(stored({ active: back(wrongNoon) }), now).active).toEqual({
      ...back(found),
      patchedAt: noon,
    });
  });

  it("keeps its place in the queue, and the rest of its waits, pause and request for approval", () => {
    const pending = (from: typeof noon) =>
      aPending({
        waits: [{ reason: "internal-error", detail: "failed", until: plus(from, hours(1)) }],
        reselectAt: plus(from, hours(2)),
        approval: { ...approval, askedAt: from, until: plus(from, hours(1)) },
        selectedAt: wrongNoon,
        queuedAt: wrongNoon,
      });
    const retry = (from: typeof noon) =>
      ({ pause: { reason: "internal-error", detail: "failed", until: plus(from, minutes(1)) } }) as const;

    expect(byPresentClock(stored({ pending: pending(wrongNoon), retry: retry(wrongNoon) }), now)).toEqual({
      ...stored({ pending: pending(found), retry: retry(found) }),
      effects: { dueAt: now },
    });
  });

  it("keeps what was in the future before the jump, unless it is more than a day away", () => {
    const waits = (...all: (typeof noon)[]) =>
      aPending({ waits: all.map((until) => ({ reason: "internal-error", detail: "failed", until })) });
    const [soon, far] = [plus(now, hours(1)), plus(now, hours(48))];
    const pending = waits(noon, soon, far, plus(wrongNoon, minutes(-1)), wrongNoon);

    expect(byPresentClock(stored({ pending }), now).pending).toEqual(waits(noon, soon, now, now, found));
  });

  it("has no past that is still in the future, also after two jumps", () => {
    const active = aRolling({ patchedAt: plus(wrongNoon, hours(1)) });

    expect(byPresentClock(stored({ active }), now).active).toEqual(aRolling({ patchedAt: now }));
  });

  it("waits for digests from now, and knows its images since now", () => {
    const restored = { imageName, digest: digest("1"), tag: "1.1.0", image: "app:1.0.0", manager: "helm" };
    const limited = { imageName, digest: digest("2"), tag: "1.2.0", reason: "pull-limited", times: 1 } as const;
    const given = (at: typeof noon): Partial<WorkloadRecord> => {
      const { observed } = aRecord();
      return {
        restored: [{ ...restored, at, isDoubtful: false }],
        limited: [{ ...limited, until: at }],
        observed: { ...observed, containers: observed.containers.map((one) => ({ ...one, seenAt: at })) },
        effects: {},
      };
    };

    expect(byPresentClock(stored(given(wrongNoon)), now)).toEqual(stored(given(now)));
    const aDayAhead = plus(now, hours(24));
    expect(byPresentClock(stored(given(aDayAhead)), now)).toEqual(stored(given(aDayAhead)));
  });

  it("is stored again at its next check, although no gate opens", () => {
    const record = byPresentClock(stored({ seq: 1, pending: aPending() }), now);
    const suspended = { ...record, observed: { ...record.observed, annotations: { "lookout.dev/suspend": "true" } } };

    expect(checkGates(suspended, { settings: settingsOf(suspended), facts: openFacts }, now)).toMatchObject({
      version: record.version + 1,
      changedAt: now,
      transitions: [{ what: "still-waiting", changes: [aChange()] }],
    });
  });
});

describe("a record that a right clock stored", () => {
  it.each([minutes(-60), minutes(0), minutes(5)])("stays as it is, %d ms from now", (later) => {
    const record = aRecord({ changedAt: plus(now, later), active: aRolling() });

    expect(byPresentClock(record, now)).toBe(record);
  });
});
