import { describe, expect, it } from "vitest";
import { toItem, toRecord } from "#adapters/dynamodb/record-item";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { NewerRecordError, PermanentError } from "#ports/errors";
import { aPending, aRecord, aReleased, aRolling, aWaiting, aRollingBack, at } from "#test/domain/builders";

const change = {
  list: "containers",
  name: "app",
  repository: "registry.example.com/shop/api",
  tag: "1.1.0",
  digest: `sha256:${"b".repeat(64)}`,
  apply: "pin",
  from: "registry.example.com/shop/api:1.0.0",
  to: `registry.example.com/shop/api:1.1.0@sha256:${"b".repeat(64)}`,
  policy: "semver",
};

/** A record as the Lookout before this one stored it. */
const storedRecord = {
  schemaVersion: 10,
  workload: { cluster: "prod", namespace: "shop", kind: "Deployment", name: "api" },
  uid: "uid-1",
  version: 4,
  seq: 1,
  cause: "ImagePushed:push-1",
  changedAt: 1_795_255_200_000,
  observed: { containers: [], annotations: { "lookout.dev/enabled": "true" }, sourceMarks: {} },
  pending: {
    seq: 1,
    changes: [change],
    detectedAt: 1_795_255_199_000,
    source: "webhook generic",
    correlationId: "push-1",
    selectedAt: 1_795_255_200_000,
    status: "held",
    waits: [{ reason: "frozen" }],
  },
  blocked: [],
  selectionFailures: [],
  transitions: [{ seq: 1, what: "held", reasons: [{ reason: "frozen" }], changes: [change], selected: true }],
  tracked: true,
  effects: { dueAt: 1_795_255_260_000 },
};
const key = { pk: "WORKLOAD#prod/shop/deployment/api", sk: "WORKLOAD" };
const storedItem = {
  ...key,
  duePk: "DUE#03",
  dueSk: "001795255260000#uid-1",
  ...storedRecord,
};

describe("a stored record", () => {
  it("has its members as attributes, beside its keys", () => {
    const { dueSk } = storedItem;
    const record = toRecord(storedItem);
    const item = toItem(record);

    expect(item).toEqual({ ...{ ...key, dueSk }, duePk: expect.any(String) as string, ...storedRecord });
    expect(toRecord(item)).toEqual(record);
  });

  it("is refused at the place of another workload, and with an invalid version", () => {
    const elsewhere = { ...storedItem, workload: { ...storedRecord.workload, name: "web" } };
    expect(() => toRecord(elsewhere)).toThrow("is damaged: it belongs to the workload prod/shop/deployment/web");
    for (const version of [0, -1, 1.5])
      expect(() => toRecord({ ...storedItem, version })).toThrow("its version is not a whole number from 1");
  });
});

describe("the place of a record in the due index", () => {
  const dueAt = at("2026-03-02T12:11:00Z");
  const placeOf = (given: Partial<WorkloadRecord>): unknown => toItem(aRecord(given))["dueSk"];

  it("is its due time, or missing without one", () => {
    expect(placeOf({ pending: aPending(), effects: { dueAt } })).toBe(`00${dueAt}#uid-1`);
    expect(placeOf({})).toBeUndefined();
  });

  it("is missing while its update holds a slot, because the reaper finds it by the slot", () => {
    const steps = [aReleased(), aRolling(), aRollingBack()];

    expect(steps.map((active) => placeOf({ active, effects: { dueAt } }))).toEqual(steps.map(() => undefined));
  });

  it("is the due time of a waiting update without a slot", () => {
    expect(placeOf({ active: aWaiting("paused"), effects: { dueAt } })).toBe(`00${dueAt}#uid-1`);
  });
});

describe("a record of an unknown schema version", () => {
  it("is retried if it is newer, because a Lookout that reads it is being deployed", () => {
    expect(() => toRecord({ ...storedItem, schemaVersion: 11, workload: "in a form of its own" })).toThrow(
      new NewerRecordError(
        "the record at WORKLOAD#prod/shop/deployment/api has schema version 11, but this Lookout reads 10: " +
          "a newer Lookout wrote the record: run that version",
      ),
    );
  });

  it.each([0, 4, "5", undefined])("is refused if it is %s", (schemaVersion) => {
    expect(() => toRecord({ ...key, ...storedRecord, schemaVersion })).toThrow(PermanentError);
  });
});

describe("a damaged record", () => {
  const { observed, ...unobserved } = storedItem;

  it.each([
    { damage: "lacks a member", item: unobserved, why: `"observed" is missing` },
    { damage: "has a text for a map", item: { ...storedItem, workload: "api" }, why: `"workload" is not a map` },
    { damage: "has a list for a map", item: { ...storedItem, observed: [] }, why: `"observed" is not a map` },
    { damage: "has a map for a list", item: { ...storedItem, transitions: {} }, why: `"transitions" is not a list` },
    { damage: "has nothing for a list", item: { ...storedItem, blocked: null }, why: `"blocked" is not a list` },
    { damage: "has a text for an update", item: { ...storedItem, active: "x" }, why: `"active" is not a map` },
    { damage: "has a text for the effects", item: { ...storedItem, effects: "soon" }, why: `"effects" is not a map` },
    { damage: "has a text for a number", item: { ...storedItem, version: "4" }, why: `"version" is not a number` },
    {
      damage: "is packed, as nobody writes it any more",
      item: { ...key, schemaVersion: 10, version: 4, packed: Buffer.from("dear diary") },
      why: `"workload" is missing`,
    },
  ])("is refused with its place when it $damage", ({ item, why }) => {
    expect(() => toRecord(item)).toThrow(
      new PermanentError(`the record at WORKLOAD#prod/shop/deployment/api is damaged: its member ${why}`),
    );
  });
});
