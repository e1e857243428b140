import { describe, expect, it } from "vitest";
import { showsDesiredImages } from "#domain/update/decide/observed-changes";
import type { WorkloadRecord } from "#domain/update/state/workload";
import type { ImageChange } from "#domain/workload/patch";
import type { LiveWorkload } from "#domain/workload/workload";
import {
  aChange,
  aContainer,
  aLive,
  aLiveContainer,
  anEnded,
  annotated,
  anObserved,
  aPatched,
  api,
  aPatching,
  aReleased,
  at,
  digest,
  image,
  noon,
} from "../builders.ts";
import { forward, restartChange, sideLive, sideChange } from "./planning.ts";
import { side } from "./proposing.ts";

describe("a released update", () => {
  it("is written with every guard after its intent is stored", () => {
    const plan = forward(aReleased(), aLive({ labels: { "lookout.dev/update": "old-9" } }));

    expect(plan).toStrictEqual({
      kind: "patch",
      patch: {
        workload: api,
        uid: "uid-1",
        generation: 7,
        existingMaps: { labels: true, annotations: true, templateAnnotations: true, templateLabels: true },
        images: [{ list: "containers", name: "app", index: 0, from: image("1.0.0"), to: image("1.1.0", "1") }],
        updateLabel: { from: "old-9", to: "abc123-1" },
        annotations: {
          "lookout.dev/status.last-update": "2026-03-02T12:00:00.000Z",
          "lookout.dev/status.previous-image": `app=${image("1.0.0")}`,
          "lookout.dev/status.current-image": `app=${image("1.1.0", "1")}`,
          "lookout.dev/status.update-count": "1",
        },
      },
      intent: {
        changes: { active: aPatching() },
        transitions: [{ seq: 1, what: "patching", reasons: [], changes: [aChange()] }],
      },
      isStored: false,
    });
  });

  it("is written under the same intent if one is stored, which a run may store again", () => {
    expect(forward(aPatching(), aLive())).toMatchObject({
      intent: {
        changes: { active: aPatching() },
        transitions: [{ seq: 1, what: "waiting", reasons: [], changes: [aChange()] }],
      },
      isStored: true,
    });
  });

  it("writes every container at its place of the read", () => {
    const live = aLive({ containers: [{ ...sideLive, index: 0 }, aLiveContainer({ index: 1 })] });
    const plan = forward(aReleased({ changes: [aChange(), sideChange] }), live);

    expect(plan.kind === "patch" && plan.patch.images.map(({ name, index, to }) => [name, index, to])).toEqual([
      ["app", 1, image("1.1.0", "1")],
      ["side", 0, "registry.test/shop/side:4.1.0"],
    ]);
  });

  it.each(["StatefulSet", "DaemonSet", "CronJob"] as const)(
    "guards all annotations of a %s, whose generation does not show them",
    (kind) => {
      const annotations = { ...annotated({ policy: "semver", suspend: "false" }), team: "shop" };
      const live = aLive({ workload: { ...api, kind }, annotations });
      const plan = forward(aReleased(), live, {
        workload: live.workload,
        observed: anObserved({ annotations: annotated({ policy: "semver", suspend: "false" }) }),
      });

      expect(plan.kind === "patch" && plan.patch.unchangedAnnotations).toEqual(annotations);
    },
  );

  it("leaves the annotations of a Deployment to its generation", () => {
    const plan = forward(aReleased(), aLive());

    expect(plan.kind === "patch" && plan.patch).not.toHaveProperty("unchangedAnnotations");
  });
});

