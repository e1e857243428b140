import { beforeEach, expect, it } from "vitest";
import type { Quarantine, QuarantinedDigest } from "#ports/quarantine";
import { start } from "./records.ts";

const digest = (character: string): string => `sha256:${character.repeat(64)}`;
const entry = (character: string, why = "CVE-2026-0001"): QuarantinedDigest => ({
  digest: digest(character),
  by: "alice",
  why,
  at: start,
});

/** What every quarantine does, whatever keeps it. */
export function quarantineContract(makeQuarantine: () => Promise<Quarantine>): void {
  let quarantine: Quarantine;
  beforeEach(async () => {
    quarantine = await makeQuarantine();
  });

  it("a quarantine is empty at first", async () => {
    expect(await quarantine.list()).toEqual([]);
    expect(await quarantine.among([digest("a")])).toEqual([]);
    expect(await quarantine.among([])).toEqual([]);
  });

  it("a quarantine returns the quarantined digests among the given digests, in order, each once", async () => {
    for (const character of ["a", "b", "c"]) await quarantine.add(entry(character));
    const asked = [digest("c"), digest("d"), digest("a"), digest("c")];
    expect(await quarantine.among(asked)).toEqual([entry("c"), entry("a")]);
  });

  it("a quarantine lists all entries by digest", async () => {
    for (const character of ["c", "a", "b"]) await quarantine.add(entry(character));
    expect(await quarantine.list()).toEqual([entry("a"), entry("b"), entry("c")]);
  });

  it("a quarantine replaces an entry", async () => {
    await quarantine.add(entry("a"));
    await quarantine.add(entry("a", "malware"));
    expect(await quarantine.list()).toEqual([entry("a", "malware")]);
  });

  it("a quarantine says whether a lifted digest was quarantined", async () => {
    await quarantine.add(entry("a"));
    expect(await quarantine.lift(digest("a"))).toBe(true);
    expect(await quarantine.lift(digest("a"))).toBe(false);
    expect(await quarantine.list()).toEqual([]);
  });

  it("a quarantine checks more digests than one request may have", async () => {
    await quarantine.add(entry("f"));
    const many = Array.from({ length: 150 }, (_, index) => `sha256:${String(index).padStart(64, "0")}`);
    expect(await quarantine.among([...many, digest("f")])).toEqual([entry("f")]);
  });
}
