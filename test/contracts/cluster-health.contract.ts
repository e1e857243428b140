import { describe, expect, it } from "vitest";
import type { WorkloadKind } from "#domain/workload/kinds";
import { type ClusterBed, make, readLive, signal, update, untilHealth } from "./cluster-bed.ts";

const one = "registry.test/shop/app:1.0.0";
const two = "registry.test/shop/app:1.1.0";
const broken = "registry.test/shop/app:broken";
const crash = "registry.test/shop/app:crash";
const rolling: readonly WorkloadKind[] = ["Deployment", "StatefulSet", "DaemonSet"];

/** What a look at a rollout promises. */
export function clusterHealthContract(bed: () => ClusterBed): void {
  describe("a rollout", () => {
    it.each(rolling)("of a %s is healthy when all its pods run the new image", async (kind) => {
      const workload = await make(bed(), kind, one);
      await untilHealth(bed(), workload, "healthy");
      const began = bed().now();
      await update(bed(), workload, two, "abcdef-1");
      const first = await bed().cluster.health(workload, 0, signal);

      const healthy = await untilHealth(bed(), workload, "healthy");

      expect(first.kind === "progressing" || bed().now() > began).toBe(true);
      expect(healthy.live.containers[0]?.image).toBe(two);
      expect([healthy.pods, healthy.restarts]).toEqual([kind === "DaemonSet" ? 3 : 2, 0]);
      // Real clusters keep whole seconds, cut off.
      expect(healthy.runningSince).toBeGreaterThanOrEqual(Math.floor(began / 1_000) * 1_000);
      expect(healthy.runningSince).toBeLessThanOrEqual(bed().now());
    });

    it.each(rolling)("of a %s fails when the image can't be pulled", async (kind) => {
      const workload = await make(bed(), kind, one);
      await untilHealth(bed(), workload, "healthy");
      await update(bed(), workload, broken, "abcdef-1");

      const failed = await untilHealth(bed(), workload, "failed");

      expect(failed.detail).toContain(`ImagePullBackOff in container app (${broken}) of pod ${workload.name}-`);
    });

    it.each(rolling)("of a %s fails when its containers exit", async (kind) => {
      const workload = await make(bed(), kind, one);
      await untilHealth(bed(), workload, "healthy");
      await update(bed(), workload, crash, "abcdef-1");

      const failed = await untilHealth(bed(), workload, "failed");

      expect(failed.detail).toContain(`CrashLoopBackOff in container app (${crash}) of pod ${workload.name}-`);
    });

    it.each(["Deployment", "DaemonSet"] as const)("of a %s recovers when its old image is restored", async (kind) => {
      const workload = await make(bed(), kind, one);
      await untilHealth(bed(), workload, "healthy");
      await update(bed(), workload, broken, "abcdef-1");
      await untilHealth(bed(), workload, "failed");

      await update(bed(), workload, one, "abcdef-1-back");

      expect((await untilHealth(bed(), workload, "healthy")).live.containers[0]?.image).toBe(one);
    });

    it("of a Deployment that returns to an image with broken pods does not count those pods", async () => {
      const workload = await make(bed(), "Deployment", broken);
      await untilHealth(bed(), workload, "failed");

      await update(bed(), workload, two, "abcdef-1");

      const seen = new Set<string>();
      for (let look = 0; look < 20 && !seen.has("healthy"); look += 1) {
        seen.add((await bed().cluster.health(workload, 0, signal)).kind);
        await bed().pass();
      }
      expect([...seen].filter((kind) => kind !== "progressing")).toEqual(["healthy"]);
    });
  });

  describe("an ordered StatefulSet", () => {
    it("recovers only when the pods of the failed revision are deleted", async () => {
      const workload = await make(bed(), "StatefulSet", one);
      await untilHealth(bed(), workload, "healthy");
      await update(bed(), workload, broken, "abcdef-1");
      await untilHealth(bed(), workload, "failed");
      await update(bed(), workload, one, "abcdef-1-back");
      for (let look = 0; look < 10; look += 1) await bed().pass();
      const stuck = await bed().cluster.health(workload, 0, signal);

      const deleted = await bed().cluster.deleteFailedPods(workload, [broken], signal);

      expect(stuck).toMatchObject({ kind: "waiting", why: "broken-pod" });
      expect(deleted).toEqual({ kind: "deleted", pods: 1 });
      await untilHealth(bed(), workload, "healthy");
      expect(await bed().cluster.deleteFailedPods(workload, [broken], signal)).toEqual({ kind: "deleted", pods: 0 });
    });

    it("continues with another image only when the broken pods are deleted", async () => {
      const workload = await make(bed(), "StatefulSet", one);
      await untilHealth(bed(), workload, "healthy");
      await bed().setImage(workload, "app", broken);
      await untilHealth(bed(), workload, "failed");
      await update(bed(), workload, two, "abcdef-1");
      const stuck = await untilHealth(bed(), workload, "waiting");

      const deleted = await bed().cluster.deleteFailedPods(workload, [], signal);

      expect(stuck.why).toBe("broken-pod");
      expect(deleted).toEqual({ kind: "deleted", pods: 1 });
      expect((await untilHealth(bed(), workload, "healthy")).live.containers[0]?.image).toBe(two);
    });

    it("with a partition is healthy when the pods of the partition run", async () => {
      const spec = { replicas: 3, updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 2 } } };
      const workload = await make(bed(), "StatefulSet", one, { spec });
      await untilHealth(bed(), workload, "healthy");
      await update(bed(), workload, two, "abcdef-1");

      const healthy = await untilHealth(bed(), workload, "healthy");

      expect([healthy.pods, healthy.live.containers[0]?.image]).toEqual([1, two]);
    });

    it("with a partition above all its pods has no pod to run", async () => {
      const spec = { updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 5 } } };
      const workload = await make(bed(), "StatefulSet", one, { spec });
      await update(bed(), workload, two, "abcdef-1");

      expect((await untilHealth(bed(), workload, "unverifiable")).why).toBe("nothing-to-run");
    });
  });

  waits(bed);
  cronJobs(bed);
}

