import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { askGates, closedGates, gates, type GateQuestion } from "#domain/gates/index";
import { reasons } from "#domain/shared/reasons";
import { seconds } from "#domain/shared/time";
import type { WorkloadRecord } from "#domain/update/state/workload";
import {
  aChange,
  aContainer,
  annotated,
  anObserved,
  aRecord,
  aReleased,
  at,
  digest,
  image,
  noon,
  openFacts,
  settingsOf,
  tenPast,
} from "../builders.ts";

const ask = (given: Partial<GateQuestion & { readonly record: WorkloadRecord }> = {}) => {
  const record = given.record ?? aRecord();
  return askGates({
    // A Monday. A gate that is open at this instant needs another one in its row.
    now: noon,
    record,
    settings: settingsOf(record),
    seq: 1,
    changes: [aChange()],
    facts: openFacts,
    ...given,
  });
};
const closed = (given: Parameters<typeof ask>[0] = {}) => closedGates(ask(given));
const withAnnotations = (settings: Record<string, string>) =>
  aRecord({ observed: anObserved({ annotations: annotated(settings) }) });
const hold = { reason: "reverted-by-user", at: noon, seq: 3, detail: "reverted by kubectl" } as const;
const argo = { manager: "argocd-controller", operation: "Apply" } as const;

