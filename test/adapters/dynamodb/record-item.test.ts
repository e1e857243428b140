import { describe, expect, it } from "vitest";
import { toItem, toRecord } from "#adapters/dynamodb/record-item";
import { PermanentError, TransientError } from "#ports/errors";

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

/** An item as the Lookout before this one stored it. */
const itemOfVersion1 = {
  pk: "WORKLOAD#prod/shop/deployment/api",
  sk: "WORKLOAD",
  duePk: "DUE#03",
  dueSk: "001795255260000#uid-1",
  changeOrder: 1_795_255_200_000,
  schemaVersion: 1,
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
    electedAt: 1_795_255_200_000,
    status: "held",
    waits: [{ reason: "frozen" }],
  },
  refusals: [],
  obstacles: [],
  happened: [{ seq: 1, what: "held", reasons: [{ reason: "frozen" }], changes: [change], elected: true }],
  tracked: true,
  dueAt: 1_795_255_260_000,
};

describe("a record that an earlier Lookout stored", () => {
  it("is read as it is, without the push that nobody remembered", () => {
    const { pk, sk, duePk, dueSk, changeOrder, ...fields } = itemOfVersion1;

    expect(toRecord(itemOfVersion1)).toEqual({ ...fields, schemaVersion: 2 });
  });

  it("is written in the form of today when it moves on", () => {
    const { changeOrder, ...item } = itemOfVersion1;

    expect(toItem(toRecord(itemOfVersion1))).toEqual({
      ...item,
      duePk: expect.any(String) as string,
      schemaVersion: 2,
    });
  });
});

describe("a record of a schema version that this Lookout does not read", () => {
  it("is tried again when it is newer: a Lookout that reads it is being deployed", () => {
    expect(() => toRecord({ ...itemOfVersion1, schemaVersion: 3 })).toThrow(
      new TransientError(
        "the record at WORKLOAD#prod/shop/deployment/api has schema version 3, and this Lookout reads up to version 2: " +
          "a newer Lookout wrote it; run that one",
      ),
    );
  });

  it.each([0, "2", undefined])("is refused when it is %s", (schemaVersion) => {
    expect(() => toRecord({ ...itemOfVersion1, schemaVersion })).toThrow(PermanentError);
  });
});
