/** Random edits of lookout.yaml, as users make them between two deployments. */
import type { Chance } from "#test/model/chance";

interface EditedCluster {
  readonly name: string;
  readonly eks: {
    readonly name: string;
    readonly region?: string;
    readonly roleArn?: string;
    readonly accessEntry?: false;
  };
  readonly network?: { readonly vpc: string; readonly subnets: readonly string[] };
}

/** The edited parts of lookout.yaml. */
export interface Edited {
  readonly clusters: readonly EditedCluster[];
  readonly receivers: readonly { readonly name: string; readonly kind: string; readonly secretId: string }[];
  readonly accounts: readonly string[];
  readonly alarms: { readonly email: readonly string[] };
  readonly channels: readonly { readonly name: string; readonly clusters?: readonly string[] }[];
  readonly checks: readonly { readonly name: string; readonly address: string; readonly secretId: string }[];
  readonly tiers: readonly { readonly name: string }[];
}

/** The edited properties of `LookoutMember`. */
export interface EditedMember {
  readonly clusterNames: readonly string[];
  readonly clusterNamesWithoutEntry: readonly string[];
  readonly readsLayers: boolean;
}

/** The account and the region of the tested stack. */
export const home = { account: "111122223333", region: "eu-central-1" };

// Few values, so that an edit often takes up a value that an earlier edit gave up. Some differ only
// in characters that logical ids omit.
const names = ["prod", "pro-d", "stage", "live", "a-b", "ab"];
const eksNames = ["prod", "pro_d", "pro-d", "stage", "Stage"];
const regions = [{}, { region: home.region }, { region: "eu-west-1" }];
const roles = [{}, ...["111122223333", "210987654321"].map((id) => ({ roleArn: `arn:aws:iam::${id}:role/lookout` }))];
const networks = [
  {},
  ...["0a1b2c3d", "0a1b2c3e"].map((id) => ({ network: { vpc: `vpc-${id}`, subnets: [`subnet-${id}`] } })),
];
const emails = ["ops@example.com", "o.ps@example.com", "team@example.com"];
const tiers = [{ name: "dev" }, { name: "prod" }];
const accounts = ["210987654321", "310987654321"];

type Edit = (file: Edited, chance: Chance) => Edited;

const aCluster = (chance: Chance): EditedCluster => ({
  name: chance.pick(names),
  eks: { name: chance.pick(eksNames) },
  ...chance.pick(networks),
});

/** Returns the edit of one cluster. It changes nothing without a cluster. */
const ofCluster =
  (change: (cluster: EditedCluster, chance: Chance) => EditedCluster): Edit =>
  (file, chance) => {
    if (file.clusters.length === 0) return file;
    const edited = chance.below(file.clusters.length);
    return { ...file, clusters: file.clusters.map((one, index) => (index === edited ? change(one, chance) : one)) };
  };

const ofEks = (change: (eks: EditedCluster["eks"], chance: Chance) => EditedCluster["eks"]): Edit =>
  ofCluster((cluster, chance) => ({ ...cluster, eks: change(cluster.eks, chance) }));

const edits: readonly (readonly [weight: number, edit: Edit])[] = [
  [3, (file, chance) => ({ ...file, clusters: [...file.clusters, aCluster(chance)] })],
  [2, (file, chance) => ({ ...file, clusters: without(file.clusters, chance) })],
  [1, (file) => ({ ...file, clusters: file.clusters.toReversed() })],
  [3, ofCluster((cluster, chance) => ({ ...cluster, name: chance.pick(names) }))],
  [2, ofEks((eks, chance) => ({ ...eks, name: chance.pick(eksNames) }))],
  [2, ofEks(({ region: _, ...eks }, chance) => ({ ...eks, ...chance.pick(regions) }))],
  [2, ofEks(({ roleArn: _, ...eks }, chance) => ({ ...eks, ...chance.pick(roles) }))],
  [1, ofEks(({ accessEntry, ...eks }) => (accessEntry === undefined ? { ...eks, accessEntry: false } : eks))],
  [3, ofCluster(({ network: _, ...cluster }, chance) => ({ ...cluster, ...chance.pick(networks) }))],
  [
    1,
    (file, chance) => {
      const name = chance.pick(names);
      return { ...file, receivers: [...file.receivers, { name, kind: "generic", secretId: `lookout/${name}` }] };
    },
  ],
  [1, (file, chance) => ({ ...file, receivers: without(file.receivers, chance) })],
  [1, (file, chance) => ({ ...file, alarms: { email: without(emails, chance) } })],
  [
    1,
    (file, chance) => {
      const name = chance.pick(names);
      const channel = { name, kind: "webhook", address: `https://${name}.example.com/`, secretId: `lookout/${name}` };
      return { ...file, channels: [...file.channels, channel] };
    },
  ],
  [1, (file, chance) => ({ ...file, channels: without(file.channels, chance) })],
  [
    1,
    (file, chance) => ({ ...file, channels: file.channels.map((one) => ({ ...one, clusters: [chance.pick(names)] })) }),
  ],
  [
    1,
    (file, chance) => {
      const name = chance.pick(names);
      const check = { name, address: `https://${name}.example.com/`, secretId: `lookout/${name}` };
      return { ...file, checks: [...file.checks, check] };
    },
  ],
  [1, (file, chance) => ({ ...file, checks: without(file.checks, chance) })],
  [1, (file, chance) => ({ ...file, accounts: accounts.slice(0, chance.below(accounts.length + 1)) })],
  [1, (file, chance) => ({ ...file, tiers: tiers.slice(0, chance.below(tiers.length + 1)) })],
];

/** Returns the file after a random edit. The file may be invalid. */
export function edit(file: Edited, chance: Chance): Edited {
  return chance.weigh(edits)(file, chance);
}

const memberEdits: readonly (readonly [
  weight: number,
  edit: (member: EditedMember, chance: Chance) => EditedMember,
])[] = [
  [3, (member, chance) => ({ ...member, clusterNames: [...member.clusterNames, chance.pick(eksNames)] })],
  [2, (member, chance) => ({ ...member, clusterNames: without(member.clusterNames, chance) })],
  [1, (member) => ({ ...member, clusterNames: member.clusterNames.toReversed() })],
  [2, (member, chance) => ({ ...member, clusterNamesWithoutEntry: without(eksNames.slice(0, 2), chance) })],
  [1, (member) => ({ ...member, readsLayers: !member.readsLayers })],
];

/** Returns the properties after a random edit. */
export function editMember(member: EditedMember, chance: Chance): EditedMember {
  return chance.weigh(memberEdits)(member, chance);
}

function without<One>(all: readonly One[], chance: Chance): readonly One[] {
  return all.toSpliced(chance.below(all.length + 1), 1);
}
