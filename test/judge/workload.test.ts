import { describe, expect, it } from "vitest";
import { deployment, enabled, parseLines, template } from "./workload-lines.ts";

describe("the judge of workloads", () => {
  it("answers the defaults for a workload with only lookout.dev/enabled", async () => {
    const { answers, exitCode } = await parseLines(deployment(enabled));

    expect(exitCode).toBe(0);
    expect(answers).toEqual([
      {
        ok: true,
        tracked: true,
        containers: [
          {
            name: "api",
            init: false,
            image: {
              ok: true,
              registry: "docker.io",
              repository: "shop/api",
              tag: "1.4.2",
              digest: null,
              familiar: "shop/api:1.4.2",
              canonical: "docker.io/shop/api:1.4.2",
            },
            policy: { kind: "semver", allowPrerelease: false },
            filter: {},
            allowDowngrade: false,
            strategy: "tag+digest",
            apply: "pin",
          },
        ],
        gates: {
          suspended: false,
          windows: [],
          allowDeclaredSource: false,
          together: false,
          approval: null,
          reapply: null,
          minAge: null,
          platforms: null,
          tier: null,
          checks: null,
          tierGroup: null,
          haltOnFailure: null,
          maxSeverity: null,
          signedBy: null,
          rollback: { automatic: true, timeout: "10m", pullGrace: "1m", to: "previous" },
        },
        problems: [],
        notices: [],
      },
    ]);
  });

  it("answers policies, filters and windows in the form of the other judges", async () => {
    const { answers } = await parseLines(
      deployment({
        ...enabled,
        "lookout.dev/policy": "regex",
        "lookout.dev/tag-pattern": "^main-(?P<n>[0-9]+)$",
        "lookout.dev/exclude-tags": "*-debug, *-rc*",
        "lookout.dev/maintenance-window": "22:00-02:00",
        "lookout.dev/maintenance-days": "sat,SUN",
        "lookout.dev/maintenance-tz": "europe/berlin",
        "lookout.dev/blackout-cron": "0 0 20 12 * for 14d",
      }),
    );

    expect(answers).toMatchObject([
      {
        containers: [
          { policy: { kind: "regex", pattern: "^main-(?P<n>[0-9]+)$" }, filter: { exclude: ["*-debug", "*-rc*"] } },
        ],
        gates: {
          windows: [
            { effect: "allow", days: ["Sat", "Sun"], start: "22:00", end: "02:00", timeZone: "Europe/Berlin" },
            { effect: "deny", cron: "0 0 20 12 *", duration: "14d", timeZone: "Europe/Berlin" },
          ],
        },
        problems: [],
      },
    ]);
  });

  it("answers the settings of unsupported gates, which close updates", async () => {
    const { answers } = await parseLines(
      deployment({
        ...enabled,
        "lookout.dev/approvals": "2",
        "lookout.dev/approval-deadline": "24h",
        "lookout.dev/min-age": "48h",
        "lookout.dev/signed-by": "release@example.com",
      }),
    );
    const [{ gates, problems } = {}] = answers as [{ gates: object; problems: { annotation: string }[] }?];

    expect(gates).toMatchObject({
      approval: { approvals: 2, deadline: "1d", approvedBy: null, approvedImage: null },
      minAge: "2d",
      signedBy: ["release@example.com"],
    });
    expect(problems?.map(({ annotation }) => annotation)).toEqual(["signed-by"].map((key) => `lookout.dev/${key}`));
  });

  it("separates problems from notices, and answers no invalid policy", async () => {
    const { answers, exitCode } = await parseLines(
      deployment({ ...enabled, "lookout.dev/semver-range": ">>1", "lookout.dev/notify-slack": "#OPS" }),
    );

    expect(exitCode).toBe(0);
    expect(answers).toMatchObject([
      {
        tracked: true,
        containers: [{ name: "api", policy: null, filter: null }],
        problems: [
          {
            annotation: "lookout.dev/semver-range",
            value: ">>1",
            message: expect.stringContaining("not a range") as string,
          },
        ],
        notices: [
          {
            annotation: "lookout.dev/notify-slack",
            value: "#OPS",
            message: "expected at most 10 names of channels of lookout.yaml: lookout channel list",
          },
        ],
      },
    ]);
  });

  it.each(["Deployment", "StatefulSet", "DaemonSet"])("reads the containers of a %s", async (kind) => {
    const initContainers = [{ name: "migrate", image: "shop/migrate:1" }];
    const object = deployment({ ...enabled, "lookout.dev/initContainer.migrate.enabled": "true" });
    const { answers } = await parseLines({
      ...object,
      kind,
      spec: { template: { spec: { ...template.spec, initContainers } } },
    });

    expect(answers).toMatchObject([
      {
        tracked: true,
        containers: [
          { name: "api", init: false },
          { name: "migrate", init: true },
        ],
      },
    ]);
  });

  it("reads the containers of a CronJob", async () => {
    const object = { ...deployment(enabled), apiVersion: "batch/v1", kind: "CronJob" };
    const { answers } = await parseLines({ ...object, spec: { jobTemplate: { spec: { template } } } });

    expect(answers).toMatchObject([{ tracked: true, containers: [{ name: "api" }] }]);
  });

  it.each([
    [deployment({}), "lookout.dev/enabled is not true"],
    [deployment({ "lookout.dev/enabled": "false" }), "lookout.dev/enabled is not true"],
    [{ ...deployment({}), metadata: { name: "api" } }, "lookout.dev/enabled is not true"],
    [
      { ...deployment(enabled), apiVersion: "apps/v1beta1" },
      "a Deployment must have the apiVersion apps/v1, not apps/v1beta1",
    ],
    [
      { apiVersion: "v1", kind: "Pod", metadata: {} },
      "Lookout does not update objects of kind Pod, only Deployment, StatefulSet, DaemonSet, CronJob",
    ],
    [
      { apiVersion: "v1", kind: "List", items: [] },
      "a list is not one object: write each item of the list on its own line",
    ],
  ])("answers why an object is not tracked: %j", async (object, because) => {
    const { answers, exitCode } = await parseLines(object);

    expect(answers).toMatchObject([{ ok: true, tracked: false, because, containers: [] }]);
    expect(exitCode).toBe(0);
  });

  it("reports a faulty line, continues, and ends with 2", async () => {
    const { spec: _, ...withoutSpec } = deployment(enabled);
    const lines = [
      "{",
      "[]",
      { kind: "Deployment" },
      { apiVersion: "apps/v1", kind: 7 },
      withoutSpec,
      { ...deployment(enabled), sepc: {} },
      deployment({ "lookout.dev/enabled": true }),
      deployment(enabled, { template: { spec: {} } }),
      deployment(enabled, { template: { spec: { containers: [{ image: "nginx" }] } } }),
    ];
    const { answers, exitCode } = await parseLines(...lines, deployment(enabled));

    expect(exitCode).toBe(2);
    expect(answers.slice(0, lines.length)).toEqual(
      [
        expect.stringMatching(/^not JSON: /) as string,
        "the line: expected an object, not []",
        "apiVersion: is missing; expected a text",
        "kind: expected a text, not 7",
        "spec: is missing; expected an object",
        "sepc: is not known here; did you mean spec?",
        'metadata.annotations["lookout.dev/enabled"]: expected a text, not true',
        "spec.template.spec.containers: is missing; expected a list",
        "spec.template.spec.containers[0].name: is missing; expected a text",
      ].map((message) => ({ ok: false, error: { code: "bad-line", message } })),
    );
    expect(answers.slice(lines.length)).toMatchObject([{ ok: true, tracked: true }]);
  });

  it("reports a container without an image, which pauses updates", async () => {
    const { answers } = await parseLines(
      deployment(enabled, { template: { spec: { containers: [{ name: "api" }] } } }),
    );

    expect(answers).toMatchObject([
      {
        tracked: true,
        containers: [
          {
            name: "api",
            init: false,
            image: { ok: false, error: { code: "empty" } },
            policy: null,
            filter: null,
            allowDowngrade: false,
            strategy: null,
            apply: null,
          },
        ],
        problems: [
          {
            annotation: null,
            value: "",
            message: 'image "" of container api: not an image reference: an image is expected, for example nginx:1.27',
          },
        ],
      },
    ]);
  });
});
