import { describe, expect, it } from "vitest";
import { memoryDatabase } from "#adapters/sqlite/database";
import { freeze } from "#app/api/freezes";
import { putInQuarantine } from "#app/api/quarantine";
import { publishChanges } from "#app/notify/state-changed";
import { exportState, importState } from "#app/api/transfer";
import { readDecisions } from "#app/api/workloads";
import { ImportRequest } from "#contracts/api/transfer";
import { bindingHash, bindingOf } from "#domain/approval/binding";
import { type ApprovalRules, noRules } from "#domain/approval/approvers";
import { type Credential, tokenHash } from "#domain/approval/people";
import type { Vote } from "#domain/approval/votes";
import { epochMs, hours, minutes, seconds } from "#domain/shared/time";
import { aChange, aPatching, aReleased, aRolling, aRollingBack, noon } from "#test/domain/builders";
import type { ActiveUpdate } from "#domain/update/state/workload";
import type { Ports } from "#app/shared/ports";
import { workloadKey } from "#domain/workload/workload";
import { statePorts } from "#runtime/local/state";
import { deployment, firstRecord } from "#test/contracts/records";
import type { ByHand } from "../by-hand.ts";
import { afterImport, anew, api, changed, exported, kindOf, lineOf, lived, movedFrom } from "../moved.ts";
import { host, installation, trackApi, type World, worldWithApi } from "../world.ts";

const aSighting = {
  imageName: "registry.test/shop/api",
  tag: "1.1.0",
  digest: `sha256:${"1".repeat(64)}`,
  seenAt: epochMs(0),
  keptUntil: epochMs(1e13),
};

async function sweptTwice(lookout: ByHand): Promise<void> {
  for (const id of ["first", "second"]) {
    lookout.send({ name: "SweepRepository", id, ...api, at: lookout.ports.clock.now() });
    await lookout.pass(minutes(5));
  }
}

describe("an export", () => {
  it("has every stored item once, whatever the size of pages", async () => {
    const { lookout } = await lived();
    await lookout.ports.registrations.put({
      name: "pay",
      eks: { name: "pay-1" },
      by: "ana",
      at: lookout.ports.clock.now(),
    });
    const { header, rows } = await exported(lookout.ports);

    expect(header).toMatchObject({ lookout: "export", installation, clusters: ["prod"] });
    expect(rows.map(kindOf)).toEqual([
      ...["freeze", "quarantined", "record", "repository", "history"],
      // After all that a look at its cluster would make anew.
      "registration",
    ]);
  });

  it("has the votes on the updates of a workload, and when their images were first seen", async () => {
    const lookout = await worldWithApi();
    const annotations = { "lookout.dev/approval-required": "true", "lookout.dev/min-age": "1h" };
    const key = await trackApi(lookout, annotations);
    const digest = await lookout.push("shop/api", "1.1.0");
    await lookout.pass(seconds(30));
    lookout.cluster.annotate(
      { namespace: "shop", kind: "Deployment", name: "api" },
      { "lookout.dev/approve": "1.1.0" },
    );
    await lookout.sync();
    await lookout.pass(seconds(30));
    const { rows } = await exported(lookout.ports);

    expect(rows.filter((row) => kindOf(row) === "vote")).toMatchObject([
      {
        of: key,
        items: [
          {
            kind: "vote",
            form: 1,
            value: { decision: "approve", proof: { kind: "annotation", image: "1.1.0" }, binding: { seq: 1 } },
          },
          { kind: "sighting", form: 1, value: { imageName: `${host}/shop/api`, tag: "1.1.0", digest } },
        ],
      },
    ]);
  });

  it("has pages that fit an answer, whatever limit is requested", async () => {
    const { lookout } = await lived();
    for (const digit of ["b", "c", "d"])
      await putInQuarantine(
        { digest: `sha256:${digit.repeat(64)}`, why: "x".repeat(600_000), by: "ana" },
        lookout.ports,
      );
    const first = await exportState({ limit: 100, history: "false" }, lookout.ports);
    const second = await exportState({ limit: 100, history: "false", after: first.next ?? "" }, lookout.ports);

    expect([first, second].map(({ rows }) => rows.map(kindOf))).toEqual([
      ["freeze", "quarantined", "quarantined", "quarantined"],
      ["quarantined", "record", "repository"],
    ]);
    expect(second.next).toBeUndefined();
  });

  it("is equal after its import, except that its update is checked again and its history is marked", async () => {
    const { lookout, key } = await lived();
    await lookout.sweep();
    const first = await exported(lookout.ports);
    const ports = anew(lookout);
    const outcome = await importState({ header: first.header, firstLine: 2, rows: first.rows }, ports);

    expect(outcome).toEqual({ stored: first.rows.length, kept: 0, evidence: 0 });
    expect(await exported(ports)).toEqual({ header: first.header, rows: first.rows.map(afterImport) });
    expect((await ports.store.read(key))?.pending?.changes[0]?.tag).toBe("1.2.0");
    expect(await ports.store.subscribers({ registry: host, repository: "shop/api" }, 10)).toEqual({ workloads: [key] });
  });

  it("replaces nothing when it is imported again", async () => {
    const { lookout, key } = await lived();
    const { header, rows } = await exported(lookout.ports);
    await lookout.push("shop/api", "1.3.0");
    await lookout.pass(seconds(2));
    const now = await lookout.record(key);
    const outcome = await importState({ header, firstLine: 2, rows }, lookout.ports);

    expect(outcome).toEqual({ stored: 0, kept: rows.length, evidence: 0 });
    expect(now.pending?.changes[0]?.tag).toBe("1.3.0");
    expect(await lookout.record(key)).toEqual(now);
  });
});

