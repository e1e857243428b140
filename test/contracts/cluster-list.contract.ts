import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { WorkloadHint, WorkloadList } from "#ports/cluster";
import { workloadKey } from "#domain/workload/workload";
import { type ClusterBed, make, readLive, signal, update, untilHealth } from "./cluster-bed.ts";

const digest = `sha256:${"a".repeat(64)}`;
const one = `registry.test/shop/app:1.0.0@${digest}`;
const two = "registry.test/shop/app:1.1.0";

async function list(bed: ClusterBed, since?: string): Promise<Extract<WorkloadList, { kind: "workloads" }>> {
  const answer = await bed.cluster.list(since, signal);
  if (answer.kind !== "workloads") throw new Error(JSON.stringify(answer));
  return answer;
}

const imagesOf = (answer: Extract<WorkloadList, { kind: "workloads" }>): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(answer.live.map(({ workload, containers }) => [workloadKey(workload), containers[0]?.image]));

/** What lists, watches and pods' digests promise. */
export function clusterListContract(bed: () => ClusterBed): void {
  describe("the nodes", () => {
    it("are listed by their names and platforms, with only the requested labels", async () => {
      const read = await bed().cluster.nodes({ labels: ["kubernetes.io/hostname"], names: [] }, signal);

      const nodes = read.kind === "nodes" ? read.nodes : [];
      expect(nodes).toHaveLength(3);
      expect(nodes).toEqual(
        nodes.map(({ name }) => ({
          name,
          os: "linux",
          architecture: "amd64",
          labels: { "kubernetes.io/hostname": name },
          taints: [],
        })),
      );
      expect(new Set(nodes.map(({ name }) => name)).size).toBe(3);
    });
  });

  describe("a list", () => {
    it("shows all kinds at first, then only changed or deleted workloads", async () => {
      const [deployment, set, daemons, cron] = [
        await make(bed(), "Deployment", one),
        await make(bed(), "StatefulSet", one),
        await make(bed(), "DaemonSet", one),
        await make(bed(), "CronJob", one),
      ];
      const keys = [deployment, set, daemons, cron].map(workloadKey);
      for (const workload of [deployment, set, daemons]) await untilHealth(bed(), workload, "healthy");
      const first = await list(bed());
      await update(bed(), cron, two, "abcdef-1");
      await bed().remove(set);

      const second = await list(bed(), first.position);
      const third = await list(bed(), second.position);

      expect(first).toMatchObject({ complete: true, deleted: [] });
      expect(keys.map((key) => imagesOf(first)[key])).toEqual([one, one, one, one]);
      expect(second).toMatchObject({ complete: false, deleted: [set] });
      expect(imagesOf(second)).toEqual({ [workloadKey(cron)]: two });
      expect(third).toMatchObject({ complete: false, live: [], deleted: [] });
    });

    it("of one kind shows only its workloads, of one namespace or of all", async () => {
      const workload = await make(bed(), "StatefulSet", one);
      await make(bed(), "DaemonSet", one);

      const all = await bed().cluster.listKind("StatefulSet", undefined, signal);
      const here = await bed().cluster.listKind("StatefulSet", workload.namespace, signal);
      const elsewhere = await bed().cluster.listKind("StatefulSet", "nowhere", signal);

      for (const answer of [all, here]) {
        const live = answer.kind === "listed" ? answer.live : [];
        expect(new Set(live.map(({ workload: { kind } }) => kind))).toEqual(new Set(["StatefulSet"]));
        expect(
          live.find((listed) => workloadKey(listed.workload) === workloadKey(workload))?.containers[0]?.image,
        ).toBe(one);
      }
      expect(elsewhere).toEqual({ kind: "listed", live: [] });
    });

    it("is complete again when the position is too old", async () => {
      const workload = await make(bed(), "Deployment", one);
      const first = await list(bed());
      // A position that is still the newest is never too old.
      await make(bed(), "Deployment", one);
      await bed().forget();

      const second = await list(bed(), first.position);

      expect(second.complete).toBe(true);
      expect(imagesOf(second)[workloadKey(workload)]).toBe(one);
      expect((await list(bed(), second.position)).complete).toBe(false);
    });

    it("is complete when the position is unknown", async () => {
      expect((await list(bed(), "yesterday")).complete).toBe(true);
    });
  });

  describe("the running images", () => {
    it.each(["Deployment", "StatefulSet", "DaemonSet"] as const)(
      "of a %s are what its new pods report",
      async (kind) => {
        const workload = await make(bed(), kind, one, { initContainers: [{ name: "migrate", image: one }] });
        await untilHealth(bed(), workload, "healthy");
        const before = await bed().cluster.runningImages(await readLive(bed(), workload), signal);
        await update(bed(), workload, two, "abcdef-1");
        await untilHealth(bed(), workload, "healthy");

        const after = await bed().cluster.runningImages(await readLive(bed(), workload), signal);

        expect(before).toEqual({ kind: "running", images: { app: [digest], migrate: [digest] } });
        // The simulated nodes make a digest from the text of an image that names none.
        const made = `sha256:${createHash("sha256").update(two).digest("hex")}`;
        expect(after).toEqual({ kind: "running", images: { app: [made], migrate: [digest] } });
      },
    );

    it("of a CronJob are what the pods of its last Job report", async () => {
      const workload = await make(bed(), "CronJob", one);
      const before = await bed().cluster.runningImages(await readLive(bed(), workload), signal);
      await bed().runJob(workload);
      await untilHealth(bed(), workload, "healthy");

      const after = await bed().cluster.runningImages(await readLive(bed(), workload), signal);

      expect([before, after]).toEqual([
        { kind: "running", images: {} },
        { kind: "running", images: { app: [digest] } },
      ]);
    });

    it.each(["Deployment", "StatefulSet", "DaemonSet"] as const)(
      "of a changed %s never come from its earlier pods",
      async (kind) => {
        const workload = await make(bed(), kind, one);
        await untilHealth(bed(), workload, "healthy");
        const before = await readLive(bed(), workload);
        const live = await update(bed(), workload, two, "abcdef-1");

        const now = await bed().cluster.runningImages(live, signal);
        await untilHealth(bed(), workload, "healthy");
        const late = await bed().cluster.runningImages(before, signal);

        expect(now.kind === "running" && now.images.app).not.toEqual([digest]);
        expect(late).toEqual({ kind: "running", images: {} });
      },
    );

    it("omit a container whose image was never pulled", async () => {
      const workload = await make(bed(), "Deployment", "registry.test/shop/app:broken");
      const { live } = await untilHealth(bed(), workload, "failed");

      expect(await bed().cluster.runningImages(live, signal)).toEqual({ kind: "running", images: {} });
    });
  });

  describe("a watch", () => {
    it("hints at changes, and ends on request", async () => {
      const workload = await make(bed(), "StatefulSet", one);
      const cron = await make(bed(), "CronJob", one);
      const hints: WorkloadHint[] = [];
      const stop = new AbortController();
      const following = bed().cluster.watch((hint) => void hints.push(hint), stop.signal);

      const heard = (): boolean =>
        [workload, cron].every((one) => hints.some((hint) => workloadKey(hint.workload) === workloadKey(one)));
      for (let look = 0; look < 50 && !heard(); look += 1) {
        await bed().pass();
        await update(bed(), workload, `registry.test/shop/app:1.0.${String(look)}`, `abcdef-${String(look)}`);
        await bed().runJob(cron);
      }
      stop.abort();
      await following;

      expect(heard()).toBe(true);
    });
  });

  it("a cluster tells its identity", async () => {
    const [first, second] = [await bed().cluster.identity(signal), await bed().cluster.identity(signal)];

    expect(first).toEqual({ kind: "identity", uid: expect.stringMatching(/^[0-9a-f-]{36}$/) as string });
    expect(second).toEqual(first);
  });
}