describe("the gates", () => {
  it("are all open for a plain workload, and answer in the order of their list", () => {
    expect(ask()).toEqual(gates.map((gate) => ({ gate, kind: "open" })));
  });

  it.each([
    {
      record: withAnnotations({ apply: "x" }),
      closes: ["problem-in-settings"],
      because: "an annotation can't be understood",
    },
    { record: withAnnotations({ interval: "5m" }), closes: [], because: "a notice closes nothing" },
    { record: withAnnotations({ suspend: "true" }), closes: ["suspended"], because: "a person suspended it" },
    { record: aRecord({ hold }), closes: ["reverted-by-user"], because: "a person took an update back" },
    {
      record: aRecord({ observed: anObserved({ containers: [aContainer({ imageOwner: argo })] }) }),
      closes: ["declared-source-owns-the-image"],
      because: "Argo CD owns the image",
    },
    {
      record: aRecord({ observed: anObserved({ controller: "Rollout/api" }) }),
      closes: ["owned-by-a-controller"],
      because: "a controller owns the object",
    },
    {
      record: aRecord({ observed: anObserved({ paused: true }) }),
      closes: ["workload-paused"],
      because: "the Deployment is paused",
    },
    {
      record: withAnnotations({ "maintenance-window": "22:00-23:00" }),
      closes: ["window-closed"],
      because: "the window is closed at noon",
    },
    {
      record: withAnnotations({ "maintenance-window": "11:00-13:00" }),
      closes: [],
      because: "the window is open at noon",
    },
    {
      record: withAnnotations({ "maintenance-window": "11:00-13:00", "blackout-cron": "30 11 * * * for 1h" }),
      closes: ["blackout-active"],
      because: "a blackout wins over an open window",
    },
    {
      record: withAnnotations({ "blackout-window": "22:00-23:00" }),
      closes: [],
      because: "outside its blackouts a workload without windows is free",
    },
    {
      record: aRecord({ active: aReleased({ seq: 2 }) }),
      closes: ["rollout-in-progress"],
      because: "another update is on its way",
    },
    { record: aRecord({ active: aReleased({ seq: 1 }) }), closes: [], because: "an update does not wait for itself" },
  ])("close for $closes, because $because", ({ record, closes }) => {
    expect(closed({ record }).map(({ reason }) => reason)).toEqual(closes);
  });

  it("are all reported when several are closed, with their details", () => {
    const restored = { imageName: aChange().imageName, digest: digest("1"), tag: "0.9.0", image: image("1.0.0") };
    const record = aRecord({
      hold,
      restored: [{ ...restored, manager: "helm", at: noon, isDoubtful: false }],
      limited: [
        {
          imageName: aChange().imageName,
          digest: digest("1"),
          tag: "0.9.0",
          reason: "pull-limited",
          times: 1,
          until: tenPast,
        },
      ],
      active: aReleased({ seq: 2 }),
      observed: anObserved({
        annotations: annotated({
          suspend: "true",
          "auto-rollback": "x",
          "min-age": "1h",
          "maintenance-window": "22:00-23:00",
          approvals: "2",
        }),
        containers: [aContainer({ imageOwner: argo })],
        controller: "Rollout/api",
        paused: true,
      }),
    });
    const changes = [aChange({ tag: "0.9.0", to: image("0.9.0", "1") })];

    const { slot, ...full } = openFacts;
    const frozen = { scope: { cluster: "prod" }, by: "ops", why: "Christmas", at: noon };
    const quarantined = [{ digest: digest("1"), why: "CVE" }];
    const away = { reason: "cluster-unreachable", detail: "timed out" } as const;
    const nodes = { rule: "require" } as const;
    const checks = { rules: [{ name: "scan", when: "release", namespaces: ["shop"] }], answers: [] } as const;
    const tier = { kind: "unknown", detail: "no such tier" } as const;
    const facts = { ...full, quarantined, freezes: [frozen], away, nodes, tier, checks };
    const approval = { askedAt: noon, bindingHash: "0".repeat(64), approvedBy: [] };
    const answers = ask({ record, changes, approval, facts });

    // The last gate closes only while all others are open, and nobody is asked before the earlier tiers ran it.
    expect(answers.map(({ gate, kind }) => [gate, kind])).toEqual(
      gates.map((gate) => [gate, gate === "observe" || gate === "checks" ? "open" : "closed"]),
    );
    expect(closedGates(answers)).toEqual([
      { reason: "problem-in-settings", detail: 'lookout.dev/auto-rollback "x": expected true or false' },
      { reason: "suspended" },
      { reason: "frozen", detail: "prod: Christmas, by ops" },
      { reason: "quarantined", detail: `${digest("1")}: CVE` },
      { reason: "reverted-by-user", detail: "update 3, reverted by kubectl" },
      {
        reason: "manifest-applied-again",
        detail: "helm restored 1.0.0 at 2026-03-02T12:00:00.000Z; 0.9.0 waits for lookout unblock",
      },
      { reason: "pull-limited", detail: "0.9.0 is tried again at 2026-03-02T12:10:00.000Z", until: tenPast },
      {
        reason: "declared-source-owns-the-image",
        detail:
          "Argo CD (field manager argocd-controller) set the image of container app; if this program is uninstalled: " +
          `kubectl -n shop patch deployment api --type=merge -p '{"metadata":{"managedFields":[{}]}}'`,
      },
      { reason: "owned-by-a-controller", detail: "Rollout/api" },
      { reason: "workload-paused" },
      { reason: "lower-version", detail: `container app: ${image("1.0.0")} to 0.9.0` },
      { reason: "image-too-new", detail: "Lookout has not seen 0.9.0 yet" },
      { reason: "nodes-unknown", detail: "Lookout has not listed the nodes yet" },
      { reason: "needs-approval", detail: "no approval yet; needs 2 more" },
      {
        reason: "window-closed",
        detail: expect.stringContaining("22:00") as string,
        until: at("2026-03-02T22:00:00Z"),
      },
      { reason: "tier-unknown", detail: "no such tier" },
      { reason: "rollout-in-progress", detail: "update 2 is released" },
      { reason: "cluster-unreachable", detail: "timed out" },
      { reason: "cluster-budget" },
    ]);
  });

  it("name the owner of the image if the settings allow it", () => {
    const record = aRecord({
      observed: anObserved({
        annotations: annotated({ "allow-declared-source": "true" }),
        containers: [aContainer({ imageOwner: argo })],
      }),
    });

    expect(ask({ record }).find(({ gate }) => gate === "declared-source")).toEqual({
      gate: "declared-source",
      kind: "open",
      detail:
        "Argo CD (field manager argocd-controller) set the image of container app, allowed by lookout.dev/allow-declared-source",
    });
  });

  it.each([
    { program: "Argo CD", observed: anObserved({ containers: [aContainer({ imageOwner: argo })] }) },
    { program: "Flux", observed: anObserved({ sourceMarks: { "kustomize.toolkit.fluxcd.io/name": "apps" } }) },
  ])("don't hold a restart that $program would not revert, but hold a new image beside it", ({ observed }) => {
    const restart = aChange({ tag: "1.0.0", apply: "restart", to: image("1.0.0") });
    const record = aRecord({ observed });

    expect(closed({ record, changes: [restart] })).toEqual([]);
    expect(closed({ record, changes: [restart, aChange()] })).toMatchObject([
      { reason: "declared-source-owns-the-image" },
    ]);
  });

  describe("without an update, for an image that Argo CD owns", () => {
    const owned = (settings: Record<string, string>, ...containers: readonly ReturnType<typeof aContainer>[]) =>
      aRecord({ observed: anObserved({ annotations: annotated(settings), containers }) });
    const plain = aContainer({ imageOwner: argo, image: image("1.0.0") });
    const restarts = { policy: "digest", apply: "restart" };

    it.each([
      { record: owned(restarts, plain), because: "each update is a restart" },
      { record: owned({ ...restarts, "allow-declared-source": "true" }, plain), because: "a restart needs no leave" },
      {
        record: owned(
          { ...restarts, "container.side.enabled": "false" },
          plain,
          aContainer({ name: "side", image: image("1.0.0") }),
        ),
        because: "the other container is untracked",
      },
    ])("are open, because $because", ({ record }) => {
      expect(ask({ record, changes: [] }).find(({ gate }) => gate === "declared-source")).toEqual({
        gate: "declared-source",
        kind: "open",
        detail:
          "Argo CD (field manager argocd-controller) set the image of container app, and a restart changes no image",
      });
    });

    it.each([
      { record: owned({ policy: "digest" }, plain), because: "the digest is written" },
      { record: owned({ policy: "digest", apply: "tag" }, plain), because: "the settings don't ask for a restart" },
      { record: owned({ policy: "semver", apply: "restart" }, plain), because: "another tag may be selected" },
      {
        record: owned(restarts, aContainer({ imageOwner: argo, image: image("1.0.0", "1") })),
        because: "the image has a digest, which a new digest replaces",
      },
      {
        record: owned(
          { ...restarts, "container.side.apply": "pin" },
          plain,
          aContainer({ name: "side", image: image("1.0.0") }),
        ),
        because: "another container gets a new image",
      },
    ])("are closed, because $because", ({ record }) => {
      expect(closed({ record, changes: [] })).toMatchObject([{ reason: "declared-source-owns-the-image" }]);
    });
  });

  it("name no command that clears the managers of an object that Flux applies", () => {
    const sourceMarks = { "kustomize.toolkit.fluxcd.io/name": "apps" };

    expect(closed({ record: aRecord({ observed: anObserved({ sourceMarks }) }) })).toEqual([
      {
        reason: "declared-source-owns-the-image",
        detail: "Flux applies this object from the Kustomization apps",
      },
    ]);
  });

  it.each([
    { tag: "0.9.0", settings: { "allow-downgrade": "true" }, closes: [], because: "the workload allows it" },
    { tag: "0.9.0", settings: {}, closes: ["lower-version"], because: "0.9.0 is below 1.0.0" },
    { tag: "1.0.0", settings: {}, closes: [], because: "only the digest moved" },
    { tag: "old", settings: { policy: "digest" }, closes: [], because: "the policy compares no versions" },
    { tag: "0.9.0", settings: { policy: "latest" }, closes: [], because: "the policy compares instants" },
    { tag: "0.9.0", settings: { policy: "alphabetical" }, closes: ["lower-version"], because: "it is sorted before" },
  ])("close for $closes on an update from 1.0.0 to $tag, because $because", ({ tag, settings, closes }) => {
    const changes = [aChange({ tag, to: image(tag, "1") })];

    expect(closed({ record: withAnnotations(settings), changes }).map(({ reason }) => reason)).toEqual(closes);
  });

  it("name every window, and the next opening", () => {
    const record = withAnnotations({ "maintenance-window": "22:00-23:00,14:00-15:00" });

    expect(closed({ record })).toEqual([
      {
        reason: "window-closed",
        detail: expect.stringMatching(/22:00.23:00.*, .*14:00.15:00|14:00.15:00.*, .*22:00.23:00/) as string,
        until: at("2026-03-02T14:00:00Z"),
      },
    ]);
  });

  it("name only the blackout, and when an update may start", () => {
    const record = withAnnotations({
      "maintenance-window": "14:00-15:00",
      "blackout-window": "12:00-14:30",
      "blackout-days": "Mon",
    });

    expect(ask({ record }).filter(({ kind }) => kind === "closed")).toEqual([
      {
        gate: "window",
        kind: "closed",
        wait: { reason: "blackout-active", detail: "blackout Mon 12:00–14:30 UTC", until: at("2026-03-02T14:30:00Z") },
      },
    ]);
  });

  it("name every active blackout, and no instant if the window lies within one", () => {
    const record = withAnnotations({
      "maintenance-window": "12:00-13:00",
      "blackout-window": "11:00-14:00,10:00-12:30",
    });

    expect(closed({ record })).toStrictEqual([
      {
        reason: "blackout-active",
        detail: "blackout every day 11:00–14:00 UTC, blackout every day 10:00–12:30 UTC",
      },
    ]);
  });

  it("show when an open window closes", () => {
    const record = withAnnotations({ "maintenance-window": "11:00-13:00" });

    expect(ask({ record }).find(({ gate }) => gate === "window")).toEqual({
      gate: "window",
      kind: "open",
      detail: expect.stringMatching(/11:00.13:00.*, until 2026-03-02T13:00:00.000Z$/) as string,
    });
  });

  it("show no end of a window that never closes", () => {
    const record = withAnnotations({ "maintenance-window": "00:00-24:00" });

    expect(ask({ record }).find(({ gate }) => gate === "window")).toEqual({
      gate: "window",
      kind: "open",
      detail: "every day 00:00–24:00 UTC",
    });
  });

  it("do not hold a started update because of failed syncs or a full budget", () => {
    const { slot, ...full } = openFacts;
    const facts = { ...full, away: { reason: "cluster-unreachable", detail: "timed out" } } as const;

    expect(slot).toBe(0);
    expect(closed({ record: aRecord({ active: aReleased({ seq: 1 }) }), facts })).toEqual([]);
    expect(closed({ record: aRecord(), facts })).toEqual([
      { reason: "cluster-unreachable", detail: "timed out" },
      { reason: "cluster-budget" },
    ]);
  });
});

