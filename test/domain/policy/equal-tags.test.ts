import { describe } from "vitest";
import { holds } from "./deciding.ts";
import { filter, minute, range } from "./matchers.ts";

const semver = { kind: "semver", allowPrerelease: true } as const;
const anyVersion = range("*");

describe("of tags with one version, the form of the running tag", () => {
  holds(
    [
      { runs: "v1.2.0", tags: ["1.3.0", "v1.3.0"], wins: "v1.3.0", because: "its prefix is kept" },
      { runs: "1.2.0", tags: ["1.3.0", "v1.3.0"], wins: "1.3.0", because: "so is no prefix" },
      {
        runs: "1.3.0-rc1",
        tags: ["1.3.0-rc2", "1.3.0-rc.2"],
        wins: "1.3.0-rc2",
        because: "its spelling is kept, though the other tag sorts first",
      },
      {
        runs: "1.3.0-rc.9",
        tags: ["1.3.0-rc10", "1.3.0-rc.10"],
        wins: "1.3.0-rc.10",
        because: "with any count of digits",
      },
      { runs: "2024.09.1", tags: ["2024.10.1", "2024.10.01"], wins: "2024.10.01", because: "its zeros are kept" },
      { runs: "2024.9.1", tags: ["2024.10.1", "2024.10.01"], wins: "2024.10.1", because: "and so are none" },
      {
        runs: "2024.1005.1",
        tags: ["2024.1006.1", "2024.1006.01"],
        wins: "2024.1006.1",
        because: "a zero inside a number is no padding",
      },
      {
        runs: "1.2.0.GA",
        tags: ["1.3.0.GA", "v1.3.0.GA"],
        wins: "1.3.0.GA",
        because: "a word behind a dot is a suffix",
      },
      {
        runs: "v1.0.0-rc1",
        tags: ["1.1.0-rc1", "v1.1.0-rc.1"],
        wins: "v1.1.0-rc.1",
        because: "the prefix counts more than the spelling",
      },
      {
        runs: "v1.00.0-rc1",
        tags: ["1.01.0-rc1", "v1.1.0-rc.1"],
        wins: "v1.1.0-rc.1",
        because: "and more than the spelling and the zeros together",
      },
      {
        runs: "1.00.0-rc1",
        tags: ["1.2.0-rc1", "1.02.0-rc.1"],
        wins: "1.2.0-rc1",
        because: "the spelling counts more than the zeros",
      },
      {
        runs: "alpine-v17.2.0",
        tags: ["alpine-17.3.0", "alpine-v17.3.0"],
        wins: "alpine-v17.3.0",
        because: "the prefix follows the words before the version",
      },
      {
        runs: "alpine-17.2.0",
        tags: ["alpine-17.3.0", "alpine-v17.3.0"],
        wins: "alpine-17.3.0",
        because: "which are no prefix",
      },
      {
        runs: "1.0.0",
        tags: ["v1.1.0", "version-1.1.0", "1.1.0", "1.01.0", "release-1.1.0"],
        wins: "1.1.0",
        because: "the nearest of many wins",
      },
    ],
    semver,
  );
});

describe("of tags with one version and one form", () => {
  holds(
    [
      { runs: "1.00.0", tags: ["1.002.0@3", "1.02.0@7"], wins: "1.02.0", because: "the tag that moved last wins" },
      { runs: "1.00.0", tags: ["1.002.0@7", "1.02.0@3"], wins: "1.002.0", because: "whichever that is" },
      {
        runs: "1.00.0",
        tags: ["1.002.0", "1.02.0"],
        wins: "1.002.0",
        because: "without moves, the one that sorts first",
      },
      { runs: "v1.0.0", tags: ["1.2.0@7", "v1.2.0@3"], wins: "v1.2.0", because: "a form counts more than a move" },
      { tags: ["1.2.0@7", "v1.2.0@3"], wins: "1.2.0", because: "if nothing runs, no form counts" },
    ],
    { ...semver, range: anyVersion },
  );
});

describe("of tags with one extracted value", () => {
  const build = filter({ pattern: "^([0-9.]+)-(.+)$", extract: "$1" });
  holds(
    [
      { runs: "1.0-a", tags: ["1.1-r9", "1.1-r11"], wins: "1.1-r11", because: "numbers compare as numbers" },
      { runs: "1.0-a", tags: ["1.1-r9-5", "1.1-r09-7"], wins: "1.1-r09-7", because: "with their zeros" },
      { runs: "1.0-a", tags: ["1.1-r100", "1.1-r20"], wins: "1.1-r100", because: "inner zeros are digits" },
      { runs: "1.0-a", tags: ["1.1-b", "1.1-c"], wins: "1.1-c", because: "the higher word wins" },
      {
        runs: "1.0-a",
        tags: ["1.1-r007", "1.1-r7"],
        wins: "1.1-r007",
        because: "of equal numbers, the one that sorts first",
      },
      { runs: "1.0-a", tags: ["1.1-r9@7", "1.1-r11@3"], wins: "1.1-r9", because: "the tag that moved last wins" },
      {
        runs: "1.1-a",
        tags: ["1.1-a@3", "1.1-b@7"],
        wins: "1.1-b",
        because: "the running tag is replaced by a later one",
      },
      { runs: "1.1-a", tags: ["1.1-a@7", "1.1-b@3"], wins: "=1.1-a", because: "but not by an earlier one" },
      { runs: "1.1-a", tags: ["1.1-a@2", "1.1-a@9", "1.1-b@7"], wins: "=1.1-a", because: "its latest entry counts" },
      { runs: "1.1-a", tags: ["1.1-a", "1.1-b"], wins: "=1.1-a", because: "without moves, nothing is proved later" },
      {
        runs: { tag: "1.1-a", movedAt: minute(5) },
        tags: ["1.1-a", "1.1-b@4"],
        wins: "=1.1-a",
        because: "the known move of the running image counts",
      },
      {
        runs: { tag: "1.1-a", movedAt: minute(5) },
        tags: ["1.1-a@1", "1.1-b@6"],
        wins: "1.1-b",
        because: "a still later tag replaces it",
      },
    ].map((one) => ({ ...one, filter: build })),
    semver,
  );
});

describe("of tags with one version, without an extracted value", () => {
  holds(
    [
      {
        runs: "1.1.0",
        tags: ["1.1.0@3", "v1.1.0@7"],
        wins: "=1.1.0",
        because: "no later tag replaces the running tag",
      },
    ],
    semver,
  );
});
