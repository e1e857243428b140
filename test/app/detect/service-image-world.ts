import type { Condition } from "#domain/definitions/conditions";
import { type EpochMs, minutes } from "#domain/shared/time";
import { workloadKey } from "#domain/workload/workload";
import type { Cluster } from "#ports/cluster";
import { host, type World, world } from "../world.ts";

export const dicom = `${host}/dicom`;

function declared(): World {
  return world({}, undefined, [], undefined, undefined, undefined, undefined, undefined, undefined, {
    definitions: true,
  });
}

/** Deploys an instance, in a tier or in none. */
export function deploy(
  lookout: World,
  name: string,
  upgradeTier?: string,
  more: Readonly<Record<string, string>> = {},
  others: readonly { readonly name: string; readonly image: string }[] = [],
  tag = "v1",
): string {
  const labels = upgradeTier === undefined ? {} : { "upgrade-tier": upgradeTier };
  const metadata = {
    namespace: "dicom",
    name,
    labels,
    annotations: { "lookout.dev/enabled": "true", "lookout.dev/policy": "service-image", ...more },
  };
  const template = { spec: { containers: [{ name: "app", image: `${dicom}:${tag}` }, ...others] } };
  return workloadKey(lookout.cluster.apply({ kind: "Deployment", metadata, spec: { replicas: 1, template } }));
}

export function apply(lookout: World, spec: unknown): void {
  lookout.cluster.definitionObjects.apply("ServiceImage", { namespace: "dicom", name: "dicom" }, spec);
}

/** As the seed prints it: early access goes first. */
export const tiersWith = (early: string, others = early) => ({
  tiers: [
    { upgradeTier: "", image: `${dicom}:${others}`, priority: 0 },
    { upgradeTier: "earlyAccess", image: `${dicom}:${early}`, priority: 1 },
  ],
});

export interface Status {
  readonly observedGeneration?: number;
  readonly currentPriority?: number;
  readonly conditions?: readonly Condition[];
  readonly tierStatus?: readonly {
    readonly upgradeTier: string;
    readonly newDeploymentImage: string;
    readonly conditions: readonly Condition[];
  }[];
}

export function statusOf(lookout: World): Status {
  return lookout.cluster.definitionObjects.all()[0]?.status ?? {};
}

export function conditions({ conditions: all = [] }: Pick<Status, "conditions">): Readonly<Record<string, string>> {
  return Object.fromEntries(all.map(({ type, status, reason }) => [type, `${status} ${reason}`]));
}

export async function passMinutes(lookout: World, count: number): Promise<void> {
  for (let minute = 0; minute < count; minute += 1) {
    await lookout.sync();
    await lookout.pass(minutes(1));
  }
}

export const tagOf = (lookout: World, key: string) => /:(v[^@]+)/.exec(lookout.image(key).slice(host.length))?.[1];

export async function started(...tags: readonly string[]): Promise<World> {
  const lookout = declared();
  for (const tag of ["v1", ...tags]) await lookout.push("dicom", tag, { quietly: true });
  return lookout;
}

/** Lets the cluster give no answer about a workload until an instant. */
export function silence({ cluster, clock }: World, name: string, until: EpochMs): void {
  const read = cluster.read.bind(cluster);
  Object.assign(cluster, {
    read: (async (workload, signal) =>
      workload.name === name && clock.now() < until
        ? { kind: "unreachable", detail: "no answer" }
        : read(workload, signal)) satisfies Cluster["read"],
  });
}