describe("any closed gate", () => {
  const record = fc.record({
    settings: fc.dictionary(
      fc.constantFrom("suspend", "apply", "maintenance-window", "allow-declared-source", "rollback-timeout"),
      fc.constantFrom("true", "false", "", "10m", "22:00-23:00", "11:00-13:00", "x"),
    ),
    hold: fc.option(fc.constant(hold), { nil: undefined }),
    controller: fc.option(fc.constant("Rollout/api"), { nil: undefined }),
    manager: fc.constantFrom("argocd-controller", "kubectl", "keel", "helm-controller"),
    activeSeq: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
  });
  const built = record.map(({ settings, hold: held, controller, manager, activeSeq }) =>
    aRecord({
      ...(held === undefined ? {} : { hold: held }),
      ...(activeSeq === undefined ? {} : { active: aReleased({ seq: activeSeq }) }),
      observed: anObserved({
        annotations: annotated(settings),
        containers: [aContainer({ imageOwner: { manager, operation: "Update" } })],
        ...(controller === undefined ? {} : { controller }),
      }),
    }),
  );

  it("has a reason with a sentence, and perhaps a later end", () => {
    fc.assert(
      fc.property(built, (some) => {
        for (const wait of closed({ record: some })) {
          expect(reasons[wait.reason].sentence).not.toBe("");
          expect(wait.until === undefined || wait.until > noon).toBe(true);
        }
      }),
    );
  });

  it("answers the same when it is asked again", () => {
    fc.assert(
      fc.property(built, (some) => {
        expect(closed({ record: some })).toEqual(closed({ record: some }));
      }),
    );
  });
});

describe("the opening of a window", () => {
  const opening = at("2026-03-02T22:00:00Z");
  const until = (uid: string) =>
    closed({
      record: { ...withAnnotations({ "maintenance-window": "22:00-23:00" }), uid },
      facts: { ...openFacts, windowSpread: seconds(30) },
    })[0]?.until ?? 0;

  it("is spread by the workload's uid, never early and always the same", () => {
    fc.assert(
      fc.property(fc.uuid(), (uid) => {
        expect(until(uid)).toBeGreaterThanOrEqual(opening);
        expect(until(uid)).toBeLessThan(opening + 30_000);
        expect(until(uid)).toBe(until(uid));
      }),
    );
  });

  it("differs between most workloads", () => {
    const offsets = Array.from(
      { length: 100 },
      (_, index) => until(`0f8fad5b-d9cb-469f-a165-7086728${String(index)}`) - opening,
    );

    expect(Math.min(...offsets)).toBeLessThan(5_000);
    expect(Math.max(...offsets)).toBeGreaterThan(25_000);
  });
});