describe("an export of a store with a damaged record", () => {
  it("has all other items, and names the record", async () => {
    const database = memoryDatabase(installation);
    const { lookout } = await lived();
    const ports: Ports = { ...lookout.ports, ...statePorts(database) };
    for (const name of ["one", "two", "three"]) await ports.store.write(firstRecord(deployment(name)));
    database.sql.exec("UPDATE items SET value = '{}' WHERE pk LIKE '%/two' AND sk = 'WORKLOAD'");
    const { rows, unreadable } = await exportState({ limit: 100, history: "false" }, ports);

    expect(rows.map(kindOf)).toEqual(["record", "record"]);
    expect(unreadable).toEqual([
      {
        kind: "record of a workload",
        partition: `WORKLOAD#${workloadKey(deployment("two"))}`,
        sortKey: "WORKLOAD",
        why: 'is damaged: its member "workload" is missing',
      },
    ]);
  });
});

describe("an update to the newest tag", () => {
  /** Holds main, which moved after Lookout had looked, and knows old, which was there before. */
  async function holdingMain(beside?: string): Promise<{ readonly lookout: World; readonly key: string }> {
    const lookout = await worldWithApi();
    if (beside !== undefined) lookout.deploy({ name: beside, image: `${host}/shop/api:1.0.0` });
    await lookout.push("shop/api", "old", { quietly: true });
    const key = await trackApi(lookout, { "lookout.dev/policy": "latest" });
    await lookout.sweep();
    await freeze({ scope: {}, by: "ana", why: "the year ends" }, lookout.ports);
    await lookout.push("shop/api", "main");
    await lookout.pass(seconds(2));
    return { lookout, key };
  }

  const heldTag = async ({ ports }: Pick<ByHand, "ports">, key: string) =>
    (await ports.store.read(key))?.pending?.changes[0]?.tag;

  it("is held after an import as before, also when all repositories are swept", async () => {
    const { lookout, key } = await holdingMain();
    const other = await movedFrom(lookout);
    await sweptTwice(other);

    expect(await heldTag(other, key)).toBe("main");
    expect(await other.ports.tagHistory.list(api)).toEqual(await lookout.ports.tagHistory.list(api));
  });

  it("is held after an import as before, also when all repositories are swept during it", async () => {
    const { lookout, key } = await holdingMain();
    const other = await movedFrom(lookout, (row) => row, sweptTwice);
    await sweptTwice(other);

    expect(await heldTag(other, key)).toBe("main");
    expect(await other.ports.tagHistory.list(api)).toEqual(await lookout.ports.tagHistory.list(api));
  });

  it("is held as before, even if a sweep first finds a workload that follows no tag", async () => {
    const { lookout, key } = await holdingMain("aaa");
    let restored: object | undefined;
    const other = await movedFrom(
      lookout,
      (row) => (restored = row),
      (importing) =>
        JSON.stringify(restored ?? {}).includes('"name":"aaa"') ? sweptTwice(importing) : importing.settle(),
    );
    await sweptTwice(other);

    expect(await heldTag(other, key)).toBe("main");
    expect(await other.ports.tagHistory.list(api)).toEqual(await lookout.ports.tagHistory.list(api));
  });

  it("never goes to an older tag after the import of an export without moves", async () => {
    const { lookout } = await holdingMain();
    const other = await movedFrom(lookout, (row) => {
      return { ...row, items: row.items.filter(({ kind }) => kind !== "move" && kind !== "listing") };
    });
    await sweptTwice(other);

    expect(await other.ports.tagHistory.list(api)).toEqual([]);
  });
});

