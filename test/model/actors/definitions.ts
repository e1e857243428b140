import type { DefinitionKind } from "#domain/definitions/definition";
import type { WorkloadName } from "#domain/workload/workload";
import type { Chance } from "#test/model/chance";
import { type Draft, type PolicyDraft, type ServiceDraft, specOf, targets } from "#test/model/history/definition-log";
import { clusterName, type Installation } from "#test/model/world/installation";
import type { Member, Place } from "./members.ts";

const namespace = "shop";
const labelKey = "upgrade-tier";
const policyKey = "lookout.dev/policy";
const serviceSettings = { [policyKey]: "service-image" };

/** Empty: none. */
const labels = ["early", "beta", ""] as const;
const policyNames = ["one", "two", "three"] as const;
const serviceNames = ["api", "second"] as const;
/** Empty: none. */
const patterns = ["", "", String.raw`1\.[0-9]+\.0`, String.raw`1\.[0-3]\..*`] as const;

/** Lets definitions count, and returns where the workloads are: most get their images by a definition. */
export function setDefinitions(installation: Installation, chance: Chance): (name: string) => Place {
  installation.definitions = true;
  const isOneService = chance.happens(0.4);
  return () => {
    const role = chance.weigh([
      [isOneService ? 100 : 0, "service"],
      [5, "service"],
      [4, "policy"],
      [1, "own"],
    ] as const);
    const waits = chance.weigh<Readonly<Record<string, string>>>([
      [8, {}],
      [1, { "lookout.dev/approval-required": "true" }],
      [1, { "lookout.dev/maintenance-window": "10:05-10:20" }],
    ]);
    if (role === "own") return { cluster: clusterName, annotations: {}, isPlain: false };
    const place = { cluster: clusterName, isPlain: true } as const;
    if (role === "policy") return { ...place, annotations: waits, isEnabled: false };
    const label = chance.pick(labels);
    return {
      ...place,
      annotations: { ...serviceSettings, ...waits },
      ...(label === "" ? {} : { labels: { [labelKey]: label } }),
    };
  };
}

/** Creates one to three definitions. */
export function defineFirst(members: readonly Member[], installation: Installation, chance: Chance): void {
  define(anyService(installation, chance), installation);
  for (let more = chance.below(3); more > 0; more -= 1) create(members, installation, chance);
}

type Act = (members: readonly Member[], installation: Installation, chance: Chance) => void;

/** What happens about definitions, with its weight. */
const acts: readonly (readonly [weight: number, act: Act])[] = [
  [3, create],
  [8, change],
  [2, makeWrong],
  [3, correct],
  [1.5, remove],
  [1, recreate],
  [2, relabel],
  [1, askOrNot],
  [0.5, removeOrInstallKind],
  [1, denyOrAllowKind],
  [1, leaveOrAnswer],
  [1, denyOrAllowStatus],
];

/** Lets something about definitions change: one of them, the workloads of one, or what the cluster answers about them. */
export function definitionsChange(members: readonly Member[], installation: Installation, chance: Chance): void {
  chance.weigh(acts)(members, installation, chance);
}

/** Ends all faults of definitions. Kinds that are gone stay away. */
export function endDefinitionFaults({ definitionRights }: Installation): void {
  definitionRights.denied.clear();
  definitionRights.isAway = false;
  definitionRights.isStatusDenied = false;
}

/** Applies a definition, as a person does. */
export function define(draft: Draft, installation: Installation): void {
  const { cluster, witness, say } = installation;
  const { kind, name } = draft;
  const { definitionObjects } = cluster;
  if (!definitionObjects.isKnown(kind)) return;
  definitionObjects.apply(kind, { namespace, name }, specOf(draft));
  const stored = definitionObjects.all().find((one) => one.kind === kind && one.name === name);
  if (stored === undefined) return;
  const { uid, generation, createdAt } = stored;
  witness.definitions.log.add({ draft, uid, generation, createdAt });
  say(
    () =>
      `a person applies ${kind} ${name}, generation ${generation} of ${uid.slice(0, 6)}: ${JSON.stringify(specOf(draft))}`,
  );
}

/** Returns the present definitions. */
function present({ cluster, witness }: Installation): readonly Draft[] {
  return cluster.definitionObjects.all().flatMap((one) => witness.definitions.log.find(one)?.draft ?? []);
}

function create(members: readonly Member[], installation: Installation, chance: Chance): void {
  define(
    chance.happens(0.5) ? anyService(installation, chance) : anyPolicy(members, installation, chance),
    installation,
  );
}

