import { workloadKey } from "#domain/workload/workload";
import type { WorkloadKind } from "#domain/workload/kinds";
import type { WorkloadName } from "#domain/workload/workload";
import { host } from "#test/model/image-text";
import { clusterName, type Installation } from "#test/model/world/installation";

/** A container of a workload of a history. */
export interface MemberContainer {
  readonly name: string;
  readonly repository: string;
}

/** A workload of a history. */
export interface Member {
  readonly workload: WorkloadName;
  readonly containers: readonly MemberContainer[];
  readonly annotations: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  /** False: its manifest does not enable it. */
  readonly isEnabled?: false;
}

type Settings = Readonly<Record<string, string>>;

const policies: readonly (readonly [weight: number, settings: Settings])[] = [
  [5, { "lookout.dev/policy": "semver", "lookout.dev/semver-range": "^1" }],
  [2, { "lookout.dev/policy": "digest" }],
  [2, { "lookout.dev/policy": "latest" }],
  [
    2,
    {
      "lookout.dev/policy": "semver",
      "lookout.dev/semver-range": "^1",
      "lookout.dev/maintenance-window": "10:05-10:20",
    },
  ],
];

const ways: readonly (readonly [weight: number, settings: Settings])[] = [
  [6, {}],
  [1, { "lookout.dev/apply": "tag" }],
  [1, { "lookout.dev/apply": "restart" }],
  [2, { "lookout.dev/approval-required": "true" }],
  [2, { "lookout.dev/approvals": "2", "lookout.dev/approval-deadline": "30m" }],
];

/**
 * The minimum ages. They are longer than the differences of clocks, so that a missing wait shows.
 */
const ages: readonly (readonly [weight: number, settings: Settings])[] = [
  [4, {}],
  [1, { "lookout.dev/min-age": "20m" }],
];

/** Where a workload is, and the settings that it has besides. */
export interface Place {
  readonly cluster: string;
  readonly annotations: Settings;
  /** True: the workload has no other settings. */
  readonly isPlain: boolean;
  readonly labels?: Settings;
  /** False: its manifest does not enable it. */
  readonly isEnabled?: false;
}

/** Creates one to three workloads with one or two containers each. `placeOf`: all three, each at its place. */
export function deployAll(installation: Installation, placeOf?: (name: string) => Place): readonly Member[] {
  const { chance, images } = installation;
  for (const repository of ["shop/api", "shop/side"]) images.push(repository, "1.0.0", false);
  const count = 1 + chance.below(3);
  return ["api", "web", "job"].slice(0, placeOf === undefined ? count : 3).map((name) => {
    const kind = chance.weigh<WorkloadKind>([
      [5, "Deployment"],
      [2, "StatefulSet"],
      [1, "DaemonSet"],
      [1, "CronJob"],
    ]);
    const place = placeOf?.(name);
    const chosen = { ...chance.weigh(policies), ...chance.weigh(ways), ...chance.weigh(ages) };
    const annotations = { ...(place?.isPlain === true ? {} : chosen), ...place?.annotations };
    const workload = { cluster: place?.cluster ?? clusterName, namespace: "shop", kind, name };
    const side = chance.happens(0.25) ? [{ name: "side", repository: "shop/side" }] : [];
    const { labels, isEnabled } = place ?? {};
    const member = {
      ...{ workload, containers: [{ name: "app", repository: "shop/api" }, ...side], annotations },
      ...(labels === undefined ? {} : { labels }),
      ...(isEnabled === undefined ? {} : { isEnabled }),
    };
    create(member, installation);
    return member;
  });
}

/** Returns whether a restart leaves a workload's pods on the images that their nodes have. */
function keepsImages({ name }: WorkloadName, annotations: Settings): boolean {
  return name === "api" && annotations["lookout.dev/apply"] === "restart";
}

/** Creates a workload with the first version of each image. */
export function create(member: Member, installation: Installation): void {
  const { workload, containers, annotations, labels, isEnabled = true } = member;
  const pull = keepsImages(workload, annotations) ? { imagePullPolicy: "IfNotPresent" } : {};
  const images = containers.map(({ name, repository }) => ({ name, image: `${host}/${repository}:1.0.0`, ...pull }));
  const template = { spec: { containers: images } };
  const spec = workload.kind === "CronJob" ? { jobTemplate: { spec: { template } } } : { replicas: 2, template };
  installation.clusterOf(workload.cluster).apply({
    kind: workload.kind,
    metadata: {
      namespace: workload.namespace,
      name: workload.name,
      annotations: { ...(isEnabled ? { "lookout.dev/enabled": "true" } : {}), ...annotations },
      ...(labels === undefined ? {} : { labels }),
    },
    spec,
  });
  for (const { name, image } of images) installation.witness.applied.set(`${workloadKey(workload)} ${name}`, image);
  const names = containers.map(({ name }) => name).join(" and ");
  installation.say(
    () =>
      `a person creates ${workload.kind} ${workload.name} of ${names}: ${JSON.stringify({ ...annotations, ...labels })}`,
  );
}

/** Returns the images of a workload by container; empty for a missing workload. */
export function imagesOf(
  { workload }: Member,
  { cluster }: Pick<Installation, "cluster">,
): ReadonlyMap<string, string> {
  const spec = cluster.object(workload)?.spec;
  const template = spec?.template ?? spec?.jobTemplate?.spec.template;
  return new Map(template?.spec.containers.map(({ name, image }) => [name, image]));
}
