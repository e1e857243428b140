import fc from "fast-check";
import { expect, it } from "vitest";
import { deriveFrom } from "#app/notify/state-changed";
import { historyRowsOf } from "#domain/history/history-row";
import { pushStepsOf } from "#domain/history/push-step";
import { snapshotOf } from "#domain/history/runs";
import { hours, minutes, plus } from "#domain/shared/time";
import type { SucceededUpdate, Transition, WorkloadRecord } from "#domain/update/state/workload";
import { workloadKey } from "#domain/workload/workload";
import { deployment, firstRecord, nextRecord, start } from "#test/contracts/records";
import { isProof } from "#test/proof";
import { stateInMemory } from "#test/state";

const tags = ["1.0.0", "1.1.0", "1.2.0"] as const;
const digestOf = (tag: string) => `sha256:${tag.replaceAll(".", "").padEnd(64, "0")}`;
const imageOf = (tag: string) => `registry.test/shop/app:${tag}`;

/** What happens to a workload. */
const event = fc.oneof(
  fc.record({
    kind: fc.constant("updated" as const),
    tag: fc.constantFrom(...tags),
    push: fc.constantFrom("p-1", "p-2"),
  }),
  fc.record({ kind: fc.constant("changed" as const), tag: fc.constantFrom(...tags) }),
  fc.constantFrom({ kind: "unblocked" as const }, { kind: "untracked" as const }, { kind: "held" as const }),
);
type Event = typeof event extends fc.Arbitrary<infer Value> ? Value : never;

function withImage(record: WorkloadRecord, tag: string): WorkloadRecord["observed"] {
  const [container] = record.observed.containers;
  return { ...record.observed, containers: [{ ...container!, image: imageOf(tag), digest: digestOf(tag) }] };
}

/** Returns the versions that an event writes. */
function versionsOf(before: WorkloadRecord, happened: Event): readonly WorkloadRecord[] {
  const next = (record: WorkloadRecord, transition: Partial<Transition>, given: Partial<WorkloadRecord> = {}) => {
    const seq = transition.seq ?? 0;
    const transitions = [{ seq, what: "observed", reasons: [], changes: [], ...transition } as const];
    return nextRecord(record, { transitions, changedAt: plus(record.changedAt, minutes(1)), ...given });
  };
  const { kind } = happened;
  switch (kind === "updated" && !before.tracked ? "changed" : kind) {
    case "changed": {
      const { tag = "1.0.0" } = happened as { readonly tag?: string };
      return [next(before, {}, { tracked: true, observed: withImage(before, tag) })];
    }
    case "untracked":
      return [next(before, { what: "untracked" }, { tracked: false })];
    case "unblocked":
      return [next(before, { what: "unblocked", action: { what: "unblock", by: "ana" } })];
    case "held":
      return [next(before, { what: "still-waiting" })];
    case "updated": {
      const seq = before.seq + 1;
      const { tag, push: correlationId } = happened as Extract<Event, { kind: "updated" }>;
      const from = before.observed.containers[0]!.image;
      const change = {
        list: "containers",
        name: "app",
        imageName: "registry.test/shop/app",
        tag,
        apply: "tag",
      } as const;
      const changes = [{ ...change, digest: digestOf(tag), from, to: imageOf(tag), policy: "semver" }];
      const core = { seq, changes, correlationId, source: "webhook", detectedAt: start, selectedAt: start };
      const released = { ...core, status: "released", releasedAt: start } as const;
      const selected = next(before, { seq, what: "released", changes, selected: true }, { seq, active: released });
      const at = plus(selected.changedAt, minutes(1));
      const ended: SucceededUpdate = {
        ...{ ...core, status: "succeeded", patchedAt: at, runningSince: at, endedAt: at, detail: "1 pod" },
      };
      const { active: _, ...open } = selected;
      const given = { last: ended, landed: ended, observed: withImage(before, tag) };
      return [selected, next(open, { seq, what: "succeeded", changes, correlationId }, given)];
    }
  }
}

/** Returns all versions of a workload, the first one included. */
function historyOf(name: string, events: readonly Event[]): readonly WorkloadRecord[] {
  const first = firstRecord(deployment(name));
  const versions: WorkloadRecord[] = [{ ...first, observed: withImage(first, "1.0.0") }];
  for (const happened of events) versions.push(...versionsOf(versions.at(-1)!, happened));
  return versions;
}

