import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  dueOf,
  nextCheckAt,
  nextCommands,
  checkAgainAfter,
  extraCheck,
  openCommands,
  extraWake,
  wakesAt,
} from "#domain/update/effects/commands";
import { type EpochMs, hours, plus, seconds } from "#domain/shared/time";
import type { PendingUpdate, Transition, WorkloadRecord } from "#domain/update/state/workload";
import {
  aPatching,
  aPending,
  api,
  aRecord,
  aReleased,
  aRolling,
  aRolledBack,
  aRollingBack,
  aRunning,
  at,
  aWaiting,
  noon,
} from "../builders.ts";

const changedAt = noon;
const reference = { workload: api, uid: "uid-1", seq: 1, version: 5 };
const open = (given: Partial<WorkloadRecord>) => openCommands(aRecord({ seq: 1, changedAt, ...given }));
const running = { seenAt: noon, settlesAt: at("2026-03-02T12:00:10Z"), since: noon, restarts: 0, pods: 1 };

describe("the next commands", () => {
  it("are none without an open update", () => {
    expect(open({})).toEqual([]);
    expect(dueOf(aRecord())).toBeUndefined();
    expect(open({ selectionFailures: [{ container: "app", reason: "no-tag-fits" }] })).toEqual([]);
  });

  it.each([
    { active: aReleased(), name: "RollOut", at: "12:00:00", dueAt: "12:01:00", because: "it is released" },
    {
      active: aPatching(),
      name: "RollOut",
      at: "12:00:00",
      dueAt: "12:02:00",
      because: "its patch is not known to have landed",
    },
    {
      active: aRolling(),
      name: "CheckRollout",
      at: "12:00:01",
      dueAt: "12:11:00",
      because: "it rolls out: sent again only after its deadline",
    },
    {
      active: aRunning(running),
      name: "CheckRollout",
      at: "12:00:10",
      dueAt: "12:01:10",
      because: "it settles",
    },
    {
      active: aWaiting("paused"),
      name: "CheckRollout",
      at: "12:00:30",
      dueAt: "18:00:00",
      because: "it stands still",
    },
    {
      active: aWaiting("paused", { progress: { kind: "waiting", why: "paused", running } }),
      name: "CheckRollout",
      at: "12:00:30",
      dueAt: "18:00:00",
      because: "it stands still while it settles",
    },
    {
      active: aRollingBack(),
      name: "CheckRollout",
      at: "12:00:00",
      dueAt: "12:01:00",
      because: "it is to be put back at once",
    },
    {
      active: aRolledBack(),
      name: "CheckRollout",
      at: "12:00:01",
      dueAt: "12:11:00",
      because: "it was put back",
    },
  ])("are $name at $at, again at $dueAt, when $because", ({ active, name, at: when, dueAt }) => {
    expect(open({ active })).toEqual([
      { command: { name, ...reference }, at: at(`2026-03-02T${when}Z`), dueAt: at(`2026-03-02T${dueAt}Z`) },
    ]);
  });

  it.each([
    { waits: [{ reason: "suspended" }], at: "18:00:00", because: "nothing opens by itself: a look in six hours" },
    {
      waits: [{ reason: "suspended" }, { reason: "window-closed", until: at("2026-03-02T13:00:00Z") }],
      at: "13:00:00",
      because: "the first opens by itself",
    },
    {
      waits: [{ reason: "window-closed", until: at("2026-03-02T22:00:00Z") }],
      at: "18:00:00",
      because: "a window is farther than six hours",
    },
    {
      waits: [
        { reason: "window-closed", until: at("2026-03-02T14:00:00Z") },
        { reason: "internal-error", until: at("2026-03-02T13:00:00Z") },
      ],
      at: "13:00:00",
      because: "the earliest counts",
    },
    { waits: [{ reason: "rollout-in-progress" }], at: "12:00:00", because: "what it waited for has ended" },
    {
      waits: [{ reason: "suspended" }, { reason: "rollout-in-progress" }],
      at: "12:00:00",
      because: "one of the things that it waited for has ended",
    },
  ] as const)("are a wake-up at $at when $because", ({ waits, at: when }) => {
    const pending = aPending({ waits });

    expect(open({ pending })).toMatchObject([
      { command: { name: "Wake", ...reference }, at: at(`2026-03-02T${when}Z`) },
    ]);
    expect(wakesAt(pending, noon)).toBe(at(`2026-03-02T${when}Z`));
  });

  it("are a wake-up at the deadline of an approval, unless everyone has approved", () => {
    const approval = { askedAt: noon, until: at("2026-03-02T13:00:00Z"), bindingHash: "a".repeat(64), approvedBy: [] };
    const asked = aPending({ waits: [{ reason: "suspended" }, { reason: "needs-approval" }], approval });
    const approved = aPending({ waits: [{ reason: "suspended" }], approval });

    expect(wakesAt(asked, noon)).toBe(at("2026-03-02T13:00:00Z"));
    expect(wakesAt(approved, noon)).toBe(at("2026-03-02T18:00:00Z"));
  });

  it("are only the commands of the active update, if there is one", () => {
    expect(open({ active: aRolling(), pending: aPending({ seq: 2 }) }).map(({ command }) => command.name)).toEqual([
      "CheckRollout",
    ]);
  });

  it("evaluate changed settings or images before a held update continues", () => {
    const ask = {
      command: { name: "EvaluateWorkload", id: "uid-1:5", workload: api, source: "changed" },
      at: noon,
      dueAt: at("2026-03-02T12:01:00Z"),
    };

    expect(open({ needsEvaluation: true })).toEqual([ask]);
    expect(open({ needsEvaluation: true, pending: aPending() })).toEqual([ask]);
    expect(open({ needsEvaluation: true, active: aRolling() }).map(({ command }) => command.name)).toEqual([
      "CheckRollout",
      "EvaluateWorkload",
    ]);
  });

  it.each(["registry-unreachable", "registry-denied", "tag-not-found", "repository-not-found"] as const)(
    "evaluate again in a minute after %s",
    (reason) => {
      const selectionFailures = [{ container: "app", reason }];

      expect(open({ selectionFailures })).toEqual([
        {
          command: { name: "EvaluateWorkload", id: "uid-1:5", workload: api, source: "registry retry" },
          at: at("2026-03-02T12:01:00Z"),
          dueAt: at("2026-03-02T12:02:00Z"),
        },
      ]);
      expect(open({ selectionFailures, tracked: false })).toEqual([]);
    },
  );
});

