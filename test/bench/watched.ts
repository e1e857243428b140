import { readFile } from "node:fs/promises";
import { request } from "node:https";
import { createInterface } from "node:readline";
import type { ControlPlane } from "../cluster/bed/control-plane.ts";

/** A state of a Deployment from a watch of the API server, with its arrival time (epoch ms). */
export interface Sight {
  readonly at: number;
  readonly name: string;
  readonly image: string;
  /** True: all pods have this image and are available. */
  readonly runs: boolean;
}

/** A watch of Deployments, independent of Lookout's watch. */
export interface Watched {
  readonly sights: readonly Sight[];
  stop(): void;
}

interface WatchedObject {
  readonly metadata: { readonly name: string; readonly generation: number };
  readonly spec: {
    readonly replicas: number;
    readonly template: { readonly spec: { readonly containers: readonly { readonly image: string }[] } };
  };
  readonly status?: Partial<
    Record<"observedGeneration" | "replicas" | "updatedReplicas" | "availableReplicas", number>
  >;
}

/** Watches the Deployments of the namespace `default`, or one Deployment, until `stop`. */
export async function watchDeployments(plane: ControlPlane, name?: string): Promise<Watched> {
  const sights: Sight[] = [];
  const query = new URLSearchParams({ watch: "1", timeoutSeconds: "3600" });
  if (name !== undefined) query.set("fieldSelector", `metadata.name=${name}`);
  const watch = request(`${plane.server}/apis/apps/v1/namespaces/default/deployments?${query.toString()}`, {
    ca: await readFile(plane.certificateAuthority),
    headers: { authorization: `Bearer ${plane.tokens.admin}`, "user-agent": "bench" },
  });
  watch.on("error", () => undefined);
  watch.on("response", (response) => {
    response.on("error", () => undefined);
    const lines = createInterface({ input: response }).on("error", () => undefined);
    lines.on("line", (line) => {
      const { type, object } = JSON.parse(line) as { readonly type: string; readonly object: WatchedObject };
      if (type === "ADDED" || type === "MODIFIED") sights.push(sightOf(object));
    });
  });
  watch.end();
  return { sights, stop: () => void watch.destroy() };
}

function sightOf({ metadata, spec, status = {} }: WatchedObject): Sight {
  const observed = status.observedGeneration === metadata.generation;
  const all = [status.replicas, status.updatedReplicas, status.availableReplicas].every(
    (count) => count === spec.replicas,
  );
  return {
    at: Date.now(),
    name: metadata.name,
    image: spec.template.spec.containers[0]?.image ?? "",
    runs: observed && all,
  };
}
