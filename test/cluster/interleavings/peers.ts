import type { Point } from "./gate.ts";
import type { Read } from "./lost-edits.ts";
import { type Answered, type Api, pathOf, type Shown, succeeded, type Target } from "./api.ts";
import { inTemplate, templateOf } from "./workload.ts";

/** One write of another program: its read and the final response. */
export interface PeerWrite {
  readonly read: Read;
  readonly answered: Answered;
}

/** The surroundings of a peer's write. */
export interface PeerScene {
  readonly api: Api;
  readonly target: Target;
  readonly image: string;
  tick(): number;
  /** Runs the acts of others at a moment. */
  pass(point: Point): Promise<void>;
}

/** Another program that updates the image of a workload, with its own write algorithm. */
export interface Peer {
  readonly name: string;
  write(object: Shown, scene: PeerScene): Promise<Answered>;
}

/**
 * The write algorithms of two programs, implemented from descriptions without their code.
 *
 * Both decide with a copy of the object from a watch, taken at the start of the decision.
 */
export const peers: readonly Peer[] = [
  /**
   * Keel (described as of August 2026): sends its whole copy with the new image. Before that it reads the object once more, only to
   * take over its resourceVersion, so that the server sees no conflict; should there still be one, it does the same again.
   */
  {
    name: "Keel's algorithm",
    async write(copy, { api, target, image }) {
      const changed = withImage(copy, target, image);
      for (let tries = 1; ; tries += 1) {
        const live = await api.get(target);
        if (live.status !== 200) return live;
        const { resourceVersion } = live.body.metadata;
        const body = { ...changed, metadata: { ...changed.metadata, resourceVersion } };
        const answered = await api.write({ method: "PUT", path: pathOf(target), body, manager: "keel" });
        if (answered.status !== 409 || tries === 5) return answered;
      }
    },
  },
  /**
   * The Lookout Operator (described as of February 2026): a JSON merge patch with what differs between its copy and the copy with the new
   * image. Lists are replaced whole by such a patch, so it holds all containers; there is no resourceVersion in it.
   * @see https://datatracker.ietf.org/doc/html/rfc7386
   */
  {
    name: "Lookout Operator's algorithm",
    async write(copy, { api, target, image }) {
      const { containers } = templateOf(target.kind, withImage(copy, target, image)).spec;
      const annotations = { "lookout.dev/previous-image": "app=before" };
      const body = { metadata: { annotations }, ...inTemplate(target.kind, { spec: { containers } }) };
      return api.write({ method: "PATCH", path: pathOf(target), as: "merge", body, manager: "workload-controller" });
    },
  },
];

/** Runs one update of a peer, with the same moments for others as in an update of Lookout. */
export async function peerWrites(peer: Peer, scene: PeerScene): Promise<PeerWrite> {
  await scene.pass("before the read");
  const began = scene.tick();
  const copy = succeeded(await scene.api.get(scene.target));
  const { uid, generation } = copy.metadata;
  const read = { began, ended: scene.tick(), uid, generation };
  await scene.pass("after the read");
  await scene.pass("before the patch");
  const meanwhile = scene.pass("in flight");
  const answered = await peer.write(copy, scene);
  await meanwhile;
  await scene.pass("after the patch");
  return { read, answered };
}

function withImage(copy: Shown, { kind }: Target, image: string): Shown {
  const changed = structuredClone(copy);
  const containers = templateOf(kind, changed).spec.containers as { name: string; image: string }[];
  for (const container of containers) if (container.name === "app") container.image = image;
  return changed;
}
