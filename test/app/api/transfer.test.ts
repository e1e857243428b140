import { describe, expect, it } from "vitest";
import { freeze } from "#app/api/freezes";
import { putInQuarantine } from "#app/api/quarantine";
import { publishChanges } from "#app/notify/state-changed";
import { exportState, importState } from "#app/api/transfer";
import { ImportRequest } from "#contracts/api/transfer";
import { bindingHash, bindingOf } from "#domain/approval/binding";
import type { Vote } from "#domain/approval/votes";
import { minutes, seconds } from "#domain/shared/time";
import { workloadKey } from "#domain/workload/workload";
import { deployment, firstRecord } from "#test/contracts/records";
import { aChange, aRolling, noon } from "#test/domain/builders";
import type { ByHand } from "../by-hand.ts";
import { anew, api, exported, lived, movedFrom } from "../moved.ts";
import { host, installation, trackApi, type World, worldWithApi } from "../world.ts";

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
    expect(rows.map(({ kind }) => kind)).toEqual([
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

    expect(rows.filter(({ kind }) => kind === "evidence")).toMatchObject([
      {
        workload: key,
        votes: [{ decision: "approve", proof: { kind: "annotation", image: "1.1.0" }, binding: { seq: 1 } }],
        sightings: [{ imageName: `${host}/shop/api`, tag: "1.1.0", digest }],
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

    expect([first, second].map(({ rows }) => rows.map(({ kind }) => kind))).toEqual([
      ["freeze", "quarantined", "quarantined", "quarantined"],
      ["quarantined", "record", "repository"],
    ]);
    expect(second.next).toBeUndefined();
  });

  it("is equal after its import, under the same installation name", async () => {
    const { lookout, key } = await lived();
    await lookout.sweep();
    const first = await exported(lookout.ports);
    const ports = anew(lookout);
    const outcome = await importState({ header: first.header, firstLine: 2, rows: first.rows }, ports);

    expect(outcome).toEqual({ stored: first.rows.length, kept: 0 });
    expect(await exported(ports)).toEqual(first);
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

    expect(outcome).toEqual({ stored: 0, kept: rows.length });
    expect(now.pending?.changes[0]?.tag).toBe("1.3.0");
    expect(await lookout.record(key)).toEqual(now);
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
      if (row.kind !== "repository") return row;
      const { moves, known, ...told } = row;
      return told;
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
    { because: "no known kind", row: { kind: "secret" }, says: /^line 3: kind: / },
    {
      because: "a member too few",
      row: { kind: "quarantined", quarantined: { by: "ana" } },
      says: /^line 3: quarantined\.digest: /,
    },
    ...[1.5, -1, 1e300].map((at) => ({
      because: `the instant ${String(at)}, which no clock shows`,
      row: { kind: "quarantined", quarantined: { digest: "sha256:0", by: "ana", why: "it leaks", at } },
      says: /^line 3: quarantined\.at: /,
    })),
  ])("stores nothing if one line has $because, and names that line", async ({ row, says }) => {
    const { lookout } = await lived();
    const { header, rows } = await exported(lookout.ports);
    const ports = anew(lookout);
    const outcome = await importState({ header, firstLine: 2, rows: [rows[0], row] }, ports);

    expect(outcome).toEqual({ kind: "bad-line", detail: expect.stringMatching(says) as string });
    expect(await ports.freezes.list()).toEqual([]);
    expect(await ports.store.installation()).toBe("zzz999");
  });

  it("restores an active update without its slot if another update has it", async () => {
    const { lookout, key } = await lived();
    const { header, rows } = await exported(lookout.ports);
    const { slot, ...active } = aRolling();
    const onItsWay = rows.flatMap((row) =>
      row.kind === "record" ? [{ ...row, record: { ...row.record, active: { ...active, slot: 0 } } }] : [],
    );
    const ports = anew(lookout);
    await ports.store.adoptInstallation(header.installation);
    const other = firstRecord(deployment("other"), { effects: { budget: { takes: 0 } } });
    await ports.store.write(other);

    expect(await importState({ header, firstLine: 2, rows: onItsWay }, ports)).toEqual({ stored: 1, kept: 0 });
    expect((await ports.store.read(key))?.active).toEqual(active);
    expect(await ports.store.slots("prod")).toEqual([{ slot: 0, workload: workloadKey(other.workload) }]);
  });

  it("imports no vote and no sighting, because an export proves neither person nor time", async () => {
    const { lookout, key } = await lived();
    const { header, rows } = await exported(lookout.ports);
    const changes = [aChange()];
    const binding = bindingOf({ uid: "uid-1", annotations: {}, update: { seq: 1, changes } });
    const vote: Vote = {
      person: "ana",
      proof: { kind: "token" },
      decision: "approve",
      binding,
      bindingHash: bindingHash(binding),
      at: noon,
    };
    const forged = rows.flatMap((row) =>
      row.kind === "record" ? [{ ...row, record: { ...row.record, vote, effects: { vote } } }] : [],
    );
    const ports = anew(lookout);
    const image = { imageName: "registry.test/shop/api", tag: "1.1.0", digest: `sha256:${"1".repeat(64)}` };
    const evidence = { kind: "evidence", workload: key, votes: [vote], sightings: [{ ...image, seenAt: 0 }] };

    const answer = await importState({ header, firstLine: 2, rows: [...forged, evidence] }, ports);
    expect(answer).toEqual({ stored: 1, kept: 1 });
    expect(await ports.sightings.among([image])).toEqual([]);
    expect(await ports.store.votes(key, 1)).toEqual([]);
    expect((await ports.store.read(key))?.effects.vote).toBeUndefined();
  });

  it("accepts only records of its own schema version", async () => {
    const { lookout, key } = await lived();
    const { header, rows } = await exported(lookout.ports);
    const ofSchema = (schemaVersion: number) =>
      rows.flatMap((row) => (row.kind === "record" ? [{ ...row, record: { ...row.record, schemaVersion } }] : []));
    const ports = anew(lookout);

    for (const version of [4, 11])
      expect(await importState({ header, firstLine: 2, rows: ofSchema(version) }, ports)).toEqual({
        kind: "bad-line",
        detail: `line 2: the record has schema version ${String(version)}, but this Lookout reads 10`,
      });
    expect(await importState({ header, firstLine: 2, rows: ofSchema(10) }, ports)).toEqual({ stored: 1, kept: 0 });
    expect((await ports.store.read(key))?.schemaVersion).toBe(10);
  });

  it("accepts only exports of its own version", async () => {
    const { lookout } = await lived();
    const { header } = await exported(lookout.ports);
    const isRead = (schemaVersion: number) =>
      ImportRequest.safeParse({ header: { ...header, schemaVersion }, firstLine: 2, rows: [] }).success;

    expect([4, 5, 6].map(isRead)).toEqual([false, true, false]);
    expect(header.schemaVersion).toBe(5);
  });

  it("with only a check stores nothing", async () => {
    const { lookout } = await lived();
    const { header, rows } = await exported(lookout.ports);
    const ports = anew(lookout);

    expect(await importState({ header, firstLine: 2, rows, checkOnly: true }, ports)).toEqual({ stored: 0, kept: 0 });
    expect(await ports.store.installation()).toBe("zzz999");
    expect(await ports.freezes.list()).toEqual([]);
  });
});