describe("a workload whose registry asked for a pause", () => {
  const until = at("2026-03-02T12:04:00Z");
  const throttled = { container: "app", reason: "registry-throttled", until } as const;
  const retriedAt = (given: Partial<WorkloadRecord>) => open(given).map((command) => command.at - until);

  it("is evaluated within five seconds after the pause", () => {
    const [after = -1] = retriedAt({ selectionFailures: [throttled] });

    expect(after).toBeGreaterThanOrEqual(0);
    expect(after).toBeLessThanOrEqual(5_000);
  });

  it.each([
    { given: { retry: { failedEvaluations: 3 } }, at: "2026-03-02T12:08:00Z", because: "three retries failed" },
    { given: { needsEvaluation: true }, at: "2026-03-02T12:00:00Z", because: "its settings changed" },
    {
      given: { selectionFailures: [throttled, { container: "side", reason: "tag-not-found" }] },
      at: "2026-03-02T12:01:00Z",
      because: "another registry asked for no pause",
    },
  ] as const)("is evaluated at $at, because $because", ({ given, at: when }) => {
    expect(open({ selectionFailures: [throttled], ...given })).toMatchObject([{ at: at(when) }]);
  });

  it("is evaluated after an hour at most, as the clock may have been set back", () => {
    const tomorrow = { ...throttled, until: at("2026-03-03T12:00:00Z") };

    expect(retriedAt({ selectionFailures: [tomorrow] })[0]).toBeLessThanOrEqual(56 * 60_000 + 5_000);
  });
});

describe("the push that led to an update", () => {
  const correlationId = "push-1";

  it.each([
    { given: { active: aRolling({ correlationId }), pending: aPending({ seq: 2 }) }, of: "is on its way" },
    { given: { pending: aPending({ correlationId }) }, of: "waits" },
  ])("is the correlation of the command when $of", ({ given }) => {
    expect(open(given)).toMatchObject([{ command: { ...reference, correlationId } }]);
  });
});

