import { KubeConfig } from "@kubernetes/client-node";
import pLimit from "p-limit";
import { clusterOfContext } from "#adapters/kubernetes/kubeconfig";
import type { Cluster } from "#ports/cluster";
import { type ControlPlane, startControlPlane } from "../bed/control-plane.ts";
import { type Api, namespace, openApi } from "./api.ts";
import { type History, recordHistory } from "./history.ts";
import type { Played } from "./play.ts";
import { judged, type Row } from "./table.ts";

/** A control plane with a namespace, a client and a recorded history. */
export interface Scenery {
  readonly plane: ControlPlane;
  readonly api: Api;
  /** Lookout's production adapter of the cluster. */
  readonly cluster: Cluster;
  readonly history: History;
  /**
   * Plays many interleavings concurrently, each on its own workload. Judges them by the server's
   * history.
   */
  playAll(writer: string, plays: readonly (() => Promise<Played>)[], atOnce: number): Promise<Row>;
  stop(): Promise<void>;
}

/** Starts the control plane and the recording. */
export async function setScenery(options: { readonly controllers: boolean }): Promise<Scenery> {
  const plane = await startControlPlane(options);
  await plane.kubectl("create", "namespace", namespace);
  const api = await openApi(plane);
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromFile(plane.kubeconfig);
  const cluster = clusterOfContext({ name: "bed", kubeConfig });
  const history = await recordHistory(api);
  return {
    plane,
    api,
    cluster,
    history,
    async playAll(writer, plays, atOnce) {
      const limit = pLimit(atOnce);
      const results = await Promise.allSettled(plays.map((play) => limit(play)));
      const failed = results.find((result) => result.status === "rejected");
      if (failed !== undefined) throw failed.reason;
      await history.catchUp();
      const played = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
      return { writer, judged: played.map((one) => judged(one, history.of(one.plan.target))) };
    },
    async stop() {
      history.stop();
      await Promise.all([cluster.close(), api.close()]);
      await plane.stop();
    },
  };
}
