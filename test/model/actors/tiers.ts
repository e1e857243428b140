import { minutes } from "#domain/shared/time";
import type { Tier, TierRules } from "#domain/tiers/rules";
import { workloadKey } from "#domain/workload/workload";
import type { Chance } from "#test/model/chance";
import { rankOf, short } from "#test/model/image-text";
import { clusterName, devClusterName, type Installation } from "#test/model/world/installation";
import { releasePast } from "./control.ts";
import { create, type Member, type Place } from "./members.ts";
import { lift, tellOfPush } from "./people.ts";

const tierKey = "lookout.dev/tier";
const groupKey = "lookout.dev/tier-group";
const group = "checkout";

/** A member that updates to each version of its image without a person. */
const plain = { "lookout.dev/policy": "semver", "lookout.dev/semver-range": "^1" };

/** Gives an installation two or three tiers, and in half of all cases a cluster for the first one. Returns where its workloads are. */
export function setTiers(installation: Installation, chance: Chance): (name: string) => Place {
  installation.tiers = anyTiers(chance);
  const isDevElsewhere = chance.happens(0.5);
  if (isDevElsewhere) installation.clusterNames = [clusterName, devClusterName];
  installation.say(() => `lookout.yaml has the tiers ${JSON.stringify(installation.tiers.tiers)}`);
  const [first = "", ...later] = installation.tiers.tiers.map(({ name }) => name);
  return (name) => {
    const isFirst = name === "api";
    const tier = isFirst ? first : chance.pick(later);
    const isPlain = chance.happens(0.6);
    const isElsewhere = isFirst && isDevElsewhere;
    return {
      cluster: isElsewhere ? devClusterName : clusterName,
      annotations: { ...(isPlain ? plain : {}), ...(isElsewhere ? {} : { [tierKey]: tier }), [groupKey]: group },
      isPlain,
    };
  };
}

function anyTiers(chance: Chance): TierRules {
  const names = chance.happens(0.5) ? ["dev", "prod"] : ["dev", "stage", "prod"];
  const tier = (name: string): Tier => ({
    name,
    soak: minutes(chance.pick([0, 0, 5, 40])),
    haltOnFailure: chance.happens(0.7),
    namespaces: [],
  });
  return { tiers: names.map(tier), clusters: [{ name: clusterName }, { name: devClusterName, tier: "dev" }] };
}

type Act = (members: Member[], installation: Installation, chance: Chance) => unknown;

/** What happens about tiers, with its weight. */
const acts: readonly (readonly [weight: number, act: Act])[] = [
  [3, move],
  [1.5, regroup],
  [2, suspendOrResume],
  [2, comesLate],
  [3, pushAgain],
  [3, pushBusily],
  [1.5, pushBroken],
  [1, unblockOne],
  [2, releaseOne],
  [1.5, devLeaves],
  [1, rulesChange],
];

/** Lets something about tiers change: members, images, clusters, or the tiers themselves. */
export async function tiersChange(members: Member[], installation: Installation, chance: Chance): Promise<void> {
  await chance.weigh(acts)(members, installation, chance);
}

function setKey({ workload }: Member, key: string, value: string | undefined, installation: Installation): void {
  const { cluster, say } = installation;
  if (cluster.object(workload) === undefined) return;
  cluster.annotate(workload, { [key]: value });
  say(() => `a person ${value === undefined ? "takes" : "sets"} ${key} ${value ?? ""} of ${workload.name}`);
}

function move(members: readonly Member[], installation: Installation, chance: Chance): void {
  const names = installation.tiers.tiers.map(({ name }) => name);
  const tier = chance.weigh([
    [8, chance.pick(names)],
    [1, "qa"],
    [1, undefined],
  ]);
  setKey(chance.pick(members), tierKey, tier, installation);
}

function regroup(members: readonly Member[], installation: Installation, chance: Chance): void {
  const name = chance.weigh([
    [3, group],
    [1, "search"],
    [1, undefined],
  ]);
  setKey(chance.pick(members), groupKey, name, installation);
}

function suspendOrResume(members: readonly Member[], installation: Installation, chance: Chance): void {
  const member = chance.pick(members);
  const is = installation.cluster.object(member.workload)?.metadata.annotations?.["lookout.dev/suspend"] === "true";
  setKey(member, "lookout.dev/suspend", is ? undefined : "true", installation);
}

const membersAtMost = 5;

/** Creates another member of the group. It has the first version of its image. */
function comesLate(members: Member[], installation: Installation, chance: Chance): void {
  if (members.length >= membersAtMost) return;
  const name = `late-${members.length}`;
  const tier = chance.pick(installation.tiers.tiers.map((one) => one.name));
  const annotations = { ...plain, [tierKey]: tier, [groupKey]: group };
  const workload = {
    cluster: chance.pick(installation.clusterNames),
    namespace: "shop",
    kind: "Deployment",
    name,
  } as const;
  const member = { workload, containers: [{ name: "app", repository: "shop/api" }], annotations };
  members.push(member);
  create(member, installation);
}

function highestTag({ images }: Installation): string {
  return images.tags("shop/api").toSorted((one, other) => rankOf(other) - rankOf(one))[0] ?? "1.0.0";
}

function pushed(tag: string, isBroken: boolean, installation: Installation): void {
  const digest = installation.images.push("shop/api", tag, isBroken);
  installation.say(() => `someone pushes shop/api:${tag}, ${short(digest)}${isBroken ? ", which does not start" : ""}`);
  tellOfPush("shop/api", tag, digest, installation);
}

function nextTag(installation: Installation): string {
  const [, minor = "0"] = highestTag(installation).split(".");
  return `1.${Number(minor) + 1}.0`;
}

function pushAgain(_members: Member[], installation: Installation): void {
  pushed(highestTag(installation), false, installation);
}

/** Pushes one version after the other, so that no early member runs each. */
function pushBusily(_members: Member[], installation: Installation, chance: Chance): void {
  for (let more = 1 + chance.below(3); more > 0; more -= 1) pushed(nextTag(installation), false, installation);
}

function pushBroken(_members: Member[], installation: Installation): void {
  pushed(nextTag(installation), true, installation);
}

function unblockOne(members: readonly Member[], installation: Installation, chance: Chance): unknown {
  return lift(chance.pick(members), installation);
}

function releaseOne(members: readonly Member[], installation: Installation, chance: Chance): unknown {
  const member = chance.pick(members);
  return releasePast(["tier"], workloadKey(member.workload), member, installation);
}

/** Lets the cluster of the first tier give no answer, or answer again. */
function devLeaves(_members: Member[], installation: Installation, chance: Chance): void {
  if (installation.clusterNames.length < 2) return;
  const leaves = chance.happens(0.6);
  installation.clusterOf(devClusterName).unreachable(leaves);
  installation.say(() => `the cluster ${devClusterName} ${leaves ? "gives no answer" : "answers again"}`);
}

/** Starts Lookout with other tiers. Runs that are under way keep theirs. */
function rulesChange(_members: Member[], installation: Installation, chance: Chance): void {
  installation.tiers = anyTiers(chance);
  installation.say(() => `lookout.yaml gets the tiers ${JSON.stringify(installation.tiers.tiers)}`);
}
