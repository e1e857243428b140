import { describe, expect, it } from "vitest";
import type { AnnotationPatch, WorkloadPatch } from "#domain/workload/patch";
import { kindSpecs, type WorkloadKind } from "#domain/workload/kinds";
import { updateLabelKey, type LiveWorkload } from "#domain/workload/workload";
import {
  type ClusterBed,
  make,
  patchOf,
  type RawObject,
  readLive,
  signal,
  update,
  untilHealth,
} from "./cluster-bed.ts";

const one = "registry.test/shop/app:1.0.0";
const two = "registry.test/shop/app:1.1.0";
const kinds: readonly WorkloadKind[] = ["Deployment", "StatefulSet", "DaemonSet", "CronJob"];
const restartedAt = "2026-11-21T12:00:00Z";

/** What reads and guarded writes promise. */
export function clusterWritesContract(bed: () => ClusterBed): void {
  describe("a read", () => {
    it("shows both lists of containers, the labels and the annotations", async () => {
      const workload = await make(bed(), "Deployment", one, {
        labels: { team: "shop" },
        annotations: { "lookout.dev/enabled": "true" },
        containers: [{ name: "proxy", image: "registry.test/proxy:2" }],
        initContainers: [{ name: "migrate", image: "registry.test/migrate:3" }],
      });

      const live = await readLive(bed(), workload);

      expect({
        ...live,
        containers: live.containers.map(({ imageOwner: _, ...container }) => container),
      }).toMatchObject({
        workload,
        labels: { team: "shop" },
        annotations: { "lookout.dev/enabled": "true" },
        existingMaps: { labels: true, annotations: true, templateAnnotations: false, templateLabels: true },
        containers: [
          { list: "containers", index: 0, name: "app", image: one },
          { list: "containers", index: 1, name: "proxy", image: "registry.test/proxy:2" },
          { list: "initContainers", index: 0, name: "migrate", image: "registry.test/migrate:3" },
        ],
      });
    });

    it("finds nothing under an unknown name", async () => {
      const workload = { cluster: bed().name, namespace: "default", kind: "Deployment", name: "nobody" } as const;

      expect(await bed().cluster.read(workload, signal)).toEqual({ kind: "gone" });
      expect(await bed().cluster.health(workload, 0, signal)).toEqual({ kind: "gone" });
    });

    it("names Lookout as the owner of an image that it wrote", async () => {
      const workload = await make(bed(), "Deployment", one);

      const live = await update(bed(), workload, two, "abcdef-1");

      expect(live.containers[0]).toMatchObject({ image: two, imageOwner: { manager: "lookout", operation: "Update" } });
      expect(live.lastWriter?.manager).toBe("lookout");
    });
  });

  describe("a patch of one annotation", () => {
    const key = "lookout.dev/status.available-update";
    const annotationOf = ({ workload, uid, generation, existingMaps, annotations }: LiveWorkload, to?: string) =>
      ({
        ...{ workload, uid, generation, key, to },
        hasAnnotations: existingMaps.annotations,
        from: annotations[key],
      }) satisfies AnnotationPatch;

    it.each(kinds)("changes nothing else of a %s, and is not written twice", async (kind) => {
      const workload = await make(bed(), kind, one, { annotations: { note: "kept" } });
      const { generation: _, ...before } = await bed().raw(workload);
      const patch = annotationOf(await readLive(bed(), workload), "app=1.1.0");

      expect(await bed().cluster.patchAnnotation(patch, signal)).toMatchObject({ kind: "written" });
      expect(await bed().cluster.patchAnnotation(patch, signal)).toEqual({ kind: "read-again" });

      const { generation: __, ...after } = await bed().raw(workload);
      expect(after).toEqual({ ...before, annotations: { ...before.annotations, [key]: "app=1.1.0" } });
      const removal = annotationOf(await readLive(bed(), workload));
      expect(await bed().cluster.patchAnnotation(removal, signal)).toMatchObject({ kind: "written" });
      const { generation: ___, ...last } = await bed().raw(workload);
      expect(last).toEqual(before);
    });

    it("creates the first annotation of an object, and changes no other object", async () => {
      const workload = await make(bed(), "StatefulSet", one);
      const live = await readLive(bed(), workload);
      const before = (await bed().raw(workload)).annotations;

      const foreign = { ...annotationOf(live, "x"), uid: "00000000-0000-0000-0000-000000000000" };
      expect(await bed().cluster.patchAnnotation(foreign, signal)).toEqual({ kind: "read-again" });
      expect(await bed().cluster.patchAnnotation(annotationOf(live, "x"), signal)).toMatchObject({ kind: "written" });
      expect((await bed().raw(workload)).annotations).toEqual({ ...before, [key]: "x" });
    });
  });

  describe("a patch", () => {
    it.each(kinds)("writes image and label of a %s in one generation, and nothing else", async (kind) => {
      const workload = await make(bed(), kind, one, { annotations: { note: "kept" } });
      const before = await bed().raw(workload);

      const live = await update(bed(), workload, two, "abcdef-1");

      const after = await bed().raw(workload);
      expect(live).toMatchObject({ labels: { [updateLabelKey]: "abcdef-1" }, containers: [{ image: two }] });
      expect(after.generation).toBe(before.generation + 1);
      expect({ ...after, generation: 0 }).toEqual({
        ...before,
        generation: 0,
        labels: { ...before.labels, [updateLabelKey]: "abcdef-1" },
        spec: JSON.parse(JSON.stringify(before.spec).replace(one, two)) as RawObject["spec"],
      });
    });

    it.each(kinds)("writes the image of a volume of a %s, and nothing else", async (kind) => {
      const from = "registry.test/shop/models:1.0.0";
      const to = "registry.test/shop/models:1.1.0";
      const models = { name: "models", image: { reference: from, pullPolicy: "IfNotPresent" } };
      const volumes = [{ name: "data", emptyDir: {} }, models];
      const workload = await make(bed(), kind, one, { volumes });
      const before = await bed().raw(workload);
      const live = await readLive(bed(), workload);
      const patch = patchOf(live, { "volume.models": to }, "abcdef-1");

      expect(live.containers[1]).toMatchObject({
        list: "volumes",
        index: 1,
        name: "volume.models",
        image: from,
        pullPolicy: "IfNotPresent",
      });
      for (const part of [{ from: to }, { index: 0 }, { index: 7 }, { name: "volume.other" }]) {
        const images = patch.images.map((image) => ({ ...image, ...part }));
        expect(await bed().cluster.patch({ ...patch, images }, signal)).toEqual({ kind: "read-again" });
      }
      const outcome = await bed().cluster.patch(patch, signal);

      const after = await bed().raw(workload);
      expect(after.spec).toEqual(JSON.parse(JSON.stringify(before.spec).replace(from, to)));
      expect(outcome.kind === "written" && outcome.live.containers[1]).toMatchObject({
        image: to,
        imageOwner: { manager: "lookout", operation: "Update" },
      });
    });

    it("removes an annotation if the object has it", async () => {
      const key = "lookout.dev/status.available-update";
      const given = { note: "kept", [key]: "1.1.0" };
      const live = await readLive(bed(), await make(bed(), "StatefulSet", one, { annotations: given }));
      const annotations = { [key]: undefined };
      const patch = patchOf(live, {}, "abcdef-1", { annotations });

      expect(await bed().cluster.patch(patch, signal)).toMatchObject({ kind: "written" });
      const after = await readLive(bed(), live.workload);
      expect(after.annotations).toEqual(omit(live.annotations, key));
      const again = patchOf(after, {}, "abcdef-2", { annotations });
      expect(await bed().cluster.patch(again, signal)).toEqual({ kind: "read-again" });
    });

    it("adds a missing map of labels, annotations and template annotations", async () => {
      const workload = await make(bed(), "CronJob", one);
      const live = await readLive(bed(), workload);
      const annotations = { "lookout.dev/status.phase": "rolling-out", "lookout.dev/status.note": "a/b~c" };
      const restart = { from: undefined, to: restartedAt };

      const outcome = await bed().cluster.patch(
        patchOf(live, {}, "abcdef-1", { annotations, restart, existingMaps: { ...live.existingMaps } }),
        signal,
      );

      expect(outcome).toMatchObject({
        kind: "written",
        live: { annotations, restartedAt, labels: { [updateLabelKey]: "abcdef-1" } },
      });
    });

    it("changes the labels of the pods that show attributes, and no other label", async () => {
      const workload = await make(bed(), "Deployment", one);
      const first = await readLive(bed(), workload);
      const to = { version: "1.1.0", pr: "12" };
      const written = await bed().cluster.patch(
        patchOf(first, { app: two }, "abcdef-1", { attributeLabels: { from: {}, to } }),
        signal,
      );
      const live = await readLive(bed(), workload);
      const wrong = await bed().cluster.patch(
        patchOf(live, {}, "abcdef-2", { attributeLabels: { from: { ...to, version: "1.0.0" }, to: {} } }),
        signal,
      );
      const next = await bed().cluster.patch(
        patchOf(live, {}, "abcdef-2", { attributeLabels: { from: to, to: { version: "1.2.0" } } }),
        signal,
      );

      expect([first.attributeLabels, written.kind, live.attributeLabels]).toEqual([undefined, "written", to]);
      expect(wrong).toEqual({ kind: "read-again" });
      expect(next.kind === "written" && next.live.attributeLabels).toEqual({ version: "1.2.0" });
    });

    it("writes several containers of both lists at once", async () => {
      const workload = await make(bed(), "DaemonSet", one, {
        containers: [{ name: "proxy", image: one }],
        initContainers: [{ name: "migrate", image: one }],
      });
      const live = await readLive(bed(), workload);

      const outcome = await bed().cluster.patch(patchOf(live, { proxy: two, migrate: two }, "abcdef-1"), signal);

      expect(outcome.kind === "written" && outcome.live.containers.map(({ name, image }) => [name, image])).toEqual([
        ["app", one],
        ["proxy", two],
        ["migrate", two],
      ]);
    });

    it("is refused by its own guards when it is sent twice", async () => {
      const workload = await make(bed(), "StatefulSet", one);
      const patch = patchOf(await readLive(bed(), workload), { app: two }, "abcdef-1");
      await bed().cluster.patch(patch, signal);
      const once = await bed().raw(workload);

      expect(await bed().cluster.patch(patch, signal)).toEqual({ kind: "read-again" });
      expect(await bed().raw(workload)).toEqual(once);
    });

    it("reports a deleted object", async () => {
      const workload = await make(bed(), "Deployment", one);
      const patch = patchOf(await readLive(bed(), workload), { app: two }, "abcdef-1");
      await bed().remove(workload);

      expect(await bed().cluster.patch(patch, signal)).toEqual({ kind: "gone" });
    });

    it("restarts, and reverts the restart", async () => {
      const workload = await make(bed(), "Deployment", one, { template: { annotations: { other: "kept" } } });
      const live = await readLive(bed(), workload);
      const there = await bed().cluster.patch(
        patchOf(live, {}, "abcdef-1", { restart: { from: undefined, to: restartedAt } }),
        signal,
      );
      if (there.kind !== "written") throw new Error(there.kind);

      const again = await readLive(bed(), workload);
      const back = await bed().cluster.patch(
        patchOf(again, {}, "abcdef-1-back", { restart: { from: restartedAt, to: undefined } }),
        signal,
      );

      expect(there.live.restartedAt).toBe(restartedAt);
      expect(back.kind === "written" && [back.live.restartedAt, back.live.existingMaps.templateAnnotations]).toEqual([
        undefined,
        true,
      ]);
    });
  });

  guards(bed);

  describe("an image that a user sets", () => {
    it("keeps the label and names the user's tool", async () => {
      const workload = await make(bed(), "DaemonSet", one);
      await update(bed(), workload, two, "abcdef-1");
      await bed().setImage(workload, "app", "registry.test/shop/app:2.0.0");

      const live = await readLive(bed(), workload);

      expect(live).toMatchObject({
        labels: { [updateLabelKey]: "abcdef-1" },
        containers: [
          { image: "registry.test/shop/app:2.0.0", imageOwner: { manager: "kubectl-set", operation: "Update" } },
        ],
        lastWriter: { manager: "kubectl-set" },
      });
    });

    it("is the user's even if Lookout wrote the same image before", async () => {
      const workload = await make(bed(), "Deployment", one);
      await update(bed(), workload, two, "abcdef-1");
      await bed().setImage(workload, "app", two);
      const same = await readLive(bed(), workload);
      await bed().setImage(workload, "app", one);
      await bed().setImage(workload, "app", two);

      const again = await readLive(bed(), workload);

      expect([same, again].map(({ labels, containers }) => [labels[updateLabelKey], containers[0]])).toMatchObject([
        ["abcdef-1", { image: two, imageOwner: { manager: "lookout" } }],
        ["abcdef-1", { image: two, imageOwner: { manager: "kubectl-set" } }],
      ]);
    });
  });

  describe("a user's rollback", () => {
    it("keeps the label and restores the Deployment's annotations", async () => {
      const workload = await make(bed(), "Deployment", one, { annotations: { note: "old" } });
      await untilHealth(bed(), workload, "healthy");
      await update(bed(), workload, two, "abcdef-1");
      await untilHealth(bed(), workload, "healthy");
      await bed().annotate(workload, { note: "new", "lookout.dev/suspend": "true" });
      await bed().undo(workload);

      const live = await readLive(bed(), workload);

      expect(live.containers[0]?.image).toBe(one);
      expect(live.labels[updateLabelKey]).toBe("abcdef-1");
      expect([live.annotations.note, live.annotations["lookout.dev/suspend"]]).toEqual(["old", undefined]);
      expect(live.lastWriter?.manager).toBe("kubectl");
    });
  });
}

