import { describe, expect, it } from "vitest";
import { epochMs, hours, plus } from "#domain/shared/time";
import { copiesAmong, copyName, draftPattern, isRecent } from "#runtime/local/backup-names";

const now = epochMs(Date.parse("2026-11-21T18:45:53.900Z"));

describe("the name of a copy", () => {
  it("has the instant in UTC, so that names sort by time", () => {
    expect(copyName(now)).toBe("state-20261121T184553Z.db");
    expect(copyName(epochMs(0))).toBe("state-19700101T000000Z.db");
  });
});

describe("the copies in a folder", () => {
  it("are listed with the newest first, without other files", () => {
    const names = [
      "state-20261119T000000Z.db",
      "state-20261121T184553Z.db",
      "state-20261120T000000Z.db",
      "state-20261120T000000Z.db.gz",
      "my-state-20261120T000000Z.db",
      "state-20260230T000000Z.db",
      "state-2026-11-20T00:00:00Z.db",
      "2026-11-20T00:00:00Z",
      "state-20261120T000000Z.db-journal",
      "draft.1",
      "notes.txt",
    ];

    expect(copiesAmong(names, now)).toEqual([
      { name: "state-20261121T184553Z.db", at: epochMs(Date.parse("2026-11-21T18:45:53Z")) },
      { name: "state-20261120T000000Z.db", at: epochMs(Date.parse("2026-11-20T00:00:00Z")) },
      { name: "state-20261119T000000Z.db", at: epochMs(Date.parse("2026-11-19T00:00:00Z")) },
    ]);
  });

  it("do not contain a copy of a later instant, which a wrong clock has made", () => {
    const name = copyName(plus(now, hours(1)));

    expect([copiesAmong([name], now), copiesAmong([name], plus(now, hours(1))).length]).toEqual([[], 1]);
  });
});

describe("a copy or a failure", () => {
  it("is recent until the interval is over, and never if it is of a later instant", () => {
    const recent = [-1, 0, 23.99, 24].map((after) => isRecent(now, hours(24), plus(now, hours(after))));

    expect([isRecent(undefined, hours(24), now), ...recent]).toEqual([false, false, true, true, false]);
  });
});

describe("the name of a draft", () => {
  it.each([
    ["draft.0b7d1f6e-6a39-4c1e-9c0b-111111111111", true],
    ["draft.0b7d1f6e-6a39-4c1e-9c0b-111111111111-journal", true],
    ["draft.0b7d1f6e-6a39-4c1e-9c0b-111111111111.db", false],
    ["my-draft.0b7d1f6e-6a39-4c1e-9c0b-111111111111", false],
    ["draft.db", false],
  ])("%s: %s", (name, isDraft) => {
    expect(draftPattern.test(name)).toBe(isDraft);
  });
});
