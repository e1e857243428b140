import { describe, expect, it } from "vitest";
import { isEnabled, parseSettings, settingAnnotations } from "#domain/settings/settings";

const prefix = "image-updater.eznix86.github.io/";
const containers = [
  { list: "containers", name: "web", image: "nginx:1.27" },
  { list: "containers", name: "sidecar", image: "envoy:v1" },
  { list: "initContainers", name: "migrate", image: "shop/migrate:1.0.0" },
] as const;
type Containers = Parameters<typeof parseSettings>[1];

/** Annotations by their keys without prefix; Lookout's own begin with `lookout.dev/`. */
const annotations = (written: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(written).map(([key, value]) => [key.startsWith("lookout.dev/") ? key : prefix + key, value]),
  );
const parse = (written: Record<string, string>, of: Containers = containers) =>
  parseSettings(annotations({ enabled: "true", ...written }), of);
const tracked = (written: Record<string, string>, of?: Containers) => Object.keys(parse(written, of).containers);
const problems = (written: Record<string, string>, of?: Containers) =>
  parse(written, of).problems.map(({ key, message, closes }) => ({ key: key.replace(prefix, ""), message, closes }));

describe("a workload of the Kubernetes Image Updater", () => {
  it("is tracked, follows the digests of its tags, and is restarted with the same images", () => {
    const settings = parse({});

    expect(settings.enabled).toBe(true);
    expect(settings.problems).toEqual([]);
    expect(Object.entries(settings.containers)).toEqual(
      ["web", "sidecar"].map((name) => [
        name,
        {
          policy: { kind: "digest" },
          policyText: "digest",
          apply: "restart",
          strategy: "tag+digest",
          allowDowngrade: false,
        },
      ]),
    );
  });

  it.each([
    [{ enabled: "true" }, true],
    [{ enabled: "True" }, false],
    [{ enabled: "yes" }, false],
    [{ enabled: " true" }, false],
    [{ enabled: "" }, false],
    [{ "track-containers": "web" }, false],
    [{ enabled: "true", "lookout.dev/enabled": "false" }, false],
    [{ enabled: "false", "lookout.dev/enabled": "true" }, true],
  ])("with %j is tracked: %s", (written, enabled) => {
    expect(isEnabled(annotations(written))).toBe(enabled);
  });

  it("is parsed without its operator's notes", () => {
    const written = annotations({ enabled: "true", "last-digest": "web:sha256:0", finalizer: "x" });

    expect(settingAnnotations(written)).toEqual({ [`${prefix}enabled`]: "true" });
  });
});

describe("the tracked containers", () => {
  it.each([
    [{}, ["web", "sidecar"]],
    [{ "track-containers": "web" }, ["web"]],
    [{ "track-containers": " web , ,sidecar," }, ["web", "sidecar"]],
    [{ "track-containers": "" }, ["web", "sidecar"]],
    [{ "ignore-containers": "sidecar" }, ["web"]],
    [{ "track-containers": "", "ignore-containers": "sidecar" }, ["web"]],
    [{ "track-init-containers": "true" }, ["web", "sidecar", "migrate"]],
    [{ "track-init-containers": "false" }, ["web", "sidecar"]],
    [{ "track-containers": "web", "track-init-containers": "true" }, ["web", "migrate"]],
  ])("under %j are %j", (written, names) => {
    expect(tracked(written)).toEqual(names);
    expect(problems(written)).toEqual([]);
  });

  it("are the listed containers, even if the other list names some of them, with a notice", () => {
    const written = { "track-containers": "web,sidecar", "ignore-containers": "sidecar" };

    expect(tracked(written)).toEqual(["web", "sidecar"]);
    expect(problems(written)).toEqual([
      { key: "ignore-containers", message: `is not used beside ${prefix}track-containers`, closes: false },
    ]);
  });

  it("exclude containers that are pinned to a digest, with a notice", () => {
    const image = `nginx:1.27@sha256:${"0".repeat(64)}`;
    const pinned = [{ ...containers[0], image }, containers[1]];

    expect(tracked({}, pinned)).toEqual(["sidecar"]);
    expect(problems({}, pinned)).toEqual([
      {
        key: "image of container web",
        message: "the image is pinned by its digest, so Lookout follows no tag",
        closes: false,
      },
    ]);
    expect(tracked({ "track-containers": "web" }, pinned)).toEqual([]);
    expect(problems({ "ignore-containers": "web" }, pinned)).toEqual([]);
    expect(tracked({ "lookout.dev/apply": "pin" }, pinned)).toEqual(["web", "sidecar"]);
    expect(tracked({ "lookout.dev/container.web.policy": "digest" }, pinned)).toEqual(["web", "sidecar"]);
    expect(tracked({ "lookout.dev/container.web.enabled": "true" }, pinned)).toEqual(["web", "sidecar"]);
  });

  it("exclude pinned init containers, with a notice only if they would be tracked", () => {
    const pinned = [containers[0], { ...containers[2], image: `shop/migrate@sha256:${"0".repeat(64)}` }];

    expect(problems({}, pinned)).toEqual([]);
    expect(tracked({ "track-init-containers": "true" }, pinned)).toEqual(["web"]);
    expect(problems({ "track-init-containers": "true" }, pinned)).toEqual([
      {
        key: "image of container migrate",
        message: "the image is pinned by its digest, so Lookout follows no tag",
        closes: false,
      },
    ]);
  });

  it("follow latest without a tag", () => {
    expect(tracked({}, [{ ...containers[0], image: "nginx" }])).toEqual(["web"]);
  });
});

