import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { familiarImage, formatImageReference, parseImageReference, replaceImage } from "#domain/image-reference";
import { imageUpdaterKeys, imageUpdaterPrefix } from "#domain/settings/image-updater";
import { keysOfOtherVersions, noticeOnly, workloadKeys } from "#domain/settings/setting-keys";
import { parseSettings } from "#domain/settings/settings";
import { propertyRuns } from "#test/property-runs";
import { compile } from "./policy/matchers.ts";
import { nearReferences } from "./references.ts";

/** Ten times as often as other properties: a million times in the long run. */
const often = { numRuns: 10 * propertyRuns };

const containerNames = ["app", "side-car", "constructor", "__proto__", "a".repeat(63)] as const;

/** What values are made of, right and wrong. */
const fragments = fc.oneof(
  fc.constantFrom("true", "False", "semver", "latest", "digest", "regex", "numerical", "tag+digest", "pin", "desc"),
  fc.constantFrom(">=1.2.0", "<2", "^1.x", "||", " - ", "1.2.3-rc.1", "*", "=<", "~", "9".repeat(20)),
  fc.constantFrom("(?P<ts>[0-9]+)", "$ts", "${", "(", "[a-", "\\", "^v.*$", "(?=x)", "*?[!a]", "{,}"),
  fc.constantFrom("22:00-02:00", "24:00", "Mon-Fri", "0 22 * * 1-5", " for 4h", "Europe/Berlin", "+02:00", "5m", "-1s"),
  fc.constantFrom('{"app":', '{"policy":"semver"}', "}", "[1,", "null", '"', "1e999", '{"__proto__":{"policy":7}}'),
  fc.constantFrom("", " ", ",", ";", "\u0000", "\n", "é", "\u{1F600}", "\uD800", "x".repeat(300)),
  nearReferences(),
  fc.string({ maxLength: 12 }),
);
const values = fc.array(fragments, { maxLength: 4 }).map((parts) => parts.join(""));

const settings = fc.oneof(
  fc.constantFrom(...workloadKeys, ...keysOfOtherVersions, ...noticeOnly.keys()),
  fc.stringMatching(/^[a-z-]{1,12}$/),
);
const keys = fc.oneof(
  settings.map((setting) => `lookout.dev/${setting}`),
  fc
    .tuple(fc.constantFrom("container", "initContainer"), fc.constantFrom(...containerNames, "other"), settings)
    .map((parts) => `lookout.dev/${parts.join(".")}`),
  fc.constantFrom(...imageUpdaterKeys).map((key) => imageUpdaterPrefix + key),
  fc.string({ maxLength: 30 }),
);
const annotationSets = fc.dictionary(keys, values, { maxKeys: 8 });
const containers = fc.uniqueArray(
  fc.record({
    list: fc.constantFrom("containers", "initContainers"),
    name: fc.constantFrom(...containerNames),
    image: nearReferences(),
  }),
  { selector: ({ name }) => name, maxLength: 3 },
);

describe("whatever people write", () => {
  it("as annotations: settings or problems come of it, each at an annotation or an image that is there", () => {
    fc.assert(
      fc.property(annotationSets, containers, (annotations, all) => {
        const { problems } = parseSettings(annotations, all, compile);
        const places = new Set([...Object.keys(annotations), ...all.map(({ name }) => `image of container ${name}`)]);

        expect(problems.filter(({ key, message }) => !places.has(key) || message === "")).toEqual([]);
      }),
      often,
    );
  });

  it("as an image: a reference or a problem comes of it, and a reference takes another tag", () => {
    fc.assert(
      fc.property(nearReferences(), (text) => {
        const parsed = parseImageReference(text);
        if (!parsed.ok) return;

        expect(formatImageReference(parsed.value).endsWith(familiarImage(parsed.value))).toBe(true);
        expect(parseImageReference(replaceImage(text, { tag: "next" }))).toMatchObject({ value: { tag: "next" } });
      }),
      often,
    );
  });
});
