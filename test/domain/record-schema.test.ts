import { describe, expect, it } from "vitest";
import { readStored } from "#domain/record-schema";
import { aRecord } from "./builders.ts";

describe("a stored record", () => {
  it("is read as it is, and in the form of today where the Lookout before stored it", () => {
    expect(readStored(aRecord())).toEqual({ kind: "record", record: aRecord() });
    expect(readStored({ ...aRecord(), schemaVersion: 2 })).toEqual({ kind: "record", record: aRecord() });
  });

  it("of a newer Lookout is left alone", () => {
    expect(readStored({ ...aRecord(), schemaVersion: 4 })).toEqual({ kind: "newer", version: 4 });
  });

  it.each([
    { stored: { schemaVersion: 1 }, version: 1, because: "it is too old" },
    { stored: { schemaVersion: "3" }, version: "none", because: "its version is no number" },
    { stored: {}, version: "none", because: "it has no version" },
    { stored: "3", version: "none", because: "it is a text" },
    { stored: null, version: "none", because: "it is nothing" },
    { stored: undefined, version: "none", because: "it is not there" },
  ])("can't be read when $because", ({ stored, version }) => {
    expect(readStored(stored)).toEqual({ kind: "unknown", version });
  });
});