describe("doubtful annotations of the Kubernetes Image Updater", () => {
  it.each([
    [{ "track-containers": " , " }, "expected names of containers, separated by commas"],
    [{ "track-containers": "wed" }, "names no container of this workload: wed; did you mean web?"],
    [{ "track-containers": "web,a,b" }, "names no container of this workload: a, b"],
    [{ "track-containers": "migrate,a" }, "names no container of this workload: migrate, a"],
    [{ "ignore-containers": "sidcar" }, "names no container of this workload: sidcar; did you mean sidecar?"],
    [
      { "track-containers": "web,migrate" },
      `names init containers, which only ${prefix}track-init-containers tracks: migrate`,
    ],
    [
      { "track-container": "web" },
      "is not an annotation of the Kubernetes Image Updater; did you mean track-containers?",
    ],
    [
      { "track-containers": "web,a", "lookout.dev/container.web.enabled": "false" },
      "names no container of this workload: a",
    ],
    [{ "something-else": "web" }, "is not an annotation of the Kubernetes Image Updater"],
  ])("close updates: %j", (written, message) => {
    const [[key, value] = []] = Object.entries(written);

    expect(parse(written).problems).toEqual([{ key: `${prefix}${key ?? ""}`, value, message, closes: true }]);
  });

  it("cause a notice if they may exclude too much", () => {
    expect(problems({ "track-init-containers": "yes" })).toEqual([
      {
        key: "track-init-containers",
        message: "expected true: with any other value, init containers are not tracked",
        closes: false,
      },
    ]);
  });
});

describe("annotations of both prefixes on one workload", () => {
  it("combine: Lookout's annotations replace implied settings", () => {
    const settings = parse({
      "lookout.dev/maintenance-window": "22:00-02:00",
      "lookout.dev/container.web.policy": "semver",
      "lookout.dev/container.web.apply": "pin",
    });

    expect(settings.problems).toEqual([]);
    expect(settings.windows).toHaveLength(1);
    expect(
      Object.entries(settings.containers).map(([name, { policyText, apply }]) => [name, policyText, apply]),
    ).toEqual([
      ["web", "semver", "pin"],
      ["sidecar", "digest", "restart"],
    ]);
    expect(parse({ "lookout.dev/policy": "semver" }).containers.web).toMatchObject({ policyText: "semver" });
  });

  it("close updates if both enable the workload", () => {
    expect(problems({ "lookout.dev/enabled": "true", "track-containers": "web" })).toEqual([
      {
        key: "enabled",
        message: "lookout.dev/enabled is set too: keep the annotations of only one updater",
        closes: true,
      },
      { key: "track-containers", message: "is not used: lookout.dev/enabled decides", closes: false },
    ]);
  });

  it.each([
    { enabled: "False", told: [] },
    { enabled: "no", told: [] },
    { enabled: "True", told: [`is not used: ${prefix}enabled is not exactly true`] },
    { enabled: "", told: [`is not used: ${prefix}enabled is not exactly true`] },
  ])('report that "$enabled" is not true, unless it is false', ({ enabled, told }) => {
    expect(problems({ enabled, "lookout.dev/enabled": "true" })).toEqual(
      told.map((message) => ({ key: "enabled", message, closes: false })),
    );
  });

  it("report that Lookout's annotations decide when they disable the workload", () => {
    expect(problems({ "lookout.dev/enabled": "off" })).toEqual([
      { key: "enabled", message: "is not used: lookout.dev/enabled decides", closes: false },
    ]);
  });

  it("ignore the other updater's annotations when these disable the workload, with a notice", () => {
    expect(problems({ enabled: "false", "lookout.dev/enabled": "true", "ignore-containers": "web" })).toEqual([
      { key: "ignore-containers", message: `is not used: ${prefix}enabled is not exactly true`, closes: false },
    ]);
    expect(tracked({ enabled: "false", "lookout.dev/enabled": "true", "ignore-containers": "web" })).toContain("web");
  });

  it("that contradict each other are reported with their container", () => {
    const json = '{"web": {"enabled": true}}';

    expect(problems({ "ignore-containers": "web", "lookout.dev/containers": json })).toEqual([
      {
        key: "ignore-containers",
        message: 'contradicts lookout.dev/containers (web.enabled) "true" about container web',
        closes: true,
      },
    ]);
    expect(problems({ "ignore-containers": "web", "lookout.dev/container.web.enabled": "none" })).toEqual([
      {
        key: "ignore-containers",
        message: 'contradicts lookout.dev/container.web.enabled "none" about container web',
        closes: true,
      },
      { key: "lookout.dev/container.web.enabled", message: "expected true or false", closes: true },
    ]);
  });

  it.each([
    [{ "track-containers": "web", "lookout.dev/container.web.enabled": "false" }, true],
    [{ "track-containers": "web", "lookout.dev/container.sidecar.enabled": "true" }, true],
    [{ "ignore-containers": "web", "lookout.dev/containers": '{"web": {"enabled": true}}' }, true],
    [{ "track-init-containers": "true", "lookout.dev/initContainer.migrate.enabled": "false" }, true],
    [{ "ignore-containers": "web", "lookout.dev/container.web.enabled": "no" }, false],
    [{ "lookout.dev/container.web.enabled": "false" }, false],
    [{ "lookout.dev/initContainer.migrate.enabled": "true" }, false],
  ])("that set %j for a container contradict each other: %s", (written, contradict) => {
    const told = problems(written);

    expect(told.map(({ closes }) => closes)).toEqual(contradict ? [true] : []);
    expect(told.every(({ message }) => message.startsWith("contradicts "))).toBe(true);
  });
});
