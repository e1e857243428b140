import { beforeEach, expect, it } from "vitest";
import type { TagMove } from "#domain/policy/tag-history";
import { minutes, plus } from "#domain/shared/time";
import type { TagHistory } from "#ports/tag-history";
import { start } from "./records.ts";

const api = { registry: "registry.test", repository: "shop/api" };
const web = { registry: "registry.test", repository: "shop/web" };
const move = (tag: string, digest: string, minute: number): TagMove => ({
  ...{ tag, digest: `sha256:${digest.repeat(64)}` },
  movedAt: plus(start, minutes(minute)),
});

/** What remembers when tags moved, whatever keeps it. */
export function tagHistoryContract(makeMoves: () => Promise<TagHistory>): void {
  let moves: TagHistory;
  beforeEach(async () => {
    moves = await makeMoves();
  });

  it("a tag history is empty at first", async () => {
    await moves.remember(web, move("main", "a", 1));
    await moves.writeListed(web, [1]);

    expect(await moves.list(api)).toEqual([]);
    expect(await moves.listed(api)).toBeUndefined();
  });

  it("a tag history lists the last move of each tag, by tag", async () => {
    await moves.remember(api, move("main", "a", 1));
    await moves.remember(api, move("dev", "b", 2));
    await moves.remember(api, move("main", "c", 3));

    expect(await moves.list(api)).toEqual([move("dev", "b", 2), move("main", "c", 3)]);
  });

  it("a tag history accepts moves in any order, and no move to the same digest", async () => {
    await moves.remember(api, move("main", "b", 2));
    await moves.remember(api, move("main", "a", 1));
    await moves.remember(api, move("main", "b", 2));
    await moves.remember(api, move("main", "b", 5));

    expect(await moves.list(api)).toEqual([move("main", "b", 2)]);
  });

  it("a tag history prefers the last answer of two moves at one instant", async () => {
    await moves.remember(api, move("main", "a", 1));
    await moves.remember(api, move("main", "b", 1));

    expect(await moves.list(api)).toEqual([move("main", "b", 1)]);
  });

  it("the push of a found tag sets its move, unless it is an earlier push", async () => {
    const found = { ...move("main", "a", 2), isFound: true } as const;
    await moves.remember(api, found);
    await moves.remember(api, move("main", "a", 1));
    expect(await moves.list(api)).toEqual([found]);

    await moves.remember(api, move("main", "a", 3));
    await moves.remember(api, move("main", "a", 4));
    expect(await moves.list(api)).toEqual([move("main", "a", 3)]);
  });

  it("a tag history drops the given moves, except of tags that have moved since", async () => {
    await moves.remember(api, move("main", "a", 1));
    await moves.remember(api, move("dev", "b", 2));
    const listed = await moves.list(api);
    await moves.remember(api, move("main", "c", 3));
    await moves.forget(api, [...listed, move("gone", "a", 1)]);

    expect(await moves.list(api)).toEqual([move("main", "c", 3)]);
  });

  it("a tag history keeps the last listing", async () => {
    await moves.writeListed(api, [1, 2]);
    await moves.writeListed(api, [4_294_967_295, 0, 7]);
    await moves.writeListed(web, []);

    expect(await moves.listed(api)).toEqual([4_294_967_295, 0, 7]);
    expect(await moves.listed(web)).toEqual([]);
    expect(await moves.list(api)).toEqual([]);
  });

  it("a tag history drops all moves of one repository", async () => {
    for (const name of [api, web]) {
      await moves.remember(name, move("main", "a", 1));
      await moves.writeListed(name, [1]);
    }
    await moves.drop(api);
    await moves.drop(api);

    expect([await moves.list(api), await moves.listed(api)]).toEqual([[], undefined]);
    expect([await moves.list(web), await moves.listed(web)]).toEqual([[move("main", "a", 1)], [1]]);
  });
}
