import { beforeEach, expect, it } from "vitest";
import type { StoredSighting } from "#domain/policy/tag-age";
import { hours, minutes, plus } from "#domain/shared/time";
import type { Sightings } from "#ports/sightings";
import type { TagHistory } from "#ports/tag-history";
import { start } from "./records.ts";

const imageName = (repository: string) => `registry.test/${repository}`;
const seen = (repository: string, tag: string, digit: string, seenAt = start): StoredSighting => ({
  ...{ imageName: imageName(repository), tag, digest: `sha256:${digit.repeat(64)}` },
  ...{ seenAt, keptUntil: plus(seenAt, hours(24)) },
});
const api = seen("shop/api", "1.4.0", "a");

/** The memory of when tags came to digests, and the tag history that lies beside it. */
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
    await sightings.remember([], start);
    expect(await sightings.among([api])).toEqual([]);
    expect(await sightings.among([])).toEqual([]);
    expect(await sightings.list(imageName("shop/api"))).toEqual([]);
  });

  it("a sighting keeps its instant, its end and its content", async () => {
    const chart = { ...seen("shop/api", "1.5.0", "b"), content: "application/vnd.cncf.helm.config.v1+json" };
    await sightings.remember([api, chart], start);

    expect(await sightings.among([api])).toEqual([api]);
    expect(await sightings.among([chart])).toEqual([chart]);
  });

  it("a later sighting of an image replaces an earlier one, and an earlier one changes nothing", async () => {
    const again = seen("shop/api", "1.4.0", "a", plus(start, hours(5)));
    await sightings.remember([api], start);
    await sightings.remember([again], again.seenAt);
    await sightings.remember([api], again.seenAt);

    expect(await sightings.among([api])).toEqual([again]);
  });

  it("a sighting can be kept longer, and learns its content", async () => {
    const longer = { ...api, keptUntil: plus(start, hours(48)), content: "image" };
    await sightings.remember([api], start);
    await sightings.remember([longer], start);

    expect(await sightings.among([api])).toEqual([longer]);
  });

  it("sightings are separate by tag, digest and repository, and are listed by repository", async () => {
    const others = [seen("shop/api", "1.5.0", "a"), seen("shop/api", "1.4.0", "b"), seen("shop/api-v2", "1.4.0", "a")];
    await sightings.remember([api, others[0]!, others[2]!], start);

    expect(await sightings.among([...others, api])).toHaveLength(3);
    expect(await sightings.among([others[1]!])).toEqual([]);
    const listed = await sightings.list(imageName("shop/api"));
    expect(listed).toHaveLength(2);
    expect(listed).toEqual(expect.arrayContaining([api, others[0]]));
  });

  it("a sighting by two functions at once is stored once", async () => {
    const later = seen("shop/api", "1.4.0", "a", plus(start, minutes(1)));
    await Promise.all([sightings.remember([api], start), sightings.remember([later], later.seenAt)]);

    expect(await sightings.list(imageName("shop/api"))).toEqual([later]);
  });

  it("sightings are forgotten, except of tags that have come to their digest again", async () => {
    const other = seen("shop/api", "1.5.0", "b");
    const again = seen("shop/api", "1.4.0", "a", plus(start, hours(1)));
    await sightings.remember([api, other], start);
    await sightings.remember([again], again.seenAt);
    await sightings.forget([api, other, seen("shop/api", "gone", "c")]);

    expect(await sightings.list(imageName("shop/api"))).toEqual([again]);
  });

  it("sightings survive the removal of a repository's tag history", async () => {
    const name = { registry: "registry.test", repository: "shop/api" };
    await bed.tagHistory.remember(name, { tag: api.tag, digest: api.digest, movedAt: start });
    await sightings.remember([api], start);
    expect(await bed.tagHistory.list(name)).toHaveLength(1);
    await bed.tagHistory.drop(name);

    expect(await sightings.among([api])).toEqual([api]);
  });

  it("sightings outlast the time for which they are kept", async () => {
    await sightings.remember([api], start);
    await sightings.remember([seen("shop/web", "1.4.0", "a")], api.keptUntil);

    expect(await sightings.among([api])).toEqual([api]);
  });
}
