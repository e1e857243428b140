import { describe, expect, it } from "vitest";
import { readStored } from "#domain/update/state/record-schema";
import { aRecord } from "../builders.ts";

describe("a stored record", () => {
  it("of this schema version is read", () => {
    expect(readStored(aRecord())).toEqual({ kind: "record", record: aRecord() });
  });

  it("of a newer Lookout is not changed", () => {
    expect(readStored({ ...aRecord(), schemaVersion: 11 })).toEqual({ kind: "newer", version: 11 });
  });

  it.each([
    { stored: { schemaVersion: 4 }, version: 4, because: "an earlier Lookout wrote it" },
    { stored: { schemaVersion: "4" }, version: "none", because: "its version is no number" },
    { stored: {}, version: "none", because: "it has no version" },
    { stored: "4", version: "none", because: "it is a text" },
    { stored: null, version: "none", because: "it is nothing" },
    { stored: undefined, version: "none", because: "it is not there" },
  ])("is rejected when $because", ({ stored, version }) => {
    expect(readStored(stored)).toEqual({ kind: "unknown", version });
  });
});
