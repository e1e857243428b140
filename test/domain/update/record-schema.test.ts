import { describe, expect, it } from "vitest";
import { readStored } from "#domain/update/record-schema";
import { aRecord, aRolling } from "../builders.ts";

describe("a stored record", () => {
  it.each([1, 2, 3, 4])(
    "of schema version %i is read in the form of today: nobody rewrites what nothing happens to",
    (version) => {
      expect(readStored({ ...aRecord(), schemaVersion: version })).toEqual({ kind: "record", record: aRecord() });
    },
  );

  it.each([2, 3])(
    "of schema version %i goes on without its slot, which is where nobody looks any more",
    (schemaVersion) => {
      const { slot, ...active } = aRolling();

      expect(readStored({ ...aRecord({ active: { ...active, slot: 4 } }), schemaVersion })).toEqual({
        kind: "record",
        record: aRecord({ active }),
      });
    },
  );

  it("of a newer Lookout is left alone", () => {
    expect(readStored({ ...aRecord(), schemaVersion: 5 })).toEqual({ kind: "newer", version: 5 });
  });

  it.each([
    { stored: { schemaVersion: 0 }, version: 0, because: "there never was such a version" },
    { stored: { schemaVersion: "4" }, version: "none", because: "its version is no number" },
    { stored: {}, version: "none", because: "it has no version" },
    { stored: "4", version: "none", because: "it is a text" },
    { stored: null, version: "none", because: "it is nothing" },
    { stored: undefined, version: "none", because: "it is not there" },
  ])("can't be read when $because", ({ stored, version }) => {
    expect(readStored(stored)).toEqual({ kind: "unknown", version });
  });
});
