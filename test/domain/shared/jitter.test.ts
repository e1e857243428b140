import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { placeOf } from "#domain/shared/jitter";

describe("the place of a text", () => {
  it("is between 0 and 1, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const place = placeOf(text);

        return place >= 0 && place < 1;
      }),
    );
  });

  it("is spread evenly over the uids of a fleet", () => {
    const uids = fc.sample(fc.uuid(), { numRuns: 1_000, seed: 1 });
    const tenths = uids.map((uid) => Math.floor(placeOf(uid) * 10));

    for (let tenth = 0; tenth < 10; tenth++) {
      const count = tenths.filter((other) => other === tenth).length;
      expect(Math.abs(count - 100), `in tenth ${tenth}`).toBeLessThan(35);
    }
  });
});
