import { beforeAll, describe, expect, it } from "vitest";
import { loadPatternCompiler } from "#adapters/re2js/matcher";
import { parseSettings } from "#domain/settings/settings";
import type { CompilePattern } from "#domain/policy/tag-pattern";
import { type StatusInputs, statusAnnotations } from "#domain/update/decide/status-annotations";
import { aChange, aContainer, aLive, aLiveContainer, annotated, image, noon } from "../builders.ts";
import { side } from "./proposing.ts";
import { sideChange, sideLive } from "./planning.ts";

let compile: CompilePattern;
beforeAll(async () => {
  compile = await loadPatternCompiler();
});

const settingsWith = (settings: Record<string, string>) =>
  parseSettings(annotated(settings), [aContainer(), side], compile);
const written = (given: Partial<StatusInputs> = {}) =>
  statusAnnotations({
    live: aLive(),
    changes: [aChange()],
    settings: settingsWith({}),
    updateCount: 3,
    now: noon,
    ...given,
  });
const attributes = (settings: Record<string, string>, changes: StatusInputs["changes"]) =>
  Object.fromEntries(
    Object.entries(written({ settings: settingsWith(settings), changes })).filter(([key]) => key.includes("attribute")),
  );
const to = (tag: string) => aChange({ tag, to: image(tag, "1") });

describe("the status annotations of a patch", () => {
  it("have the time, the images before and after, and the number of updates", () => {
    const migrate = aLiveContainer({ list: "initContainers", name: "migrate", image: "registry.test/shop/db:7" });

    expect(written({ live: aLive({ containers: [aLiveContainer(), sideLive, migrate] }) })).toStrictEqual({
      "lookout.dev/status.last-update": "2026-03-02T12:00:00.000Z",
      "lookout.dev/status.previous-image": `app=${image("1.0.0")},side=${sideLive.image},init:migrate=registry.test/shop/db:7`,
      "lookout.dev/status.current-image": `app=${image("1.1.0", "1")},side=${sideLive.image},init:migrate=registry.test/shop/db:7`,
      "lookout.dev/status.update-count": "3",
    });
  });

  it("name the same image twice for a restart", () => {
    const restart = aChange({ apply: "restart", tag: "1.0.0", to: image("1.0.0") });
    const status = written({ changes: [restart] });

    expect(status["lookout.dev/status.current-image"]).toBe(`app=${image("1.0.0")}`);
    expect(status["lookout.dev/status.previous-image"]).toBe(`app=${image("1.0.0")}`);
  });

  it("remove the available update and the attributes of an earlier tag, and nothing else", () => {
    const annotations = {
      "lookout.dev/enabled": "true",
      "lookout.dev/status.available-update": "1.1.0",
      "lookout.dev/status.attribute.pr": "12",
      "lookout.dev/status.other": "kept",
    };

    expect(written({ live: aLive({ annotations }) })).toMatchObject({
      "lookout.dev/status.available-update": undefined,
      "lookout.dev/status.attribute.pr": undefined,
    });
    expect(Object.keys(written({ live: aLive({ annotations }) }))).not.toContain("lookout.dev/status.other");
  });

  it("hold the named groups of the pattern for the written tag", () => {
    const settings = { policy: "regex", "tag-pattern": "^pr-(?P<pr>\\d+)-(?P<sha1>[0-9a-f]+)-(\\d+)$" };

    expect(attributes(settings, [to("pr-12-ab34-7")])).toEqual({
      "lookout.dev/status.attribute.pr": "12",
      "lookout.dev/status.attribute.sha1": "ab34",
    });
    expect(attributes(settings, [to("1.0.0")])).toEqual({
      "lookout.dev/status.attribute.pr": "",
      "lookout.dev/status.attribute.sha1": "",
    });
  });

  it.each([
    { pattern: "^(?P<tag>.*)$", because: "the image has the tag" },
    { pattern: "^(?P<name>.*)$", because: "name means the image's name" },
    { pattern: "^(?P<end_>.*)$", because: "a key of Kubernetes can't end so" },
    { pattern: `^(?P<${"x".repeat(47)}>.*)$`, because: "the key would be too long" },
  ])("leave out the group of $pattern, because $because", ({ pattern }) => {
    expect(attributes({ policy: "regex", "tag-pattern": pattern }, [to("1.1.0")])).toEqual({});
  });

  it("leave out a group with different values in two containers", () => {
    const settings = { policy: "regex", "tag-pattern": "^(?P<major>\\d+)\\.(?P<minor>\\d+)" };

    expect(attributes(settings, [to("1.1.0"), sideChange])).toEqual({ "lookout.dev/status.attribute.minor": "1" });
  });

  it("have a count instead of too many images", () => {
    const containers = Array.from({ length: 500 }, (_, index) =>
      aLiveContainer({ index, name: `container-${String(index)}`, image: image("1.0.0", "1") }),
    );

    expect(written({ live: aLive({ containers }) })["lookout.dev/status.current-image"]).toBe("500 containers");
  });
});
