import fc from "fast-check";

const hex = (length: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...Array.from("0123456789abcdef")), minLength: length, maxLength: length });
const number = fc.oneof(fc.nat({ max: 12 }).map(String), fc.constantFrom("0", "00", "01", "007", "9", "10", "120"));

/** The words before numbers. */
export const anyPrefix = fc.constantFrom("", "", "", "v", "V", "version-", "release-");

/** One to six numbers, also zero-padded. */
export const anyNumbers = fc
  .array(fc.oneof({ weight: 4, arbitrary: fc.nat({ max: 3 }).map(String) }, fc.constantFrom("04", "010", "11")), {
    minLength: 1,
    maxLength: 6,
  })
  .map((numbers) => numbers.join("."));

/** A pre-release in one of its spellings. */
export const anyPrerelease = fc
  .tuple(
    fc.constantFrom("-", "-", "_", ".", ""),
    fc.constantFrom("rc", "RC", "beta", "alpha", "a", "b", "m", "dev", "SNAPSHOT", "nightly", "cr", "ea", "alphabet"),
    fc.constantFrom("", "1", "2", "10", ".1", ".2", "-1", "-10", "01", ".010", ".1.gab12", ".x", "1a", ".", "_2"),
  )
  .map((texts) => texts.join(""));

/** A piece that counts, or a near miss. */
const anyCounter = fc.oneof(
  number,
  fc.tuple(number, number).map((texts) => texts.join(".")),
  fc
    .tuple(
      fc.constantFrom("r", "b", "p", "ls", "build", "rev", "k3s", "rke2r", "hardened", "R", "x", "a", "lsx"),
      number,
    )
    .map((texts) => texts.join("")),
  fc
    .tuple(fc.constantFrom("main.", "k0s.", "eksbuild.", "ce.", "php8.", "alpine3.", "pr.", "a.b."), number)
    .map((texts) => texts.join("")),
  fc.tuple(number, fc.constantFrom("ubuntu", "debian"), number).map((texts) => texts.join("")),
  fc.constantFrom("20240101", "20240102", "2024010112", "20240101120000", "20240101T1200", "20240101T120000Z"),
  fc.constantFrom("2024010", "20240101T", "20240101T12", "20240101t1200", "1", "2"),
);
const anyBranch = fc.constantFrom("main", "master", "trunk", "develop", "build", "ci", "rev", "patch", "hotfix", "dev");
const anyCommit = fc.oneof(
  fc.constantFrom(6, 7, 7, 8, 39, 40, 41).chain(hex),
  fc.constantFrom(6, 7, 8, 40, 41).chain((length) => hex(length).map((digits) => `g${digits}`)),
  fc.constantFrom("deadbeef", "1234567", "12345678", "b1234567", "b123456", "ABC1234", "e1e1e1e", "abc123g"),
);
const anyFlavour = fc.constantFrom(
  ...["alpine", "alpine3.19", "debian", "12", "otp", "26", "jre", "17", "temurin", "ubuntu", "22.04", "slim", "scala"],
  ...["2.12", "nanoserver", "1809", "pg16", "cudnn8", "Final", "redhat", "00001", "arm64v8", "php8.3", "", "windows"],
);

const anyPiece = fc.oneof(
  { weight: 4, arbitrary: anyCounter },
  { weight: 2, arbitrary: anyBranch },
  { weight: 2, arbitrary: anyCommit },
  { weight: 4, arbitrary: anyFlavour },
);

const anySeparator = fc.oneof(
  { weight: 8, arbitrary: fc.constant("-") },
  { weight: 2, arbitrary: fc.constant("_") },
  { weight: 1, arbitrary: fc.constantFrom(".", "") },
);

const anyPieces = fc.array(fc.tuple(anySeparator, anyPiece), { maxLength: 4 }).map((pieces) => pieces.flat().join(""));

/** A suffix of realistic pieces and their near misses. */
export const anySuffix = fc
  .tuple(fc.oneof({ weight: 3, arbitrary: fc.constant("") }, anyPrerelease), anyPieces)
  .map((texts) => texts.join(""));

/** A tag of realistic pieces and their near misses. Not each is a version. */
export const anyPiecedTag = fc.tuple(anyPrefix, anyNumbers, anySuffix).map((texts) => texts.join("").slice(0, 128));

/** Two suffixes that often differ in their numbers alone. */
export const suffixesThatMeet = fc
  .tuple(anySuffix, anySuffix, fc.boolean(), fc.array(fc.nat({ max: 12 }), { minLength: 6, maxLength: 6 }))
  .map(([one, other, meet, numbers]): readonly [string, string] => {
    let index = 0;
    // Commits and dates keep their length, so that they stay what they are.
    const turned = one.replaceAll(/(?<![0-9a-f])\d{1,3}(?![0-9a-f]{3})/g, () => String(numbers[index++ % 6]));
    return [one, meet ? turned : other];
  });