interface Guard {
  readonly because: string;
  readonly spoil: (patch: WorkloadPatch, live: LiveWorkload) => WorkloadPatch;
}

/** Returns the annotations that a patch tests, as the plan of an update does. */
const whole = ({ workload: { kind }, annotations }: LiveWorkload): Partial<WorkloadPatch> =>
  kindSpecs[kind].annotationsRaiseGeneration ? {} : { unchangedAnnotations: annotations };

const spoiled =
  (part: Partial<WorkloadPatch["images"][number]>): Guard["spoil"] =>
  (patch) => ({
    ...patch,
    images: patch.images.map((image) => ({ ...image, ...part })),
  });

const guardTable: readonly Guard[] = [
  { because: "the uid is another's", spoil: (patch) => ({ ...patch, uid: "00000000-0000-0000-0000-000000000000" }) },
  { because: "the generation moved on", spoil: (patch) => ({ ...patch, generation: patch.generation + 1 }) },
  { because: "the container has another name", spoil: spoiled({ name: "other" }) },
  { because: "the container is not at its place", spoil: spoiled({ index: 7 }) },
  { because: "the image is another", spoil: spoiled({ from: "registry.test/shop/app:0.9.0" }) },
  {
    because: "the label is another",
    spoil: (patch) => ({ ...patch, updateLabel: { from: "abcdef-0", to: "abcdef-1" } }),
  },
  {
    because: "the map of labels was thought missing",
    spoil: (patch) => ({ ...patch, existingMaps: { ...patch.existingMaps, labels: false } }),
  },
  {
    because: "an annotation has another value",
    spoil: (patch) => ({ ...patch, unchangedAnnotations: { ...patch.unchangedAnnotations, note: "other" } }),
  },
  {
    because: "an annotation was added",
    spoil: (patch, { annotations: { note: _, ...others } }) => ({ ...patch, unchangedAnnotations: others }),
  },
  {
    because: "the restart has another text",
    spoil: (patch) => ({ ...patch, restart: { from: "2026-11-20T00:00:00Z", to: restartedAt } }),
  },
];