function waits(bed: () => ClusterBed): void {
  describe("a workload without progress", () => {
    it("is paused until a user resumes it", async () => {
      const workload = await make(bed(), "Deployment", one, { spec: { paused: true } });
      await update(bed(), workload, two, "abcdef-1");
      const paused = await untilHealth(bed(), workload, "waiting");

      await bed().resume(workload);

      expect(paused.why).toBe("paused");
      expect((await untilHealth(bed(), workload, "healthy")).live.containers[0]?.image).toBe(two);
    });

    it.each(["Deployment", "StatefulSet"] as const)("has no pod to run when a %s has no replicas", async (kind) => {
      const workload = await make(bed(), kind, one, { spec: { replicas: 0 } });
      await update(bed(), workload, two, "abcdef-1");

      expect((await untilHealth(bed(), workload, "unverifiable")).why).toBe("nothing-to-run");
    });

    it.each(["StatefulSet", "DaemonSet"] as const)(
      "waits for its pods to be deleted when a %s is OnDelete",
      async (kind) => {
        const workload = await make(bed(), kind, one, { spec: { updateStrategy: { type: "OnDelete" } } });
        await untilHealth(bed(), workload, "healthy");
        await update(bed(), workload, two, "abcdef-1");
        const waiting = await untilHealth(bed(), workload, "waiting");

        await bed().deletePods(workload);

        expect(waiting.why).toBe("on-delete");
        expect((await untilHealth(bed(), workload, "healthy")).live.containers[0]?.image).toBe(two);
      },
    );
  });
}

function cronJobs(bed: () => ClusterBed): void {
  describe("a CronJob", () => {
    it("waits for its next Job, and is healthy when that succeeded", async () => {
      const workload = await make(bed(), "CronJob", one);
      await bed().runJob(workload);
      await untilHealth(bed(), workload, "healthy");
      const since = bed().now();
      await update(bed(), workload, two, "abcdef-1");
      const waiting = await bed().cluster.health(workload, since, signal);
      await bed().runJob(workload);

      const healthy = await untilHealth(bed(), workload, "healthy", since);

      expect(waiting).toMatchObject({ kind: "waiting", why: "next-job" });
      expect(healthy.live.containers[0]?.image).toBe(two);
      expect(healthy.runningSince).toBeGreaterThanOrEqual(Math.floor(since / 1_000) * 1_000);
    });

    it.each([
      ["can't pull its image", broken, "ImagePullBackOff"],
      ["crashes", crash, "CrashLoopBackOff"],
    ])("fails when its Job %s", async (_, image, reason) => {
      const workload = await make(bed(), "CronJob", one);
      const since = bed().now();
      await update(bed(), workload, image, "abcdef-1");
      await bed().runJob(workload);

      expect((await untilHealth(bed(), workload, "failed", since)).detail).toContain(`${reason} in container app`);
    });

    it("is judged by the last Job of its template, of any age, if that is asked", async () => {
      const workload = await make(bed(), "CronJob", one);
      await bed().runJob(workload);
      await untilHealth(bed(), workload, "healthy", "latest");
      await update(bed(), workload, crash, "abcdef-1");
      const waiting = await bed().cluster.health(workload, "latest", signal);
      await bed().runJob(workload);
      await untilHealth(bed(), workload, "failed", "latest");
      await update(bed(), workload, one, "abcdef-2");

      expect(waiting).toMatchObject({ kind: "waiting", why: "next-job" });
      expect((await untilHealth(bed(), workload, "healthy", "latest")).live.containers[0]?.image).toBe(one);
    });

    it("can't be verified while it is suspended", async () => {
      const workload = await make(bed(), "CronJob", one, { spec: suspended });
      const live = await readLive(bed(), workload);

      expect(await bed().cluster.health(workload, bed().now(), signal)).toEqual({
        kind: "unverifiable",
        live,
        why: "cronjob-suspended",
      });
    });
  });
}

const suspended = { suspend: true };
