import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { askGates } from "#domain/gates/index";
import { imageUpdaterKeys, imageUpdaterPrefix } from "#domain/settings/image-updater";
import { noticeOnly } from "#domain/annotations/notices";
import { containerSettings, keysOfOtherVersions, workloadKeys } from "#domain/settings/setting-keys";
import { parseSettings, type WorkloadSettings } from "#domain/settings/settings";
import { selectTag } from "#domain/policy/policy";
import { oftenTried } from "#test/property-runs";
import { aRecord, noon, openFacts } from "../builders.ts";
import { compile } from "../policy/matchers.ts";

const containers = [
  { list: "containers", name: "app", image: "shop/app:1.4.0" },
  { list: "containers", name: "side", image: "shop/side:main-7" },
  { list: "initContainers", name: "migrate", image: "shop/migrate:1.0.0" },
] as const;
const tags = ["1.4.0", "1.4.1", "1.5.0-rc.1", "2.0.0", "2.0.0-alpine", "main-7", "main-8", "20240101", "latest"];

const settings = [...workloadKeys, ...keysOfOtherVersions, ...noticeOnly.keys()];
const names = fc.constantFrom("app", "side", "migrate", "__proto__", "constructor", "nobody");
const value = fc.oneof(
  fc.constantFrom("true", "false", "yes", "semver", "digest", "regex", "latest", ">=1 <2", "^1.4", "*", "*-rc*"),
  fc.constantFrom("^main-([0-9]+)$", "(", "$1", "newest", "numerical", "pin", "tag", "restart", "1h", "22:00-02:00"),
  fc.constantFrom("Sat", "Europe/Berlin", "0 22 * * * for 1h", "app", "app,side", "2", "linux/amd64", "previous"),
  fc.string({ unit: "binary", maxLength: 20 }),
);
const inJson = fc.dictionary(
  fc.oneof(names, fc.constantFrom("initContainer.migrate", "container.app")),
  fc.oneof(
    fc.dictionary(fc.constantFrom(...containerSettings), fc.oneof(value, fc.boolean(), fc.jsonValue({ maxDepth: 1 }))),
    fc.jsonValue({ maxDepth: 1 }),
  ),
  { maxKeys: 3 },
);
const annotation = fc.oneof(
  fc.tuple(
    fc.constantFrom(...settings).map((key) => `lookout.dev/${key}`),
    value,
  ),
  fc.tuple(
    fc
      .tuple(fc.constantFrom("container", "initContainer"), names, fc.constantFrom(...settings))
      .map((parts) => `lookout.dev/${parts.join(".")}`),
    value,
  ),
  fc.tuple(
    fc.constant("lookout.dev/containers"),
    fc.oneof(
      inJson.map((json) => JSON.stringify(json)),
      fc.json(),
    ),
  ),
  fc.tuple(
    fc.constantFrom(...imageUpdaterKeys).map((key) => imageUpdaterPrefix + key),
    value,
  ),
  fc.tuple(fc.string({ unit: "binary", maxLength: 30 }), value),
);
const anyAnnotations = fc.array(annotation, { maxLength: 8 }).map((entries) => Object.fromEntries(entries));

/** Which tag each container would be given, if nothing closed its updates. */
function selected(read: WorkloadSettings): readonly (string | undefined)[] {
  return containers.map(({ name, image }) => {
    const own = read.containers[name];
    const selection = own && selectTag(own, { tag: image.split(":")[1] ?? "" }, tags);
    return selection?.kind === "selected" ? selection.tag : undefined;
  });
}

const parse = (annotations: Record<string, string>) => parseSettings(annotations, containers, compile);

describe("any annotations at all", () => {
  it("are parsed, and each problem briefly names its key", () => {
    fc.assert(
      fc.property(anyAnnotations, (annotations) => {
        for (const { key, value: shown, message } of parse(annotations).problems) {
          expect(key in annotations || key.startsWith("image of container ")).toBe(true);
          expect(message).not.toBe("");
          expect(shown.length + message.length).toBeLessThan(1_000);
        }
      }),
      oftenTried,
    );
  });

  it("close the gate if they hold a problem that closes it", () => {
    fc.assert(
      fc.property(anyAnnotations, (annotations) => {
        const read = parse(annotations);
        const [gate] = askGates({
          now: noon,
          record: aRecord(),
          settings: read,
          seq: 1,
          changes: [],
          facts: openFacts,
        });

        expect(gate?.kind).toBe(read.problems.some(({ closes }) => closes) ? "closed" : "open");
      }),
    );
  });

  it("never give a container another tag when one of them is invalid", () => {
    const spoilt = fc.tuple(anyAnnotations, fc.nat(), fc.constantFrom("\u0000", "?!", "not at all", ""));
    fc.assert(
      fc.property(spoilt, ([annotations, index, text]) => {
        const keys = Object.keys(annotations).filter((key) => key.startsWith("lookout.dev/"));
        const key = keys[index % keys.length] ?? "";
        const [before, after] = [parse(annotations), parse({ ...annotations, [key]: text })];
        fc.pre(after.problems.some((problem) => problem.closes && problem.key === key));
        const [given, had] = [selected(after), selected(before)];

        expect(given.filter((tag, container) => tag !== undefined && tag !== had[container])).toEqual([]);
      }),
    );
  });
});