describe("an active update with a failed command", () => {
  it("does not change until its pause ends, nor do its registries", () => {
    const until = at("2026-03-02T12:30:00Z");
    const pause = { reason: "internal-error", until, detail: "TypeError" } as const;

    expect(open({ active: aRolling(), retry: { pause }, needsEvaluation: true })).toMatchObject([
      { command: { name: "CheckRollout", ...reference }, at: until, dueAt: at("2026-03-02T12:31:00Z") },
      { command: { name: "EvaluateWorkload" }, at: noon },
    ]);
  });
});

describe("the first check of a wait", () => {
  const firstAt = (...waits: PendingUpdate["waits"]) =>
    nextCommands(aRecord({ seq: 1, changedAt, pending: aPending({ waits }) })).map((open) => open.at);
  const soon = at("2026-03-02T12:00:02Z");
  const inSixHours = at("2026-03-02T18:00:00Z");
  const until = at("2026-03-02T12:10:00Z");

  it.each<{ readonly waits: PendingUpdate["waits"]; readonly at: EpochMs; readonly because: string }>([
    { waits: [{ reason: "frozen" }], at: soon, because: "somebody may have lifted it in between" },
    { waits: [{ reason: "quarantined" }], at: soon, because: "somebody may have lifted it in between" },
    { waits: [{ reason: "suspended" }, { reason: "frozen" }], at: soon, because: "one of both may be lifted" },
    { waits: [{ reason: "cluster-unreachable" }], at: soon, because: "the cluster may have answered in between" },
    { waits: [{ reason: "cluster-unreachable", until }], at: until, because: "its pause has a timer of its own" },
    { waits: [{ reason: "frozen", until }], at: soon, because: "a freeze may be lifted before its end" },
    { waits: [{ reason: "frozen", until: noon }], at: noon, because: "it opens before that" },
    { waits: [{ reason: "suspended" }], at: inSixHours, because: "whoever changes that is heard of" },
  ])("is at $at for $waits, because $because", ({ waits, at: when }) => {
    expect(firstAt(...waits)).toEqual([when]);
  });

  it("does not evaluate the workload sooner", () => {
    const pending = aPending({ waits: [{ reason: "frozen" }] });
    const record = aRecord({ changedAt, pending, selectionFailures: [{ container: "app", reason: "tag-not-found" }] });

    expect(nextCommands(record).map((open) => [open.command.name, open.at])).toEqual([
      ["Wake", soon],
      ["EvaluateWorkload", at("2026-03-02T12:01:00Z")],
    ]);
  });

  it("is the next command, if there is no wait", () => {
    expect(nextCommands(aRecord({ seq: 1, changedAt, active: aReleased() }))).toEqual(open({ active: aReleased() }));
  });
});

describe("the annotation of the update that waits for approval", () => {
  const correlationId = "push-1";
  const approval = { askedAt: noon, until: at("2026-03-02T13:00:00Z"), bindingHash: "a".repeat(64), approvedBy: [] };
  const aTransition = (given: Partial<Transition> & Pick<Transition, "what">): Transition => ({
    ...{ seq: 1, changes: [], reasons: [] },
    ...given,
  });
  const requested = aTransition({ what: "held", approval: [{ what: "requested", people: [] }] });
  const shows = (given: Partial<WorkloadRecord>) =>
    nextCommands(aRecord({ seq: 1, changedAt, ...given })).filter(({ command }) => command.name === "ShowAvailable");
  const command = { name: "ShowAvailable", ...reference };
  const pending = aPending({ correlationId, waits: [{ reason: "needs-approval" }], approval });

  it("is written at once by a command of its own, which the reaper does not send again", () => {
    const asked = { pending, transitions: [requested] };

    expect(shows(asked)).toEqual([
      { command: { ...command, correlationId }, at: noon, dueAt: at("2026-03-02T12:01:00Z") },
    ]);
    expect(open(asked).map((next) => next.command.name)).toEqual(["Wake"]);
  });

  it.each(["rejected", "superseded", "patched"] as const)("is written again when an approved update is %s", (what) => {
    const active = aRolling({ approval });

    expect(shows({ active, transitions: [aTransition({ what })] })).toMatchObject([{ command }]);
    expect(shows({ active: aRolling(), transitions: [aTransition({ what })] })).toEqual([]);
  });

  it("stays as it is while nothing about it changes, or if the workload is not tracked", () => {
    expect(shows({ pending, transitions: [aTransition({ what: "held" })] })).toEqual([]);
    expect(shows({ tracked: false, transitions: [requested] })).toEqual([]);
  });
});

