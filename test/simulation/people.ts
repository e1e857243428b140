import { liftQuarantine, liftWorkload, putInQuarantine } from "#app/lift";
import { type WorkloadKind, type WorkloadName, workloadKey } from "#domain/workload";
import { host, rankOf, short } from "./images.ts";
import { clusterName, type Installation, post } from "./installation.ts";
import { startRun } from "./steps.ts";

/** A workload of a history. */
export interface Member {
  readonly workload: WorkloadName;
  readonly repository: string;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Lets people deploy between one and three workloads. */
export function deployAll(installation: Installation): readonly Member[] {
  const { chance } = installation;
  installation.images.push("shop/api", "1.0.0", false);
  return ["api", "web", "job"].slice(0, 1 + chance.below(3)).map((name) => {
    const kind = chance.weigh<WorkloadKind>([
      [5, "Deployment"],
      [2, "StatefulSet"],
      [1, "DaemonSet"],
      [1, "CronJob"],
    ]);
    const annotations = chance.weigh<Readonly<Record<string, string>>>([
      [5, { "lookout.dev/policy": "semver", "lookout.dev/semver-range": "^1" }],
      [2, { "lookout.dev/policy": "digest" }],
      [
        2,
        {
          "lookout.dev/policy": "semver",
          "lookout.dev/semver-range": "^1",
          "lookout.dev/maintenance-window": "10:05-10:20",
        },
      ],
    ]);
    const workload = { cluster: clusterName, namespace: "shop", kind, name };
    const member = { workload, repository: "shop/api", annotations };
    create(member, installation);
    return member;
  });
}

function create({ workload, repository, annotations }: Member, installation: Installation): void {
  const template = { spec: { containers: [{ name: "app", image: `${host}/${repository}:1.0.0` }] } };
  const spec = workload.kind === "CronJob" ? { jobTemplate: { spec: { template } } } : { replicas: 2, template };
  installation.cluster.apply({
    kind: workload.kind,
    metadata: {
      namespace: workload.namespace,
      name: workload.name,
      annotations: { "lookout.dev/enabled": "true", ...annotations },
    },
    spec,
  });
  installation.say(() => `a person creates ${workload.kind} ${workload.name}: ${JSON.stringify(annotations)}`);
}

type Act = (member: Member, installation: Installation) => unknown;

const acts: readonly (readonly [weight: number, act: Act])[] = [
  [4, editImage],
  [3, undo],
  [
    2,
    ({ workload }, { cluster, chance, say }) => {
      const replicas = 1 + chance.below(3);
      cluster.scale(workload, replicas);
      say(() => `a person scales ${workload.name} to ${replicas}`);
    },
  ],
  [2, note],
  [3, toggle("lookout.dev/suspend", "true")],
  [1, toggle("lookout.dev/enabled", "true")],
  [
    1,
    ({ workload }, { cluster, now, say }) => {
      cluster.restart(workload, new Date(now).toISOString());
      say(() => `a person restarts ${workload.name}`);
    },
  ],
  [1, recreate],
  [3, lift],
  [2, quarantine],
  [2, endQuarantine],
];

/** Lets a person do something to a workload; whoever watches the cluster may hear of it. */
export async function personActs(members: readonly Member[], installation: Installation): Promise<void> {
  const { chance, cluster } = installation;
  const member = chance.pick(members);
  const { workload } = member;
  await byHand(member, installation, () => chance.weigh(acts)(member, installation));
  if (chance.happens(0.6)) {
    const id = `watch-${cluster.history.length}-${installation.now}`;
    const work = { command: "EvaluateWorkload", id, workload, because: "watch" };
    post(installation, "EvaluateWorkload", JSON.stringify(work), 50 + chance.below(1_000));
  }
}

/** Lets a person do something to a workload, and tells the witness when they moved its image. */
export async function byHand(member: Member, installation: Installation, act: () => unknown): Promise<void> {
  const { cluster, images, witness } = installation;
  const { workload } = member;
  const before = imageOf(member, installation);
  const uid = cluster.object(workload)?.metadata.uid;
  await act();
  const after = imageOf(member, installation);
  const sameObject = cluster.object(workload)?.metadata.uid === uid;
  if (before === undefined || after === undefined || before === after || !sameObject) return;
  witness.movedByHand({
    workload,
    from: before,
    to: after,
    left: images.digestsOf(before),
    chosen: images.digestsOf(after),
  });
}

/** Pushes something to the registry, and tells Lookout as a webhook does, unless that is lost. */
export function somethingIsPushed(installation: Installation): void {
  const { chance, images } = installation;
  const tags = [...images.tags("shop/api")].sort((one, other) => rankOf(one) - rankOf(other));
  const [, minor = "0"] = (tags.at(-1) ?? "1.0.0").split(".");
  const tag = chance.weigh([
    [5, `1.${Number(minor) + 1}.0`],
    [2, `1.${chance.below(Number(minor) + 1)}.${1 + chance.below(3)}`],
    [3, chance.pick(tags)],
  ]);
  const broken = chance.happens(0.3);
  const digest = images.push("shop/api", tag, broken);
  installation.say(() => `someone pushes shop/api:${tag}, ${short(digest)}${broken ? ", which does not start" : ""}`);
  if (chance.happens(installation.weather.untold)) installation.say(() => "  nobody tells Lookout of it");
  else tellOfPush(tag, digest, installation);
}

/** Tells Lookout of a push. */
function tellOfPush(tag: string, digest: string, installation: Installation): void {
  const push = { registry: host, repository: "shop/api", tag };
  const id = `${tag}@${digest}`;
  const event = { name: "ImagePushed", id, ...push, source: "webhook generic", at: installation.now };
  post(installation, "ImagePushed", JSON.stringify(event), 0);
}

/** The image of a workload; undefined when it is not there. */
export function imageOf({ workload }: Member, { cluster }: Pick<Installation, "cluster">): string | undefined {
  const spec = cluster.object(workload)?.spec;
  return (spec?.template ?? spec?.jobTemplate?.spec.template)?.spec.containers[0]?.image;
}

function editImage({ workload, repository }: Member, { cluster, chance, images, say }: Installation): void {
  if (cluster.object(workload) === undefined) return;
  const text = `${host}/${repository}:${chance.pick(images.tags(repository))}`;
  const image = chance.happens(0.4) ? `${text}@${images.digestOf(text) ?? ""}` : text;
  cluster.setImage(workload, "app", image);
  say(() => `a person sets the image of ${workload.name} to ${short(image)}`);
}

function undo({ workload }: Member, { cluster, say }: Installation): void {
  try {
    cluster.undo(workload);
    say(() => `a person undoes the last rollout of ${workload.name}`);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
}

function note({ workload }: Member, { cluster, now, say }: Installation): void {
  cluster.annotate(workload, { "example.com/note": String(now) });
  say(() => `a person writes a note on ${workload.name}`);
}

function toggle(key: string, value: string): Act {
  return ({ workload }, { cluster, say }) => {
    const is = cluster.object(workload)?.metadata.annotations?.[key] === value;
    cluster.annotate(workload, { [key]: is ? undefined : value });
    say(() => `a person ${is ? "takes" : "sets"} ${key} ${is ? "from" : "on"} ${workload.name}`);
  };
}

function recreate(member: Member, installation: Installation): void {
  const { cluster, witness, say } = installation;
  cluster.remove(member.workload);
  say(() => `a person deletes ${member.workload.name}`);
  create(member, installation);
  witness.recreated(workloadKey(member.workload));
}

function lift({ workload }: Member, installation: Installation): Promise<unknown> {
  const key = workloadKey(workload);
  return startRun(`a person's lift of ${workload.name}`, installation, (ports) => liftWorkload(key, "ana", ports));
}

function quarantine({ repository }: Member, installation: Installation): Promise<unknown> | undefined {
  const { chance, images } = installation;
  const digest = images.digestOf(`${host}/${repository}:${chance.pick(images.tags(repository))}`);
  if (digest === undefined) return undefined;
  return startRun(`a person's quarantine of ${short(digest)}`, installation, (ports) =>
    putInQuarantine({ digest, why: "CVE", by: "ana" }, ports),
  );
}

function endQuarantine(_member: Member, installation: Installation): Promise<unknown> | undefined {
  const [digest] = [...installation.witness.quarantinedAt.keys()];
  if (digest === undefined) return undefined;
  return startRun(`a person's end of the quarantine of ${short(digest)}`, installation, (ports) =>
    liftQuarantine(digest, ports),
  );
}