function anyService(installation: Installation, chance: Chance): ServiceDraft {
  const repository = anyRepository(chance);
  const tiers = chance.weigh([
    [2, []],
    [3, ["early", ""]],
    [3, ["early", "beta", ""]],
    [1, ["early"]],
  ]);
  const tags = tagsOf(repository, installation);
  return {
    kind: "ServiceImage",
    name: chance.pick(serviceNames),
    repository,
    defaultTag: chance.pick(tags),
    tiers: tiers.map((upgradeTier, index) => ({
      upgradeTier,
      priority: tiers.length - index,
      ...tagOrNot(tags, chance),
    })),
  };
}

function anyPolicy(members: readonly Member[], _installation: Installation, chance: Chance): PolicyDraft {
  return {
    kind: "ImagePolicy",
    name: chance.pick(policyNames),
    repository: anyRepository(chance),
    ...anyStrategy(chance),
    target: anyTarget(members, chance),
  };
}

function anyRepository(chance: Chance): string {
  return chance.happens(0.9) ? "shop/api" : "shop/side";
}

function anyStrategy(chance: Chance): Pick<PolicyDraft, "strategy" | "pattern"> {
  const pattern = chance.pick(patterns);
  return chance.weigh<Pick<PolicyDraft, "strategy" | "pattern">>([
    [6, { strategy: "SemVer", ...(pattern === "" ? {} : { pattern }) }],
    [2, { strategy: "Regex", pattern: pattern === "" ? ".*" : pattern }],
    [0.5, { strategy: "Latest" }],
  ]);
}

function anyTarget(members: readonly Member[], chance: Chance): Pick<WorkloadName, "kind" | "name"> {
  const { kind, name } = chance.pick(members).workload;
  return chance.weigh([
    [9, { kind, name }],
    [1, { kind: chance.pick(targets), name: "missing" }],
  ]);
}

function tagsOf(repository: string, { images }: Installation): readonly string[] {
  const tags = images.tags(repository);
  // Now and then a tag that nobody pushed yet.
  const newest = tags.slice(-2);
  return [...tags, ...tags, ...newest, ...newest, ...newest, "1.98.0"];
}

function tagOrNot(tags: readonly string[], chance: Chance): { readonly tag?: string } {
  return chance.happens(0.35) ? { tag: chance.pick(tags) } : {};
}

function change(members: readonly Member[], installation: Installation, chance: Chance): void {
  const all = present(installation);
  if (all.length === 0) create(members, installation, chance);
  else define(changed(chance.pick(all), members, installation, chance), installation);
}

function changed(draft: Draft, members: readonly Member[], installation: Installation, chance: Chance): Draft {
  return draft.kind === "ImagePolicy"
    ? changedPolicy(draft, members, chance)
    : changedService(draft, installation, chance);
}

function changedPolicy({ pattern: _, ...draft }: PolicyDraft, members: readonly Member[], chance: Chance): PolicyDraft {
  const { strategy, ...kept } = draft;
  return chance.weigh<() => PolicyDraft>([
    [3, () => ({ ...kept, ...anyStrategy(chance) })],
    [2, () => ({ ...kept, ...anyStrategy(chance), target: anyTarget(members, chance) })],
    [1, () => ({ ...kept, ...anyStrategy(chance), repository: anyRepository(chance) })],
  ])();
}

function changedService(draft: ServiceDraft, installation: Installation, chance: Chance): ServiceDraft {
  const { repository, tiers } = draft;
  const tags = tagsOf(repository, installation);
  const some = <Thing>(all: readonly Thing[], one: (thing: Thing) => Thing): readonly Thing[] => {
    const at = chance.below(all.length);
    return all.map((thing, index) => (index === at ? one(thing) : thing));
  };
  return chance.weigh<() => ServiceDraft>([
    [5, () => ({ ...draft, defaultTag: chance.pick(tags) })],
    [4, () => ({ ...draft, defaultTag: chance.pick(tags), tiers: tiers.map(({ tag: __, ...tier }) => tier) })],
    [3, () => ({ ...draft, tiers: some(tiers, ({ tag: __, ...tier }) => ({ ...tier, ...tagOrNot(tags, chance) })) })],
    [2, () => ({ ...draft, tiers: some(tiers, (tier) => ({ ...tier, priority: chance.below(4) })) })],
    [1, () => ({ ...draft, tiers: tiers.slice(1) })],
    [1, () => ({ ...draft, tiers: anyService(installation, chance).tiers })],
    [0.5, () => ({ ...anyService(installation, chance), name: draft.name })],
  ])();
}