describe("an extra check", () => {
  const requestedBy = "slot:7";
  const correlationId = "push-1";

  it("of a wait names the state, the push and the sender", () => {
    expect(extraWake(aRecord({ seq: 1, pending: aPending({ correlationId }) }), requestedBy)).toStrictEqual({
      name: "Wake",
      ...reference,
      correlationId,
      requestedBy,
    });
    expect(extraWake(aRecord({ seq: 1 }), requestedBy)).toStrictEqual({ name: "Wake", ...reference, requestedBy });
  });

  it("of an active update names the state, the push and the sync", () => {
    const record = aRecord({ seq: 1, active: aRolling({ correlationId }) });

    expect(extraCheck(record, requestedBy)).toStrictEqual({
      name: "CheckRollout",
      ...reference,
      correlationId,
      requestedBy,
    });
  });
});

describe("the next check of a rollout", () => {
  it.each([
    { after: 0, pause: 1_000 },
    { after: 2_999, pause: 1_000 },
    { after: 12_000, pause: 4_000 },
    { after: 45_000, pause: 15_000 },
    { after: 9_000_000, pause: 15_000 },
    { after: -60_000, pause: 1_000 },
  ])("after $after ms is in $pause ms", ({ after, pause }) => {
    expect(checkAgainAfter(noon, plus(noon, seconds(after / 1_000)))).toBe(pause);
  });

  it.each([
    { what: "makes progress", update: aRolling(), pause: seconds(15) },
    { what: "waits for people", update: aWaiting("paused"), pause: seconds(30) },
  ])("of a rollout that $what is at most $pause ms later after a day", ({ update, pause }) => {
    const now = plus(update.patchedAt, hours(24));

    expect(nextCheckAt(update, now)).toBe(plus(now, pause));
  });
});

describe("a record that is not ended", () => {
  const record = fc.record({
    active: fc.constantFrom(
      undefined,
      aReleased(),
      aPatching(),
      aRolling(),
      aRunning(running),
      aWaiting("paused"),
      aRollingBack(),
      aRolledBack(),
    ),
    pending: fc.constantFrom(
      undefined,
      aPending(),
      aPending({ waits: [{ reason: "rollout-in-progress" }] }),
      aPending({ waits: [{ reason: "window-closed", until: at("2026-03-02T22:00:00Z") }] }),
    ),
    needsEvaluation: fc.boolean(),
    selectionFailure: fc.boolean(),
  });

  it("has commands, is due within six hours and a minute after them, and has each command once", () => {
    fc.assert(
      fc.property(record, ({ active, pending, needsEvaluation, selectionFailure }) => {
        const some = aRecord({
          changedAt,
          ...(active === undefined ? {} : { active }),
          ...(pending === undefined ? {} : { pending }),
          ...(needsEvaluation ? { needsEvaluation } : {}),
          selectionFailures: selectionFailure ? [{ container: "app", reason: "tag-not-found" }] : [],
        });
        const open = openCommands(some);
        const due = dueOf(some);

        expect(open.length > 0).toBe(
          active !== undefined || pending !== undefined || needsEvaluation || selectionFailure,
        );
        expect(due === undefined).toBe(open.length === 0);
        for (const one of open) {
          expect(one.dueAt).toBeGreaterThanOrEqual(one.at);
          expect(one.dueAt).toBeLessThanOrEqual(at("2026-03-02T18:01:00Z"));
        }
        const commands = open.map(({ command }) => command.name);
        expect(new Set(commands).size).toBe(commands.length);
      }),
    );
  });
});
