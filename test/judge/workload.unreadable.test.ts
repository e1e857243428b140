import { describe, expect, it } from "vitest";
import { deployment, enabled, parseLines } from "./workload-lines.ts";

describe("the judge of workloads with invalid settings", () => {
  it("closes each invalid gate, and answers its text", async () => {
    const { answers } = await parseLines(
      deployment({
        ...enabled,
        "lookout.dev/suspend": "maybe",
        "lookout.dev/maintenance-window": "25:00-26:00",
        "lookout.dev/blackout-window": "10:00-11:00",
        "lookout.dev/blackout-cron": "daily",
        "lookout.dev/allow-declared-source": "perhaps",
        "lookout.dev/approval-required": "some",
        "lookout.dev/min-age": "soon",
        "lookout.dev/platforms": "amiga",
        "lookout.dev/checks": ",",
        "lookout.dev/tier": "--",
        "lookout.dev/max-severity": "bad",
        "lookout.dev/signed-by": ",",
        "lookout.dev/auto-rollback": "so",
        "lookout.dev/rollback-timeout": "0s",
        "lookout.dev/pull-grace": "2d",
        "lookout.dev/rollback-to": "a b",
      }),
    );

    expect(answers[0]?.["gates"]).toEqual({
      suspended: true,
      windows: [
        { effect: "deny", start: "10:00", end: "11:00", timeZone: "UTC" },
        { unreadable: "25:00-26:00" },
        { unreadable: "daily" },
      ],
      allowDeclaredSource: false,
      together: false,
      approval: { unreadable: "some" },
      minAge: { unreadable: "soon" },
      reapply: null,
      platforms: { unreadable: "amiga" },
      checks: { unreadable: "," },
      tier: { unreadable: "--" },
      tierGroup: null,
      haltOnFailure: null,
      maxSeverity: { unreadable: "bad" },
      signedBy: { unreadable: "," },
      rollback: {
        automatic: { unreadable: "so" },
        timeout: { unreadable: "0s" },
        pullGrace: { unreadable: "2d" },
        to: { unreadable: "a b" },
      },
    });
  });

  it.each([
    [{ "maintenance-window": "22:00-02:00", "maintenance-tz": "Mars" }, { windows: [{ unreadable: "Mars" }] }],
    [{ "maintenance-tz": "UTC" }, { windows: [{ unreadable: "UTC" }] }],
    [{ approvals: "many", "approval-required": "true" }, { approval: { unreadable: "many" } }],
    [{ "approval-deadline": "soon" }, { approval: { unreadable: "soon" } }],
    [
      { "approval-required": "true", "approval-deadline": "soon", "approved-by": "ana", "approved-image": "a b" },
      {
        approval: {
          approvals: 1,
          deadline: { unreadable: "soon" },
          approvedBy: "ana",
          approvedImage: { unreadable: "a b" },
        },
      },
    ],
    [{ "min-age": "0s" }, { minAge: "0s" }],
    [{ "rollback-to": "previous" }, { rollback: { automatic: true, timeout: "10m", pullGrace: "1m", to: "previous" } }],
  ])("answers for %j the gates %j", async (settings, gates) => {
    const annotations = Object.entries(settings).map(([setting, value]) => [`lookout.dev/${setting}`, value] as const);
    const { answers } = await parseLines(deployment({ ...enabled, ...Object.fromEntries(annotations) }));

    expect(answers).toMatchObject([{ gates }]);
  });

  it.each([
    [{ "lookout.dev/enabled": "maybe" }, "lookout.dev/enabled", "expected true or false"],
    [{ "lookout.dev/tag-patern": "^1" }, "lookout.dev/tag-patern", "is not a setting; did you mean tag-pattern?"],
    [
      { "lookout.dev/container.ap1.policy": "digest" },
      "lookout.dev/container.ap1.policy",
      "names no container of this workload; did you mean api?",
    ],
  ])("answers no policy of a container for %j, which may be its own", async (written, annotation, message) => {
    const { answers } = await parseLines(deployment({ ...enabled, ...(written as Record<string, string>) }));

    expect(answers).toMatchObject([
      {
        tracked: true,
        containers: [{ name: "api", image: { ok: true }, policy: null, filter: null, strategy: null, apply: null }],
        problems: [{ annotation, message }],
      },
    ]);
  });

  it("answers a container with an invalid image beside its problem", async () => {
    const digest = `sha256:${"0".repeat(64)}`;
    const containers = [
      { name: "api", image: "nginx:1.27" },
      { name: "bad", image: "Nginx:1" },
      { name: "pinned", image: `nginx@${digest}` },
      { name: "left-out", image: "Nginx:1" },
    ];
    const { answers } = await parseLines(
      deployment(
        { ...enabled, "lookout.dev/container.left-out.enabled": "false" },
        { template: { spec: { containers } } },
      ),
    );

    expect(answers).toMatchObject([
      {
        containers: [
          { name: "api", policy: { kind: "semver" } },
          { name: "bad", image: { ok: false, error: { code: "uppercase" } }, policy: null },
          { name: "pinned", image: { ok: true, tag: null, digest }, policy: null },
        ],
        problems: [{ value: "Nginx:1" }, { value: `nginx@${digest}` }],
      },
    ]);
  });

  it.each(["apply", "strategy", "allow-downgrade", "exclude-tags"])(
    "answers no policy of a container with an invalid %s",
    async (setting) => {
      const { answers } = await parseLines(
        deployment({
          ...enabled,
          "lookout.dev/allow-downgrade": "true",
          [`lookout.dev/container.api.${setting}`]: "[",
        }),
      );

      expect(answers).toMatchObject([
        {
          containers: [{ policy: null, filter: null, strategy: null, apply: null, allowDowngrade: false }],
          problems: [{ annotation: `lookout.dev/container.api.${setting}`, value: "[" }],
        },
      ]);
    },
  );

  it("answers the gates of an object of another kind, which is not updated", async () => {
    const because = "Lookout does not update objects of kind Pod, only Deployment, StatefulSet, DaemonSet, CronJob";
    const pod = (annotations: unknown) => ({ apiVersion: "v1", kind: "Pod", metadata: { name: "api", annotations } });
    const { answers, exitCode } = await parseLines(
      pod({ ...enabled, "lookout.dev/suspend": "maybe", "lookout.dev/container.api.policy": "newest" }),
      pod({ "lookout.dev/enabled": "false" }),
      pod(["enabled"]),
    );

    const without = { ok: true, tracked: false, because, containers: [], problems: [], notices: [] };
    expect(exitCode).toBe(0);
    expect(answers).toEqual([
      {
        ...without,
        gates: expect.objectContaining({ suspended: true, windows: [] }) as object,
        problems: [
          { annotation: "lookout.dev/enabled", value: "true", message: because },
          { annotation: "lookout.dev/suspend", value: "maybe", message: "expected true or false" },
        ],
      },
      { ...without, gates: expect.objectContaining({ suspended: false, windows: [] }) as object },
      { ...without, gates: expect.objectContaining({ suspended: false, windows: [] }) as object },
    ]);
  });
});