/** Returns the runs that versions in their order show, by a walk that knows no store. */
function runsIn(versions: readonly WorkloadRecord[]): readonly string[] {
  const runs: { text: string; tag: string; since: number; until?: number }[] = [];
  let last = 0;
  for (const record of versions) {
    const snapshot = snapshotOf(record);
    if (snapshot === undefined) continue;
    const [point] = snapshot.points;
    const open = runs.find(({ until }) => until === undefined);
    if (open?.tag === point?.image?.tag) continue;
    const since = point === undefined || point.since <= last ? snapshot.at : point.since;
    if (open !== undefined || point !== undefined) last = since;
    if (open !== undefined) open.until = since;
    if (point?.image?.tag === undefined) continue;
    runs.push({ text: workloadKey(record.workload), tag: point.image.tag, since });
  }
  return runs.map(({ text, tag, since, until }) => [text, tag, since, until].join(" ")).sort();
}

/** How changes are delivered: in batches, some of which end before they are done and come again. */
const batch = fc.record({ size: fc.integer({ min: 1, max: 5 }), diesAfter: fc.option(fc.integer({ min: 0, max: 5 })) });

it("what follows from records is what the records say, after repeated and interrupted batches", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(event, { maxLength: 12 }),
      fc.array(event, { maxLength: 12 }),
      fc.array(batch, { minLength: 1, maxLength: 8 }),
      async (ofOne, ofOther, batches) => {
        const ports = stateInMemory();
        const histories = [historyOf("one", ofOne), historyOf("other", ofOther)];
        // The other workload is late as a whole: only the versions of one workload have an order.
        const queue = [...histories[0]!.slice(0, 3), ...histories[1]!, ...histories[0]!.slice(3)];
        for (let at = 0, turn = 0; at < queue.length; turn += 1) {
          const { size, diesAfter } = batches[turn % batches.length]!;
          const taken = queue.slice(at, at + size);
          await deriveFrom(diesAfter === null ? taken : taken.slice(0, diesAfter), ports);
          if (diesAfter !== null) await deriveFrom(taken, ports);
          at += size;
        }

        const all = histories.flat();
        const until = plus(start, hours(24));
        const { rows } = await ports.history.read({ since: start, until, limit: 1_000 });
        const wanted = new Map(all.flatMap(historyRowsOf).map((row) => [row.id, row]));
        expect(new Map(rows.map(({ row }) => [row.id, row]))).toEqual(wanted);
        for (const push of ["p-1", "p-2"]) {
          const steps = histories.flatMap((one) =>
            one
              .flatMap(pushStepsOf)
              .filter((step) => step.push === push)
              .slice(-1),
          );
          expect(await ports.pushes.stepsOf(push)).toEqual(steps);
        }
        const runs = (await Promise.all(tags.map((tag) => ports.digests.runsOf(digestOf(tag))))).flat();
        const found = runs.map(({ workload, tag, since, until: end }) => [workload, tag, since, end].join(" ")).sort();
        expect(found).toEqual(histories.flatMap(runsIn).sort());
        const open = runs.filter((run) => run.until === undefined).map(({ workload, tag }) => [workload, tag]);
        const present = (await ports.digests.present("prod")).map(({ workload, tag }) => [workload, tag]);
        expect(present.sort()).toEqual(open.sort());
      },
    ),
    { numRuns: isProof ? 100_000 : 150 },
  );
});

it("lost and late batches keep what a workload runs now, once its last version is told", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(event, { minLength: 1, maxLength: 12 }),
      fc.array(fc.nat({ max: 30 }), { maxLength: 30 }),
      async (events, order) => {
        const ports = stateInMemory();
        const versions = historyOf("one", events);
        for (const version of versions) expect((await ports.store.write(version)).kind).toBe("written");
        // Some versions are lost, others come late, and twice.
        for (const index of order) await deriveFrom([versions[index % versions.length]!], ports);
        await deriveFrom([versions.at(-1)!], ports);

        const [point] = snapshotOf(versions.at(-1)!)?.points ?? [];
        const changes = versions
          .at(-1)!
          .transitions.some(({ what }) => what !== "unblocked" && what !== "still-waiting");
        const present = (await ports.digests.present("prod")).map(({ tag }) => tag);
        if (changes) expect(present).toEqual(point === undefined ? [] : [point.image?.tag]);
        const told = new Set(order.map((index) => versions[index % versions.length]!));
        const rows = [...told, versions.at(-1)!].flatMap(historyRowsOf).map(({ id }) => id);
        const { rows: stored } = await ports.history.read({
          since: start,
          until: plus(start, hours(24)),
          limit: 1_000,
        });
        expect(new Set(stored.map(({ row }) => row.id))).toEqual(new Set(rows));
      },
    ),
    { numRuns: isProof ? 100_000 : 150 },
  );
});
