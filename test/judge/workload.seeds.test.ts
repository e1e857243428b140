import { describe, expect, it } from "vitest";
import { deployment, parseLines } from "./workload-lines.ts";

/*
 * Each annotation that the projects before Lookout read, as their users write it. A manifest with it
 * needs no change: nothing in it pauses updates, and it means the same.
 */

type Annotations = Readonly<Record<string, string>>;

const answerOf = async (annotations: Annotations) => {
  const { answers } = await parseLines(deployment(annotations));
  const [answer] = answers as [{ readonly problems: readonly object[]; readonly notices: readonly object[] }];
  return answer;
};

const days = ["Sat", "Sun"];
const window = { effect: "allow", days, start: "22:00", end: "02:00" };

/**
 * The keys of the Lookout Operator, without their prefix, and what the judge says of
 * them.
 */
const operator: readonly (readonly [Annotations, object])[] = [
  [{ enabled: "true" }, { tracked: true }],
  [{ enabled: "yes" }, { tracked: true }],
  [{ enabled: "false" }, { tracked: false }],
  [{ registry: "production" }, { tracked: true }],
  [{ registry: "lookout-system/production" }, { tracked: true }],
  [{ "container.api.enabled": "false" }, { containers: [] }],
  [{ "container.api.policy": "digest" }, { containers: [{ policy: { kind: "digest" } }] }],
  [{ "container.api.registry": "production", "container.api.repository": "shop/api" }, { tracked: true }],
  [{ policy: "semver" }, { containers: [{ policy: { kind: "semver" } }] }],
  [{ policy: "latest" }, { containers: [{ policy: { kind: "latest" } }] }],
  [{ policy: "digest" }, { containers: [{ policy: { kind: "digest" } }] }],
  [{ policy: "regex", "tag-pattern": "^main-" }, { containers: [{ policy: { kind: "regex", pattern: "^main-" } }] }],
  [{ policy: "pinned" }, { containers: [{ policy: { kind: "pinned" } }] }],
  [{ "semver-range": ">=1.0.0, <2.0.0" }, { containers: [{ policy: { kind: "semver", range: ">=1.0.0, <2.0.0" } }] }],
  [{ "tag-pattern": "^v" }, { containers: [{ filter: { pattern: "^v" } }] }],
  [
    { "include-tags": "v1.*, v2.*", "exclude-tags": "*-debug" },
    { containers: [{ filter: { include: ["v1.*", "v2.*"], exclude: ["*-debug"] } }] },
  ],
  [{ strategy: "tag" }, { containers: [{ strategy: "tag" }] }],
  [{ strategy: "digest" }, { containers: [{ strategy: "digest" }] }],
  [{ strategy: "tag+digest" }, { containers: [{ strategy: "tag+digest" }] }],
  [{ interval: "5m" }, { tracked: true }],
  [{ suspend: "true" }, { gates: { suspended: true } }],
  [{ "approval-required": "true" }, { gates: { approval: { approvals: 1 } } }],
  [
    { "approval-required": "true", "approved-by": "ana", "approved-image": "1.5.0" },
    { gates: { approval: { approvals: 1 } } },
  ],
  [
    { "maintenance-window": "22:00-02:00", "maintenance-days": "Sat,Sun" },
    { gates: { windows: [{ ...window, timeZone: "UTC" }] } },
  ],
  [
    { "maintenance-window": "22:00-02:00", "maintenance-days": "Sat,Sun", "maintenance-tz": "Europe/Berlin" },
    { gates: { windows: [{ ...window, timeZone: "Europe/Berlin" }] } },
  ],
  [{ "auto-rollback": "false" }, { gates: { rollback: { automatic: false } } }],
  [{ "rollback-timeout": "5m" }, { gates: { rollback: { timeout: "5m" } } }],
  [{ "rollback-to": "previous" }, { gates: { rollback: { to: "previous" } } }],
  [{ "previous-image": "api=shop/api:1.4.1,init:migrate=shop/db:7" }, { tracked: true }],
  [
    {
      "status.last-check": "2026-02-01T00:00:00Z",
      "status.last-update": "2026-02-01T00:00:00Z",
      "status.update-count": "3",
      "status.available-update": "1.5.0",
      "status.current-digest": "sha256:0",
      "status.error": "x",
    },
    { tracked: true, notices: [] },
  ],
];

describe("a workload of the Lookout Operator", () => {
  it.each(operator)("runs unchanged with %j", async (written, means) => {
    const annotations = Object.fromEntries(
      Object.entries({ enabled: "true", ...written }).map(([key, value]) => [`lookout.dev/${key}`, value]),
    );
    const answer = await answerOf(annotations);

    expect(answer.problems).toEqual([]);
    expect(answer).toMatchObject(means);
  });

  it("runs unchanged with settings of an init container", async () => {
    const { answers } = await parseLines({
      ...deployment({ "lookout.dev/enabled": "true", "lookout.dev/initContainer.migrate.enabled": "true" }),
      spec: {
        template: {
          spec: {
            containers: [{ name: "api", image: "shop/api:1.4.2" }],
            initContainers: [{ name: "migrate", image: "shop/db:1.4.2" }],
          },
        },
      },
    });

    expect(answers).toMatchObject([{ containers: [{ name: "api" }, { name: "migrate", init: true }], problems: [] }]);
  });
});

const restarts = { policy: { kind: "digest" }, apply: "restart" };
const keepsImages = {
  annotation: null,
  value: "shop/api:1.4.2",
  message:
    "container api is restarted to get a moved tag, but with imagePullPolicy IfNotPresent, nodes keep the old image: set imagePullPolicy: Always",
};

/** The keys of the Kubernetes Image Updater, without their prefix. */
const imageUpdater: readonly (readonly [Annotations, object])[] = [
  [{}, { tracked: true, containers: [restarts] }],
  [{ enabled: "false" }, { tracked: false }],
  [{ "track-containers": "api" }, { containers: [{ name: "api", ...restarts }] }],
  [{ "ignore-containers": "api" }, { containers: [] }],
  [{ "track-init-containers": "true" }, { containers: [restarts] }],
  [{ "last-digest": `api:sha256:${"0".repeat(64)}` }, { containers: [restarts], notices: [keepsImages] }],
  [{ "last-digest": `sha256:${"0".repeat(64)}` }, { containers: [restarts], notices: [keepsImages] }],
  [{ finalizer: "x" }, { containers: [restarts], notices: [keepsImages] }],
];

describe("a workload of the Kubernetes Image Updater", () => {
  it.each(imageUpdater)("runs unchanged with %j", async (written, means) => {
    const annotations = Object.fromEntries(
      Object.entries({ enabled: "true", ...written }).map(([key, value]) => [
        `image-updater.eznix86.github.io/${key}`,
        value,
      ]),
    );
    const answer = await answerOf(annotations);

    expect(answer.problems).toEqual([]);
    expect(answer).toMatchObject(means);
  });
});