describe("an import", () => {
  it("publishes no facts and measures nothing", async () => {
    const lookout = await worldWithApi();
    await trackApi(lookout);
    await lookout.push("shop/api", "1.1.0");
    await lookout.pass(minutes(1));
    expect(lookout.measurements.at(-1)?.name).toBe("UpdatesSucceeded");
    const other = await movedFrom(lookout);
    const restored = await other.ports.changes.take(10);
    await publishChanges(restored, other.ports);

    expect(restored.map(({ record }) => record.last?.status)).toEqual(["succeeded"]);
    expect([other.facts, other.measurements]).toEqual([[], []]);
  });

  it("is refused by another installation that has workloads, and changes nothing", async () => {
    const { lookout } = await lived();
    const { header, rows } = await exported(lookout.ports);
    const ports = anew(lookout);
    await importState({ header: { ...header, installation: "other1" }, firstLine: 2, rows }, ports);
    const before = await exported(ports);

    expect(await importState({ header, firstLine: 2, rows }, ports)).toEqual({
      kind: "not-empty",
      detail: "this Lookout is installation other1 and has 1 workload, but the export is from installation abc123",
    });
    expect(await exported(ports)).toEqual(before);
  });

  it.each([
    {
      because: "no known kind",
      row: lineOf("secret", {}),
      says: 'line 3: this Lookout knows no items of the kind "secret"',
    },
    {
      because: "a form from the future",
      row: lineOf("freeze", {}, 2),
      says: "line 3: freeze: it has the form 2 of a newer Lookout, and this one reads 1",
    },
    {
      because: "a member too few",
      row: lineOf("quarantined", { by: "ana", why: "it leaks", at: 1 }),
      says: 'line 3: quarantined: its member "digest" is missing',
    },
    ...[1.5, -1, 1e300].map((at) => ({
      because: `the instant ${String(at)}, which no clock shows`,
      row: lineOf("quarantined", { digest: "sha256:0", by: "ana", why: "it leaks", at }),
      says: 'line 3: quarantined: its member "at" is not as expected',
    })),
    {
      because: "votes of no workload",
      row: { items: [{ kind: "sighting", form: 1, value: aSighting }] },
      says: "line 3: votes and first sightings belong to no workload",
    },
    {
      because: "moves of no repository",
      row: lineOf("move", { tag: "main", digest: "sha256:0", movedAt: 1 }),
      says: "line 3: moves and listed tags belong to no repository",
    },
  ])("stores nothing if one line has $because, and names that line", async ({ row, says }) => {
    const { lookout } = await lived();
    const { header, rows } = await exported(lookout.ports);
    const ports = anew(lookout);
    const outcome = await importState({ header, firstLine: 2, rows: [rows[0], row] }, ports);

    expect(outcome).toEqual({ kind: "bad-line", detail: says });
    expect(await ports.freezes.list()).toEqual([]);
    expect(await ports.store.installation()).toBe("zzz999");
  });

  const importedActive = async (active: ActiveUpdate) => {
    const { lookout, key } = await lived();
    const { header, rows } = await exported(lookout.ports);
    const lines = changed(rows, "record", ({ pending, ...record }) => ({ ...record, active, retry: {} }));
    const ports = anew(lookout);
    const answer = await importState({ header, firstLine: 2, rows: lines }, ports);
    expect(answer).toEqual({ stored: 1, kept: 0, evidence: 0 });
    expect(await ports.store.slots("prod")).toEqual([]);
    return ports.store.read(key);
  };

  it("holds a released update, until it was evaluated again", async () => {
    const stored = await importedActive(aReleased());
    expect([stored?.active, stored?.retry, stored?.needsEvaluation]).toEqual([undefined, undefined, true]);
    expect(stored?.pending).toMatchObject({ status: "held", seq: 1, waits: [{ reason: "imported" }] });
  });

  it.each([
    { what: "was being patched", active: aPatching(), status: "superseded" },
    { what: "was rolling out", active: aRolling(), status: "superseded" },
    { what: "was rolling back", active: aRollingBack(), status: "rollback-failed" },
  ])("ends an update that $what, and rolls back to no image that it names", async ({ active, status }) => {
    const stored = await importedActive(active);
    expect([stored?.active, stored?.pending, stored?.needsEvaluation]).toEqual([undefined, undefined, true]);
    expect(stored?.last).toMatchObject({ seq: 1, status, reason: "imported" });
    expect(stored?.landed).toEqual(stored?.last);
  });

  it("leaves out the update of a workload that is not tracked, so that no command is open", async () => {
    const { lookout, key } = await lived();
    const { header, rows } = await exported(lookout.ports);
    const lines = changed(rows, "record", (record) => ({ ...record, tracked: false }));
    const ports = anew(lookout);
    await importState({ header, firstLine: 2, rows: lines }, ports);
    const stored = await ports.store.read(key);

    expect([stored?.tracked, stored?.pending, stored?.effects]).toEqual([false, undefined, {}]);
    expect(await ports.store.due(epochMs(1e13), 10)).toEqual([]);
  });

  it("adds no move to a repository that Lookout has watched for hours", async () => {
    const { lookout } = await lived();
    await lookout.sweep();
    lookout.clock.turn(hours(2));
    const { header } = await exported(lookout.ports);
    const before = await lookout.ports.tagHistory.list(api);
    const move = { tag: "old", digest: `sha256:${"0".repeat(64)}`, movedAt: lookout.ports.clock.now() };
    const state = { ...api, missed: 0, followsMoves: true };
    const items = [
      { kind: "repository", form: 1, value: state },
      { kind: "move", form: 1, value: move },
    ];

    expect(await importState({ header, firstLine: 2, rows: [{ items }] }, lookout.ports)).toEqual({
      ...{ stored: 0, kept: 1, evidence: 0 },
    });
    expect(await lookout.ports.tagHistory.list(api)).toEqual(before);
  });

  it.each(["version", "seq", "updates"])("refuses a record whose %s leaves no room for later ones", async (counter) => {
    const { lookout } = await lived();
    const { header, rows } = await exported(lookout.ports);
    const lines = changed(rows, "record", (record) => ({ ...record, [counter]: 1_000_000_001 }));

    expect(await importState({ header, firstLine: 2, rows: lines }, anew(lookout))).toEqual({
      kind: "bad-line",
      detail: "line 2: record: a counter is above 1000000000",
    });
  });

  it("marks imported history, which hides nothing of the own history", async () => {
    const { lookout, key } = await lived();
    const { header, rows } = await exported(lookout.ports);
    const ports = anew(lookout);
    await importState({ header, firstLine: 2, rows }, ports);
    const { decisions } = await readDecisions(key, { limit: 100 }, ports);
    expect(decisions.map(({ isImported }) => isImported)).toEqual(decisions.map(() => true));
    const [forged] = await ports.ledger.read(key, 1);
    expect(forged?.isImported).toBe(true);
    const { isImported, ...own } = { ...forged!, cause: "own" };

    expect(await ports.ledger.append([own])).toBe(true);
    expect(await ports.ledger.append([{ ...own, cause: "forged", isImported: true }])).toBe(false);
    expect(await ports.ledger.append([{ ...own, version: 9_000, cause: "forged", isImported: true }])).toBe(true);
    expect(await ports.ledger.read(key, 1)).toEqual([own]);
  });

  describe("of votes and first sightings", () => {
    const changes = [aChange()];
    const binding = bindingOf({ uid: "uid-1", annotations: {}, update: { seq: 2, changes } });
    const vote: Vote = {
      ...{ person: "ana", proof: { kind: "token" }, decision: "approve", binding, at: noon },
      bindingHash: bindingHash(binding),
    };
    const olaf = { name: "olaf", iam: [], tokenHash: tokenHash("secret of olaf") };
    const owned = { ...noRules, people: [olaf], owners: ["olaf"] };

    async function importing(rules: ApprovalRules, credential?: Credential, withEvidence = true) {
      const { lookout, key } = await lived();
      const { header, rows } = await exported(lookout.ports);
      const forged = changed(rows, "record", (record) => ({ ...record, effects: { vote } }));
      const evidence = {
        of: key,
        items: [
          { kind: "vote", form: 1, value: vote },
          { kind: "sighting", form: 1, value: aSighting },
        ],
      };
      const stored = anew(lookout);
      const ports = { ...stored, rules: { ...stored.rules, approvals: rules } };
      const body = { header, firstLine: 2, rows: [...forged, evidence], ...(withEvidence ? { withEvidence } : {}) };
      const answer = await importState(body, ports, credential);
      await publishChanges(await ports.changes.take(10), ports);
      return {
        answer,
        votes: await ports.store.votes(key, 2),
        sightings: await ports.sightings.among([aSighting]),
        history: (await ports.ledger.read(key, 100)).map(({ transition }) => transition.detail),
        effects: (await ports.store.read(key))?.effects,
      };
    }

    it("stores none, because an export proves neither person nor time", async () => {
      const { answer, votes, sightings, effects } = await importing(
        owned,
        { kind: "token", token: "secret of olaf" },
        false,
      );
      expect(answer).toEqual({ stored: 1, kept: 0, evidence: 1 });
      expect([votes, sightings, effects?.vote]).toEqual([[], [], undefined]);
    });

    it("stores them for an owner, and notes the owner in the history", async () => {
      const { answer, votes, sightings, history } = await importing(owned, { kind: "token", token: "secret of olaf" });
      expect(answer).toEqual({ stored: 2, kept: 0, evidence: 0 });
      expect([votes, sightings]).toEqual([[vote], [aSighting]]);
      expect(history).toEqual([
        `olaf imported first sightings: registry.test/shop/api:1.1.0 since 1970-01-01T00:00:00.000Z`,
        "olaf imported the vote of ana: approve",
      ]);
    });

    it.each([
      { who: "a caller without a proof", rules: owned, credential: { kind: "none" } },
      {
        who: "a person who is no owner",
        rules: { ...owned, owners: [] },
        credential: { kind: "token", token: "secret of olaf" },
      },
      { who: "an owner with a wrong token", rules: owned, credential: { kind: "token", token: "guessed" } },
    ] as const)("stores nothing for $who", async ({ rules, credential }) => {
      const { answer, votes, sightings, effects } = await importing(rules, credential);
      expect(answer).toMatchObject({
        kind: "no-right",
        detail: expect.stringContaining("only an owner imports it") as string,
      });
      expect([votes, sightings, effects]).toEqual([[], [], undefined]);
    });
  });

  it("accepts only exports of its own version", async () => {
    const { lookout } = await lived();
    const { header } = await exported(lookout.ports);
    const isRead = (schemaVersion: number) =>
      ImportRequest.safeParse({ header: { ...header, schemaVersion }, firstLine: 2, rows: [] }).success;

    expect([5, 6, 7].map(isRead)).toEqual([false, true, false]);
    expect(header.schemaVersion).toBe(6);
  });

  it("with only a check stores nothing", async () => {
    const { lookout } = await lived();
    const { header, rows } = await exported(lookout.ports);
    const ports = anew(lookout);

    expect(await importState({ header, firstLine: 2, rows, checkOnly: true }, ports)).toEqual({
      ...{ stored: 0, kept: 0, evidence: 0 },
    });
    expect(await ports.store.installation()).toBe("zzz999");
    expect(await ports.freezes.list()).toEqual([]);
  });
});
