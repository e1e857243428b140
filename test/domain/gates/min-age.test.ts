import { describe, expect, it } from "vitest";
import { askMinAge } from "#domain/gates/min-age";
import { hours, minutes, plus } from "#domain/shared/time";
import {
  aChange,
  annotated,
  anObserved,
  aRecord,
  at,
  digest,
  noon,
  openFacts,
  imageName,
  settingsOf,
} from "../builders.ts";

const record = aRecord({ observed: anObserved({ annotations: annotated({ "min-age": "2h" }) }) });
const seen = (tag: string, digit: string, seenAt = noon) => ({ imageName, tag, digest: digest(digit), seenAt });
const ask = (given: Partial<Parameters<typeof askMinAge>[0]> & { readonly sightings?: ReturnType<typeof seen>[] }) =>
  askMinAge({
    now: noon,
    record,
    settings: settingsOf(record),
    seq: 1,
    changes: [aChange()],
    ...given,
    facts: { ...openFacts, sightings: given.sightings ?? [] },
  });

describe("the gate of the minimum age", () => {
  const sightings = [seen("1.1.0", "1")];

  it("opens at the instant at which Lookout has known the image long enough", () => {
    expect(ask({ sightings, now: plus(noon, minutes(119)) })).toEqual({
      kind: "closed",
      wait: {
        reason: "image-too-new",
        detail: "1.1.0 was first seen at 2026-03-02T12:00:00.000Z, minimum age 2h",
        until: at("2026-03-02T14:00:00Z"),
      },
    });
    expect(ask({ sightings, now: plus(noon, hours(2)) })).toEqual({ kind: "open" });
  });

  it("counts a sighting in the future as one of now, or of the instant at which it was found", () => {
    const ahead = { ...seen("1.1.0", "1", plus(noon, hours(12_000))) };
    const told = (from: string, until: string) => ({
      kind: "closed",
      wait: {
        reason: "image-too-new",
        detail: `1.1.0 was first seen at ${from}, minimum age 2h`,
        until: at(until),
      },
    });

    expect(ask({ sightings: [ahead] })).toEqual(told("2026-03-02T12:00:00.000Z", "2026-03-02T14:00:00Z"));
    const found = { ...ahead, doubtedAt: plus(noon, hours(-1)) };
    expect(ask({ sightings: [found] })).toEqual(told("2026-03-02T11:00:00.000Z", "2026-03-02T13:00:00Z"));
    expect(ask({ sightings: [found], now: plus(noon, hours(1)) })).toEqual({ kind: "open" });
  });

  it.each([
    { known: [], because: "none was seen" },
    { known: [seen("1.1.0", "2")], because: "the tag had another digest" },
    { known: [seen("1.0.9", "1")], because: "another tag had the digest" },
    { known: [{ ...seen("1.1.0", "1"), imageName: "registry.test/shop/web" }], because: "another repository had it" },
  ])("is closed without an end for an image that Lookout has not seen: $because", ({ known }) => {
    expect(ask({ sightings: known, now: plus(noon, hours(100)) })).toEqual({
      kind: "closed",
      wait: { reason: "image-too-new", detail: "Lookout has not seen 1.1.0 yet" },
    });
  });

  it("waits for the youngest image of the update", () => {
    const changes = [aChange(), aChange({ name: "side", tag: "4.0.0", digest: digest("4") })];
    const later = seen("4.0.0", "4", plus(noon, minutes(30)));

    expect(ask({ changes, sightings: [...sightings, later], now: plus(noon, hours(2)) })).toMatchObject({
      kind: "closed",
      wait: { until: at("2026-03-02T14:30:00Z") },
    });
    expect(ask({ changes, sightings, now: plus(noon, hours(2)) })).toMatchObject({
      wait: { detail: "Lookout has not seen 4.0.0 yet" },
    });
  });

  it.each([{}, { "min-age": "0" }])("is open for a workload without an age: %j", (settings) => {
    const plain = aRecord({ observed: anObserved({ annotations: annotated(settings) }) });

    expect(ask({ settings: settingsOf(plain) })).toEqual({ kind: "open" });
  });
});