function guards(bed: () => ClusterBed): void {
  describe("a guard", () => {
    it.each(guardTable)("stops the write when $because", async ({ spoil }) => {
      const workload = await make(bed(), "StatefulSet", one, {
        labels: { team: "shop" },
        annotations: { note: "kept" },
      });
      const live = await readLive(bed(), workload);
      const before = await bed().raw(workload);
      const sound = patchOf(live, { app: two }, "abcdef-1", {
        unchangedAnnotations: live.annotations,
      });

      expect(await bed().cluster.patch(spoil(sound, live), signal)).toEqual({ kind: "read-again" });
      expect(await bed().raw(workload)).toEqual(before);
      expect((await bed().cluster.patch(sound, signal)).kind).toBe("written");
    });

    it.each(kinds)("stops the write when a gate was added to a %s meanwhile", async (kind) => {
      const annotations = { "lookout.dev/semver-range": ">=1 <2 & é\u2028", note: 'two\nlines\t"quoted"' };
      const workload = await make(bed(), kind, one, { annotations });
      const live = await readLive(bed(), workload);
      const patch = patchOf(live, { app: two }, "abcdef-1", whole(live));
      await bed().annotate(workload, { "lookout.dev/container.app.min-age": "3d" });

      expect(await bed().cluster.patch(patch, signal)).toEqual({ kind: "read-again" });

      const again = await readLive(bed(), workload);
      const next = patchOf(again, { app: two }, "abcdef-1", whole(again));
      expect((await bed().cluster.patch(next, signal)).kind).toBe("written");
    });

    it.each(kinds)("stops the write when the first annotation of a %s is a gate", async (kind) => {
      const workload = await make(bed(), kind, one);
      const live = await readLive(bed(), workload);
      const patch = patchOf(live, { app: two }, "abcdef-1", whole(live));
      await bed().annotate(workload, { "lookout.dev/suspend": "true" });

      expect(await bed().cluster.patch(patch, signal)).toEqual({ kind: "read-again" });
    });

    it("allows a label that another writer set meanwhile", async () => {
      const workload = await make(bed(), "Deployment", one, { labels: { team: "shop" } });
      const patch = patchOf(await readLive(bed(), workload), { app: two }, "abcdef-1");
      await bed().label(workload, { team: "other" });

      expect(await bed().cluster.patch(patch, signal)).toMatchObject({
        kind: "written",
        live: { labels: { team: "other", [updateLabelKey]: "abcdef-1" } },
      });
    });

    it("stops the write when a Deployment was annotated meanwhile", async () => {
      const workload = await make(bed(), "Deployment", one, { annotations: { note: "old" } });
      await untilHealth(bed(), workload, "healthy");
      const patch = patchOf(await readLive(bed(), workload), { app: two }, "abcdef-1");
      await bed().annotate(workload, { "lookout.dev/suspend": "true" });

      expect(await bed().cluster.patch(patch, signal)).toEqual({ kind: "read-again" });
    });
  });
}

function omit(map: Readonly<Record<string, string>>, removed: string): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(map).filter(([key]) => key !== removed));
}