describe("a restart", () => {
  it("replaces restartedAt, and writes no image", () => {
    const plan = forward(aReleased({ changes: [restartChange] }), aLive({ restartedAt: "before" }));

    expect(plan).toMatchObject({
      kind: "patch",
      patch: { images: [], restart: { from: "before", to: "2026-03-02T12:00:00.000Z" } },
      intent: {
        changes: { active: { status: "patching", restart: { from: "before", to: "2026-03-02T12:00:00.000Z" } } },
      },
      isStored: false,
    });
  });

  it("keeps its stored text, and stores a new text after another restart", () => {
    const active = aPatching({
      changes: [restartChange],
      restart: { from: "before", to: "ours" },
    });

    expect(forward(active, aLive({ restartedAt: "before" }))).toMatchObject({
      patch: { restart: { from: "before", to: "ours" } },
    });
    expect(forward(active, aLive({ restartedAt: "before" }))).toMatchObject({ isStored: true });
    expect(forward(active, aLive({ restartedAt: "another" }))).toMatchObject({
      intent: { changes: { active: { restart: { from: "another", to: "ours" } } } },
      isStored: false,
    });
    expect(forward(active, aLive())).toMatchObject({ intent: { changes: { active: { restart: { to: "ours" } } } } });
  });

  it("is written together with another container's image", () => {
    const plan = forward(
      aReleased({ changes: [restartChange, sideChange] }),
      aLive({ containers: [aLiveContainer(), sideLive] }),
    );

    expect(plan).toMatchObject({
      patch: { images: [{ name: "side" }], restart: { from: undefined, to: "2026-03-02T12:00:00.000Z" } },
    });
  });

  it("has landed only with its own text", () => {
    const active = aPatching({
      changes: [restartChange],
      restart: { from: "before", to: "ours" },
    });
    const shows = (restartedAt: string) => {
      const plan = forward(active, aPatched(image("1.0.0"), { restartedAt }));
      return plan.kind === "store" ? plan.record.transitions[0]?.what : plan.kind;
    };

    expect(shows("ours")).toBe("patched");
    expect(shows("before")).toBe("reverted");
    expect(shows("later")).toBe("superseded");
  });
});

