import { type DurationMs, minutes, seconds } from "#domain/shared/time";
import type { Tier } from "#domain/tiers/rules";
import { host, type World, world } from "../world.ts";

export const tier = (name: string, given: Partial<Tier> = {}): Tier => ({
  ...{ name, soak: minutes(0), haltOnFailure: true, namespaces: [] },
  ...given,
});
export const twoTiers = [tier("dev", { soak: minutes(10) }), tier("prod")];

/** A Lookout with tiers, on one cluster. */
export function tiered(tiers: readonly Tier[]): World {
  return world({}, undefined, [], undefined, undefined, undefined, undefined, undefined, { tiers, clusters: [] });
}

export const annotationsOf = (name: string, more: Readonly<Record<string, string>> = {}) => ({
  ...{ "lookout.dev/enabled": "true", "lookout.dev/tier": name.replace(/-.*/, ""), "lookout.dev/tier-group": "web" },
  ...more,
});

/** Deploys one member in a namespace of its own. `dev-2`: the second member of dev. */
export function member(
  lookout: World,
  name: string,
  more: Readonly<Record<string, string>> = {},
  tag = "1.0.0",
): string {
  const image = `${host}/shop/web:${tag}`;
  return lookout.deploy({ namespace: `shop-${name}`, name: "web", image, annotations: annotationsOf(name, more) });
}

/** Lets Lookout meet all workloads. */
export async function track(lookout: World): Promise<void> {
  for (let times = 0; times < 2; times += 1) {
    await lookout.sync();
    await lookout.pass(seconds(5));
  }
}

export async function members<const Names extends readonly string[]>(
  lookout: World,
  names: Names,
  more: Readonly<Record<string, string>> = {},
  tag = "1.0.0",
): Promise<{ readonly [Index in keyof Names]: string }> {
  await lookout.push("shop/web", tag, { quietly: true });
  const keys = names.map((name) => member(lookout, name, more, tag));
  await track(lookout);
  return keys as never;
}

export const tagOf = (lookout: World, key: string): string =>
  lookout.image(key).replace(/@.*/, "").split(":").at(-1) ?? "";
export const digestOf = (lookout: World, key: string): string | undefined => lookout.image(key).split("@")[1];
export const waitsOf = async (lookout: World, key: string) =>
  (await lookout.record(key)).pending?.waits.map(({ reason }) => reason);

/** Annotates a workload as a person does, and lets Lookout see it. */
export async function annotate(lookout: World, key: string, more: Readonly<Record<string, string | undefined>>) {
  const [, namespace = "", , name = ""] = key.split("/");
  lookout.cluster.annotate({ namespace, kind: "Deployment", name }, more);
  await track(lookout);
}

export async function passWithSyncs(lookout: World, duration: DurationMs): Promise<void> {
  for (let passed = 0; passed < duration; passed += minutes(1)) {
    await lookout.pass(minutes(1));
    await lookout.sync();
  }
}
