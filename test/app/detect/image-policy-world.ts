import type { Condition } from "#domain/definitions/conditions";
import { minutes } from "#domain/shared/time";
import { workloadKey } from "#domain/workload/workload";
import { host, type World, world } from "../world.ts";

export const web = `${host}/shop/web`;

export function declared(): World {
  return world({}, undefined, [], undefined, undefined, undefined, undefined, undefined, undefined, {
    definitions: true,
  });
}

interface Applied {
  readonly name?: string;
  readonly namespace?: string;
  readonly repository?: unknown;
  readonly strategy?: string;
  readonly pattern?: string;
  readonly kind?: string;
  readonly target?: string;
  readonly targetNamespace?: string;
  readonly every?: unknown;
}

export function apply(lookout: World, given: Applied = {}): void {
  const { name = "web", namespace = "shop", strategy = "SemVer", pattern, every = 5 } = given;
  const { kind = "Deployment", target = "web", targetNamespace = namespace, repository = web } = given;
  lookout.cluster.definitionObjects.apply(
    "ImagePolicy",
    { namespace, name },
    {
      repository,
      tagPolicy: { strategy, ...(pattern === undefined ? {} : { pattern }) },
      updateTarget: { kind, name: target, namespace: targetNamespace },
      pollIntervalMinutes: every,
    },
  );
}

/** Deploys a workload without annotations. */
export function deploy(
  lookout: World,
  {
    annotations,
    ...images
  }: { readonly app?: string; readonly side?: string; readonly annotations?: Record<string, string> } = {},
  kind: "Deployment" | "CronJob" = "Deployment",
): string {
  const { app = `${web}:1.0.0`, side } = images;
  const containers = [{ name: "app", image: app }, ...(side === undefined ? [] : [{ name: "side", image: side }])];
  const template = { spec: { containers } };
  const spec = kind === "CronJob" ? { jobTemplate: { spec: { template } } } : { replicas: 1, template };
  const metadata = { namespace: "shop", name: "web", ...(annotations === undefined ? {} : { annotations }) };
  return workloadKey(lookout.cluster.apply({ kind, metadata, spec }));
}

export async function passMinutes(lookout: World, count: number): Promise<void> {
  for (let minute = 0; minute < count; minute += 1) {
    await lookout.sync();
    await lookout.pass(minutes(1));
  }
}

export function objectOf(lookout: World, name = "web") {
  return lookout.cluster.definitionObjects.all().find((one) => one.name === name);
}

function writtenIn(lookout: World, name: string): readonly Condition[] {
  const { status } = objectOf(lookout, name) ?? {};
  return ((status ?? {}) as { readonly conditions?: readonly Condition[] }).conditions ?? [];
}

/** Returns the conditions of a policy as `Ready=True Applies`. */
export function conditions(lookout: World, name = "web"): readonly string[] {
  return writtenIn(lookout, name).map(({ type, status, reason }) => `${type}=${status} ${reason}`);
}

export function messages(lookout: World, name = "web"): readonly string[] {
  return writtenIn(lookout, name).map(({ message }) => message);
}