describe("an update after a read of the object", () => {
  const sent = aPatching();
  const store = (live: LiveWorkload, given: Partial<WorkloadRecord> = {}) => {
    const plan = forward(sent, live, given);
    return plan.kind === "store" ? plan.record : undefined;
  };

  it("has landed when label and images are Lookout's, and its deadline starts", () => {
    const annotations = annotated({ "rollback-timeout": "3m" });
    const record = store(aPatched(), { observed: anObserved({ annotations }) });

    expect(record).toMatchObject({
      active: { ...sent, status: "rolling-out", patchedAt: noon, progress: { deadlineAt: at("2026-03-02T12:03:00Z") } },
      transitions: [{ seq: 1, what: "patched", reasons: [] }],
      effects: { dueAt: at("2026-03-02T12:04:00Z") },
    });
  });

  it("was reverted by a user when the label is Lookout's and the images are the previous images", () => {
    const record = store(aPatched(image("1.0.0"), { lastWriter: { manager: "kubectl", at: noon } }));

    expect(record).toMatchObject({
      hold: { seq: 1, at: noon, detail: "reverted by kubectl at 2026-03-02T12:00:00.000Z" },
      last: {
        status: "reverted",
        reason: "reverted-by-user",
        detail: "reverted by kubectl at 2026-03-02T12:00:00.000Z",
      },
      transitions: [{ seq: 1, what: "reverted" }],
    });
    expect(record).not.toHaveProperty("active");
  });

  it("is held when a user reverted the update before it, just before the patch", () => {
    const landed = anEnded({ seq: 0, changes: [aChange({ from: image("0.9.0"), to: image("1.0.0") })] });
    const live = aPatched(image("0.9.0"), { labels: { "lookout.dev/update": "abc123-0" } });

    expect(store(live, { landed })).toMatchObject({
      hold: { reason: "reverted-by-user", seq: 0 },
      last: { seq: 1, status: "superseded", reason: "changed-by-hand", detail: `app: ${image("0.9.0")}` },
      blocked: [],
    });
    expect(store(live, { landed })).not.toHaveProperty("landed");
  });

  it.each([
    { changes: [aChange({ from: image("0.9.0") })] },
    { changes: [aChange(), { ...sideChange, from: "registry.test/shop/side:3.9.0" }] },
  ])("is superseded if it would replace another image than the present one", ({ changes }) => {
    const containers = [aContainer(), side];
    const live = aLive({ containers: [aLiveContainer(), sideLive] });
    const plan = forward(aReleased({ changes }), live, { observed: anObserved({ containers }) });

    expect(plan).toMatchObject({
      kind: "store",
      record: { last: { seq: 1, status: "superseded" }, needsEvaluation: true },
    });
  });

  it("ends when a user set another image after the patch, and its digest is blocked", () => {
    const record = store(aPatched(image("3.0.0")));

    expect(record).toMatchObject({
      last: { status: "superseded", reason: "changed-by-hand", detail: `app: ${image("3.0.0")}` },
      blocked: [{ digest: digest("1"), reason: "changed-by-hand" }],
      needsEvaluation: true,
    });
  });

  it.each([
    {
      live: aLive({ containers: [aLiveContainer({ image: image("3.0.0") })] }),
      reason: "changed-by-hand",
      because: "someone set another image",
    },
    {
      live: aLive({ containers: [aLiveContainer({ image: image("1.1.0", "1") })] }),
      reason: "already-runs",
      because: "someone set the very image",
    },
    {
      live: aLive({ containers: [aLiveContainer({ name: "other" })] }),
      reason: "container-gone",
      because: "the container is gone",
    },
    { live: aLive({ controller: "Rollout/api" }), reason: "changed-by-hand", because: "a controller owns it now" },
    { live: aLive({ uid: "uid-2" }), reason: "object-recreated", because: "it is another object" },
  ])("is superseded without a patch when $because", ({ live, reason }) => {
    expect(store(live)).toMatchObject({ last: { seq: 1, status: "superseded", reason }, needsEvaluation: true });
  });

  it("blocks the image that a user replaced, and nothing if the image is still there", () => {
    const moved = aLive({ containers: [aLiveContainer({ image: image("0.9.0") })] });

    expect(store(moved)?.blocked.map(({ tag, reason }) => [tag, reason])).toEqual([["1.0.0", "changed-by-hand"]]);
    expect(store(aLive({ controller: "Rollout/api" }))?.blocked).toEqual([]);
    expect(store(aLive({ uid: "uid-2" }))?.blocked).toEqual([]);
  });

  it("is held when the annotations changed, and is evaluated again", () => {
    const live = aLive({ annotations: annotated({ "semver-range": "<1.1" }) });

    expect(store(live)).toMatchObject({
      pending: { seq: 1, status: "held", waits: [{ reason: "settings-changed" }] },
      observed: { annotations: live.annotations },
      needsEvaluation: true,
      transitions: [{ seq: 1, what: "held", reasons: [{ reason: "settings-changed" }] }],
    });
  });

  it.each([
    {
      because: "a declared source put its mark on it",
      live: aLive({ labels: { "kustomize.toolkit.fluxcd.io/name": "apps" } }),
    },
    {
      because: "another program owns the image now",
      live: aLive({
        containers: [aLiveContainer({ imageOwner: { manager: "argocd-controller", operation: "Apply" } })],
      }),
    },
  ])("is held when $because, and its gates are asked again", ({ live }) => {
    expect(store(live)).toMatchObject({
      pending: { seq: 1, waits: [{ reason: "settings-changed" }] },
      needsEvaluation: true,
    });
  });

  it("is held when another program owns the image of its own container", () => {
    const imageOwner = { manager: "argocd-controller", operation: "Apply" } as const;
    const containers = [aContainer(), side];
    const live = aLive({ containers: [aLiveContainer(), { ...sideLive, imageOwner }] });
    const kindOf = (change: ImageChange) =>
      forward(aReleased({ changes: [change] }), live, { observed: anObserved({ containers }) }).kind;

    expect([kindOf(sideChange), kindOf(aChange())]).toEqual(["store", "patch"]);
  });

  it("ignores other fields that users write", () => {
    expect(
      forward(
        sent,
        aLive({
          generation: 99,
          annotations: { "lookout.dev/enabled": "true", team: "shop", "lookout.dev/status.last-update": "x" },
        }),
      ).kind,
    ).toBe("patch");
  });
});

describe("an active update", () => {
  it("is desired in all of its containers, or not shown", () => {
    const active = aReleased({ changes: [aChange(), sideChange] });
    const shown = (app: string, side: string) =>
      aLive({ containers: [aLiveContainer({ image: app }), { ...sideLive, image: side }] });

    expect(showsDesiredImages(active, shown(aChange().to, sideChange.to))).toBe(true);
    expect(showsDesiredImages(active, shown(aChange().to, sideChange.from))).toBe(false);
  });
});
