import { setTimeout as sleep } from "node:timers/promises";
import { memoryRegistry } from "#test/model/world/registry-hands";
import { seconds } from "#domain/shared/time";
import type { Ports } from "#app/shared/ports";
import { workloadKey } from "#domain/workload/workload";
import type { Cluster } from "#ports/cluster";
import { approvalRules } from "#test/model/world/voters";
import { type ByHand, type HandClock, lookoutByHand, runningClock } from "#test/app/by-hand";
import { type Api, listPath, namespace, pathOf, type Shown, succeeded } from "./api.ts";
import { type Acknowledged, decide, type Decision, type SentPatch, vote } from "./decisions.ts";
import { type Gate, gated, newGate, type WriteWitness } from "./gate.ts";
import type { Act } from "./lost-edits.ts";
import { type Peer, peerWrites } from "./peers.ts";
import type { Plan, PlannedAct } from "./plan.ts";
import { applied, digestOf, host, image, manifest } from "./workload.ts";

/** The real parts of interleavings. */
export interface Stage {
  readonly api: Api;
  readonly cluster: Cluster;
  /** Breaks a part of each Lookout. Absent: no part is broken. */
  readonly tamper?: (ports: Ports) => void;
  /** Creates a workload that runs 1.0.0. Returns the object at the start of the interleaving. */
  create(plan: Plan): Promise<Shown>;
}

/** The record of one interleaving. */
export interface Played {
  readonly plan: Plan;
  /** The resource version of the object at the start. */
  readonly begins: string;
  /** All writes, in no order. */
  readonly acts: readonly Act[];
  /** The number of Lookout's patches that a guard stopped. */
  readonly guarded: number;
  /** The successful decision. Absent: the plan has none, or Lookout refused it. */
  readonly decided?: Acknowledged;
  /** The sent patches of all Lookouts. */
  readonly sent: readonly SentPatch[];
  /** The failures of the Lookouts' runs, as sentences. */
  readonly failures: readonly string[];
}

/** Returns the tag whose push causes the update. */
function tagOf({ earlier, nature }: Plan): string {
  if (nature.apply === "restart") return "1.0.0";
  return earlier ? "1.2.0" : "1.1.0";
}

interface Playing {
  readonly stage: Stage;
  readonly plan: Plan;
  readonly begins: string;
  readonly acts: Act[];
  readonly sent: SentPatch[];
  guarded: number;
  decided?: Acknowledged;
  tick(): number;
}

/** The names of the two installations. Each has its own table. */
const installations = { first: "looka1", second: "lookb2" } as const;

const clusterName = "bed";

/** Plays an interleaving of the real use cases with people. */
export async function playLookout(plan: Plan, stage: Stage): Promise<Played> {
  const playing = await begin(plan, stage);
  const [gate, secondGate] = [newGate(), newGate()];
  const first = await readyToPatch(playing, "Lookout", gate, tagOf(plan));
  const second = plan.second && (await readyToPatch(playing, "another Lookout", secondGate, plan.second.tag));
  if (plan.direction === "back") {
    await first.settle();
    first.clock.turn(seconds(31));
  }
  if (plan.second !== undefined)
    gate.arm(plan.second.at, async () => {
      await second?.settle();
    });
  // With a second Lookout, people act at the moments of its write.
  if (plan.decision !== undefined) armDecision(gate, plan.decision, first, playing);
  plan.acts.forEach((act, index) => arm(second === undefined ? gate : secondGate, act, index, playing));
  await first.settle();
  await gate.rest();
  await secondGate.rest();
  const lookouts = second === undefined ? [first] : [first, second];
  for (let round = 1; round <= 2; round += 1) for (const lookout of lookouts) await lookAgain(lookout, plan, round);
  return playedOf(
    playing,
    lookouts.flatMap(({ failures }) => failures),
  );
}

/** Plays an interleaving of another program's write with people. */
export async function playPeer(peer: Peer, plan: Plan, stage: Stage): Promise<Played> {
  const playing = await begin(plan, stage);
  const gate = newGate();
  plan.acts.forEach((act, index) => arm(gate, act, index, playing));
  const { target } = plan;
  const began = playing.tick();
  const { read, answered } = await peerWrites(peer, {
    api: stage.api,
    target,
    image: image("shop/api", "1.1.0"),
    tick: () => playing.tick(),
    pass: (point) => gate.pass(point),
  });
  const { resourceVersion } = answered.status < 300 ? answered.body.metadata : {};
  playing.acts.push({
    what: peer.name,
    began,
    ended: playing.tick(),
    read,
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  });
  return playedOf(playing, []);
}

function playedOf({ plan, begins, acts, sent, guarded, decided }: Playing, failures: Played["failures"]): Played {
  return { plan, begins, acts, sent, guarded, failures, ...(decided === undefined ? {} : { decided }) };
}