const wrongFields: Readonly<Record<Draft["kind"], readonly Readonly<Record<string, unknown>>[]>> = {
  ImagePolicy: [
    { repository: "not a repository" },
    { tagPolicy: { strategy: "Newest" } },
    { tagPolicy: { strategy: "Regex", pattern: "(" } },
    { updateTarget: { kind: "Pod", name: "x", namespace } },
    { updateTarget: { kind: "Deployment", name: "api", namespace: "elsewhere" } },
    { pollIntervalMinutes: 0 },
  ],
  ServiceImage: [
    { defaultImage: 7, tiers: [] },
    { tiers: "none" },
    { tiers: [{ upgradeTier: "no label!" }] },
    { tiers: [{ upgradeTier: "", priority: 0.5 }] },
  ],
};

function makeWrong(_members: readonly Member[], installation: Installation, chance: Chance): void {
  const all = present(installation);
  if (all.length === 0) return;
  const draft = chance.pick(all);
  define({ ...draft, wrong: chance.pick(wrongFields[draft.kind]) }, installation);
}

function correct(_members: readonly Member[], installation: Installation, chance: Chance): void {
  const wrongOnes = present(installation).filter(({ wrong }) => wrong !== undefined);
  if (wrongOnes.length === 0) return;
  const { wrong: _, ...draft } = chance.pick(wrongOnes);
  define(draft, installation);
}

function remove(_members: readonly Member[], installation: Installation, chance: Chance): void {
  const { cluster, say } = installation;
  const all = present(installation);
  if (all.length === 0) return;
  const { kind, name } = chance.pick(all);
  cluster.definitionObjects.remove(kind, { namespace, name });
  say(() => `a person deletes ${kind} ${name}`);
}

function recreate(_members: readonly Member[], installation: Installation, chance: Chance): void {
  const all = present(installation);
  if (all.length === 0) return;
  const draft = chance.pick(all);
  installation.cluster.definitionObjects.remove(draft.kind, { namespace, name: draft.name });
  installation.say(() => `a person deletes ${draft.kind} ${draft.name}`);
  define(draft, installation);
}

function relabel(members: readonly Member[], installation: Installation, chance: Chance): void {
  const { workload } = chance.pick(members);
  if (installation.cluster.object(workload) === undefined) return;
  const label = chance.pick([...labels, "gamma"]);
  installation.cluster.label(workload, { [labelKey]: label === "" ? undefined : label });
  installation.say(() => `a person sets the label ${labelKey} of ${workload.name} to ${label || "nothing"}`);
}

/** Asks for a ServiceImage, or takes the annotation away. */
function askOrNot(members: readonly Member[], installation: Installation, chance: Chance): void {
  const { workload } = chance.pick(members);
  const annotations = installation.cluster.object(workload)?.metadata.annotations;
  if (annotations?.["lookout.dev/enabled"] !== "true") return;
  const asks = annotations[policyKey] === "service-image";
  if (!asks && annotations[policyKey] !== undefined) return;
  // Without the annotation, the defaults count.
  const policy = asks ? (chance.happens(0.5) ? "pinned" : undefined) : "service-image";
  installation.cluster.annotate(workload, { [policyKey]: policy });
  installation.say(() => `a person sets ${policyKey} of ${workload.name} to ${policy ?? "nothing"}`);
}

function anyKind(chance: Chance): DefinitionKind {
  return chance.pick(["ImagePolicy", "ServiceImage"]);
}

function removeOrInstallKind(_members: readonly Member[], { cluster, say }: Installation, chance: Chance): void {
  const kind = anyKind(chance);
  const { definitionObjects } = cluster;
  const isKnown = definitionObjects.isKnown(kind);
  if (isKnown) definitionObjects.uninstall(kind);
  else definitionObjects.install(kind);
  say(() => `a person ${isKnown ? "removes" : "installs"} the kind ${kind}`);
}

function denyOrAllowKind(
  _members: readonly Member[],
  { definitionRights: { denied }, say }: Installation,
  chance: Chance,
) {
  const [first] = denied;
  const kind = first ?? anyKind(chance);
  if (first === undefined) denied.add(kind);
  else denied.delete(kind);
  say(() => `Lookout may ${first === undefined ? "not " : ""}list ${kind}`);
}

function leaveOrAnswer(_members: readonly Member[], { definitionRights, say }: Installation): void {
  definitionRights.isAway = !definitionRights.isAway;
  say(() => `the API of definitions ${definitionRights.isAway ? "gives no answer" : "answers again"}`);
}

function denyOrAllowStatus(_members: readonly Member[], { definitionRights, say }: Installation): void {
  definitionRights.isStatusDenied = !definitionRights.isStatusDenied;
  say(() => `Lookout may ${definitionRights.isStatusDenied ? "not " : ""}write statuses`);
}
