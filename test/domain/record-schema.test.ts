import { describe, expect, it } from "vitest";
import { readStored } from "#domain/record-schema";
import { aRecord, aRolling } from "./builders.ts";

describe("a stored record", () => {
  it("is read as it is, and in the form of today where the Lookout before stored it", () => {
    expect(readStored(aRecord())).toEqual({ kind: "record", record: aRecord() });
    expect(readStored({ ...aRecord(), schemaVersion: 3 })).toEqual({ kind: "record", record: aRecord() });
  });

  it("of the Lookout before goes on without its slot, which is where nobody looks any more", () => {
    const { slot, ...active } = aRolling();

    expect(readStored({ ...aRecord({ active: { ...active, slot: 4 } }), schemaVersion: 3 })).toEqual({
      kind: "record",
      record: aRecord({ active }),
    });
  });

  it("of a newer Lookout is left alone", () => {
    expect(readStored({ ...aRecord(), schemaVersion: 5 })).toEqual({ kind: "newer", version: 5 });
  });

  it.each([
    { stored: { schemaVersion: 2 }, version: 2, because: "it is too old" },
    { stored: { schemaVersion: "4" }, version: "none", because: "its version is no number" },
    { stored: {}, version: "none", because: "it has no version" },
    { stored: "4", version: "none", because: "it is a text" },
    { stored: null, version: "none", because: "it is nothing" },
    { stored: undefined, version: "none", because: "it is not there" },
  ])("can't be read when $because", ({ stored, version }) => {
    expect(readStored(stored)).toEqual({ kind: "unknown", version });
  });
});
