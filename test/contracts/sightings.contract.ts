import { beforeEach, expect, it } from "vitest";
import { hours, minutes, plus } from "#domain/shared/time";
import { type Sightings, sightingsKept } from "#ports/sightings";
import type { TagHistory } from "#ports/tag-history";
import { start } from "./records.ts";

const seen = (repository: string, tag: string, digit: string) => ({
  imageName: `registry.test/${repository}`,
  tag,
  digest: `sha256:${digit.repeat(64)}`,
});
const api = seen("shop/api", "1.4.0", "a");

/** The memory of when images were first seen, and the tag history that lies beside it. */
export interface SightingsBed {
  readonly sightings: Sightings;
  readonly tagHistory: TagHistory;
}

/** What every adapter for {@link Sightings} promises. */
export function sightingsContract(makeBed: () => Promise<SightingsBed>): void {
  let bed: SightingsBed;
  let sightings: Sightings;
  beforeEach(async () => {
    bed = await makeBed();
    sightings = bed.sightings;
  });

  it("an image has no sighting at first, and an empty list has no sightings", async () => {
    expect(await sightings.among([api])).toEqual([]);
    expect(await sightings.among([])).toEqual([]);
    expect(await sightings.remember([], start)).toEqual([]);
  });

  it("a sighting keeps the first instant of an image", async () => {
    expect(await sightings.remember([api], start)).toEqual([{ ...api, seenAt: start }]);
    expect(await sightings.remember([api], plus(start, hours(5)))).toEqual([{ ...api, seenAt: start }]);

    expect(await sightings.among([api])).toEqual([{ ...api, seenAt: start }]);
  });

  it("sightings are separate by tag, digest and repository", async () => {
    const others = [seen("shop/api", "1.5.0", "a"), seen("shop/api", "1.4.0", "b"), seen("shop/web", "1.4.0", "a")];
    await sightings.remember([api], start);
    await sightings.remember([others[0]!, api], plus(start, hours(1)));

    expect(await sightings.among([...others, api])).toHaveLength(2);
    expect(await sightings.among(others)).toEqual([{ ...others[0], seenAt: plus(start, hours(1)) }]);
  });

  it("a sighting by two functions at once is stored once", async () => {
    const both = await Promise.all([
      sightings.remember([api], start),
      sightings.remember([api], plus(start, minutes(1))),
    ]);

    expect(both[0]).toEqual(both[1]);
    expect(await sightings.among([api])).toEqual(both[0]);
  });

  it("sightings survive the removal of a repository's tag history", async () => {
    const name = { registry: "registry.test", repository: "shop/api" };
    await bed.tagHistory.remember(name, { tag: api.tag, digest: api.digest, movedAt: start });
    await sightings.remember([api], start);
    expect(await bed.tagHistory.list(name)).toHaveLength(1);
    await bed.tagHistory.drop(name);

    expect(await sightings.among([api])).toEqual([{ ...api, seenAt: start }]);
  });

  it("sightings outlast any minimum age", async () => {
    await sightings.remember([api], start);
    await sightings.remember([seen("shop/web", "1.4.0", "a")], plus(start, sightingsKept));

    expect(await sightings.among([api])).toEqual([{ ...api, seenAt: start }]);
  });
}
