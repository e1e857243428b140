import type { ControlPlane, KubectlArgument } from "../bed/control-plane.ts";
import { until } from "../bed/until.ts";
import { type Api, listPath, namespace, pathOf, type Shown, succeeded, type Target } from "./api.ts";
import type { History } from "./history.ts";
import type { Edit, Scene } from "./people.ts";
import type { Plan } from "./plan.ts";
import { applied, image, manifest } from "./workload.ts";

/**
 * Returns the edits by kubectl commands, and by a real autoscaler whose workload has too few
 * replicas.
 */
export function commands(plane: ControlPlane, history: History): readonly Edit[] {
  const kubectl = (...words: readonly KubectlArgument[]): Promise<string> =>
    plane.kubectl("--namespace", namespace, ...words);
  const file = ({ target, nature, number }: Scene): { readonly input: string } => ({
    input: JSON.stringify(manifest(target, nature, { mode: `mode-${number}` })),
  });
  const at = ({ target }: Scene): string => `deployment/${target.name}`;
  const typed: Readonly<Record<string, (scene: Scene) => Promise<unknown>>> = {
    // The autoscaler comes first, because it checks only every 15 s.
    autoscaler: async (scene) => {
      await kubectl("autoscale", at(scene), "--min=2", "--max=3");
      await until(
        `the autoscaler scales ${scene.target.name}`,
        async () => (await replicasOf(scene.api, scene.target)) === 2 || undefined,
        { timeoutMs: 90_000, intervalMs: 250 },
      );
    },
    "rollout undo": (scene) => kubectl("rollout", "undo", at(scene)),
    "set image": (scene) => kubectl("set", "image", at(scene), `app=${image("shop/api", `1.0.${scene.number}`)}`),
    "set image of the other container": (scene) =>
      kubectl("set", "image", at(scene), `proxy=${image("shop/proxy", `1.0.${scene.number}`)}`),
    "set env": (scene) => kubectl("set", "env", at(scene), "--containers=app", `MODE=mode-${scene.number}`),
    apply: (scene) => kubectl("apply", "--filename", "-", file(scene)),
    "apply --server-side": (scene) =>
      kubectl("apply", "--server-side", "--force-conflicts", "--filename", "-", file(scene)),
    scale: (scene) => kubectl("scale", at(scene), `--replicas=${1 + scene.number}`),
  };
  return Object.entries(typed).map(([what, type]) => ({
    what,
    make: async (scene) => {
      await type(scene);
      return madeBy(scene, history);
    },
  }));
}

/**
 * Returns the object that a command wrote. At that moment, only the command raises the generation.
 */
async function madeBy({ api, target }: Scene, history: History): Promise<Shown> {
  const shown = succeeded(await api.get(target));
  const { uid, generation } = shown.metadata;
  const state = await until(`the watch shows generation ${generation} of ${target.name}`, async () =>
    history.of(target).find((one) => one.uid === uid && one.generation === generation),
  );
  return { ...shown, metadata: { ...shown.metadata, resourceVersion: state.resourceVersion } };
}

async function replicasOf(api: Api, target: Target): Promise<unknown> {
  return succeeded(await api.get(target)).spec.replicas;
}

/**
 * Rolls a Deployment out twice, so that an undo is possible. Returns the object after its
 * controller has seen both.
 */
export async function rolledOutTwice({ target, nature }: Plan, api: Api): Promise<Shown> {
  const manager = "kubectl-client-side-apply";
  const first = applied(manifest(target, nature, { tag: "0.9.0", mode: "zero" }));
  succeeded(await api.write({ method: "POST", path: listPath(target.kind), body: first, manager }));
  await seen(api, target, "1");
  const body = applied(manifest(target, nature));
  succeeded(await api.write({ method: "PUT", path: pathOf(target), body, manager }));
  return seen(api, target, "2");
}

function seen(api: Api, target: Target, revision: string): Promise<Shown> {
  return until(`revision ${revision} of ${target.name}`, async () => {
    const shown = succeeded(await api.get(target));
    return shown.metadata.annotations?.["deployment.kubernetes.io/revision"] === revision ? shown : undefined;
  });
}