async function begin(plan: Plan, stage: Stage): Promise<Playing> {
  let now = 0;
  const { resourceVersion } = (await stage.create(plan)).metadata;
  return { stage, plan, begins: resourceVersion, acts: [], sent: [], guarded: 0, tick: () => (now += 1) };
}

/** Creates the workload of a plan in a cluster without controllers. */
export async function createAtOnce({ target, nature }: Plan, api: Api): Promise<Shown> {
  const write = { method: "POST", path: listPath(target.kind), manager: "kubectl-client-side-apply" } as const;
  return succeeded(await api.write({ ...write, body: applied(manifest(target, nature)) }));
}

function arm(gate: Gate, { edit, at, delayMs }: PlannedAct, index: number, playing: Playing): void {
  const { stage, plan, acts } = playing;
  gate.arm(at, async () => {
    if (at === "in flight") await sleep(delayMs);
    const began = playing.tick();
    const { target, nature } = plan;
    const made = await edit.make({ api: stage.api, target, nature, number: index + 1 });
    if (made === undefined) return;
    acts.push({ what: edit.what, began, ended: playing.tick(), resourceVersion: made.metadata.resourceVersion });
  });
}

function armDecision(gate: Gate, { what, at }: Decision, { ports }: Ready, playing: Playing): void {
  gate.arm(at, async () => {
    if (!(await decide(what, keyOf(playing.plan), ports))) return;
    playing.decided = { what, at, answeredAt: playing.tick() };
  });
}

type Ready = ByHand & { readonly clock: HandClock };

/** Starts a new Lookout that tracks the workload and gets a push. Returns it before its patch. */
async function readyToPatch(playing: Playing, what: string, gate: Gate, tag: string): Promise<Ready> {
  const { stage, plan, acts } = playing;
  const witness: WriteWitness = {
    tick: () => playing.tick(),
    patched({ updateLabel, outcome, read, began, ended }) {
      playing.sent.push({ updateLabel, read, began });
      if (outcome.kind === "read-again") playing.guarded += 1;
      if (outcome.kind === "written" || outcome.kind === "unknown")
        acts.push({ what, updateLabel, read, began, ended });
    },
    annotated({ annotation, outcome, read, began, ended }) {
      if (outcome.kind === "written" || outcome.kind === "unknown")
        acts.push({ what, annotation: { key: annotation.key, to: annotation.to }, read, began, ended });
    },
  };
  const cluster = gated(stage.cluster, gate, witness);
  const registry = memoryRegistry();
  registry.push(host, "shop/api", "1.0.0", { digest: digestOf("shop/api", "1.0.0") });
  const installation = what === "Lookout" ? installations.first : installations.second;
  const clock = runningClock();
  const lookout = lookoutByHand({ installation, clock, cluster, clusterName, registry, approvalRules });
  stage.tamper?.(lookout.ports);
  const push = async (pushed: string): Promise<void> => {
    const digest = digestOf("shop/api", pushed === "1.0.0" ? "1.0.0 again" : pushed);
    registry.push(host, "shop/api", pushed, { digest });
    await lookout.tell({ id: `push-${pushed}`, registry: host, repository: "shop/api", tags: [pushed] });
    if (plan.nature.approvals === true) await approved(lookout, plan);
  };
  lookout.send({ name: "EvaluateWorkload", id: "first", workload: nameOf(plan), source: "sync" });
  await lookout.settle();
  if (plan.earlier) {
    await push("1.1.0");
    await lookout.settle();
    await observed(playing);
    clock.turn(seconds(1));
    await lookout.settle();
  }
  await push(tag);
  if (!(await lookout.settle("RollOut"))) throw new Error(`${plan.target.name}: no update was released`);
  return { ...lookout, clock };
}

/** Approves the waiting update as a person. */
async function approved(lookout: ByHand, plan: Plan): Promise<void> {
  await lookout.settle();
  if (!(await vote("ana", "approve", keyOf(plan), lookout.ports)))
    throw new Error(`${plan.target.name}: no update waits for approval`);
}

/**
 * Writes the observed generation in place of the Deployment controller. The workload has zero
 * replicas.
 */
async function observed({ stage, plan: { target } }: Playing): Promise<void> {
  const path = `${pathOf(target)}/status`;
  const body = { status: { observedGeneration: 1_000 } };
  succeeded(await stage.api.write({ method: "PATCH", path, as: "merge", body, manager: "kube-controller-manager" }));
}

function nameOf({ target }: Plan) {
  return { cluster: clusterName, namespace, ...target };
}

function keyOf(plan: Plan): string {
  return workloadKey(nameOf(plan));
}

/** Advances the clock by a second and reports the object from a watch. */
async function lookAgain(lookout: Ready, plan: Plan, round: number): Promise<void> {
  lookout.clock.turn(seconds(1));
  lookout.send({ name: "EvaluateWorkload", id: `again-${round}`, workload: nameOf(plan), source: "watch" });
  await lookout.settle();
}
