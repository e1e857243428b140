import type { Declared, DefinitionKind, DefinitionObject } from "#domain/definitions/definition";
import type { LiveWorkload } from "#domain/workload/workload";
import type { ImageChange } from "#domain/workload/patch";
import { host, short } from "#test/model/image-text";
import {
  type DefinitionLog,
  type DefinitionVersion,
  isOf,
  newDefinitionLog,
  tagsIn,
} from "#test/model/history/definition-log";
import type { Complain } from "./complain.ts";
import type { Allowed } from "./requests.ts";

/** A list of definitions that a run got. */
export interface ListedDefinitions {
  readonly tick: number;
  /** When the run first read what the store has. */
  readonly readTick: number;
  readonly asked: readonly DefinitionKind[];
  readonly denied: readonly DefinitionKind[];
  readonly objects: readonly DefinitionObject[];
}

/** A patch that begins an update, with what its run read. */
interface BegunUpdate {
  readonly updateLabel: string;
  readonly live: LiveWorkload;
  /** The annotations of the object before the patch. */
  readonly own: Readonly<Record<string, string>>;
  /** What the store had about the workload's definitions. */
  readonly declared: readonly Declared[];
  readonly changes: readonly ImageChange[];
  readonly allowed: Allowed;
}

/** A workload at a sync. */
export interface SeenWorkload {
  readonly key: string;
  readonly uid: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** The images by container. */
  readonly images: ReadonlyMap<string, string>;
}

/** The workloads of the cluster when a sync listed the definitions. */
export interface Sight {
  readonly tick: number;
  readonly at: number;
  readonly workloads: ReadonlyMap<string, SeenWorkload>;
}

/** A write of definitions to the store. */
interface Write {
  readonly tick: number;
  readonly run: number;
}

/** Judges what Lookout does by definitions, and what it says of them. */
export interface DefinitionJudge {
  readonly log: DefinitionLog;
  readonly sights: Sight[];
  /** What the store has. */
  stored(): readonly Declared[];
  /** Records that a run wrote definitions, and what the store has now. */
  wrote(write: Write, all: readonly Declared[]): void;
  /** Checks at the end of a sync that the store has the definitions that it listed. */
  checkSynced(run: number, listed: ListedDefinitions): void;
  checkBegun(update: BegunUpdate): void;
}

/** Returns a judge that knows no definition. */
export function definitionJudge(complain: Complain): DefinitionJudge {
  const log = newDefinitionLog();
  let stored: readonly Declared[] = [];
  const writes: Write[] = [];
  const judge: DefinitionJudge = {
    log,
    sights: [],
    stored: () => stored,
    wrote(write, all) {
      writes.push(write);
      stored = all;
    },
    checkSynced(run, { readTick, asked, denied, objects }) {
      const counts = asked.filter((kind) => kind !== "ImageRegistry" && !denied.includes(kind));
      // Another sync may have listed later, or earlier. This one does not see what that stores meanwhile.
      if (writes.some((one) => one.run !== run && one.tick > readTick)) return;
      const has = new Set(objects.map(versionText));
      for (const declared of stored)
        if (counts.includes(declared.kind) && declared.ends !== true && !has.has(versionText(declared)))
          complain("S26", `after a sync, the store has ${versionText(declared)}, which the cluster does not have`);
      const known = new Set(stored.map(versionText));
      // The former version of a policy first ends its rollout, in the place of the next one.
      const ending = new Set(stored.flatMap((one) => (one.ends === true ? [one.name] : [])));
      for (const object of objects)
        if (counts.includes(object.kind) && !known.has(versionText(object)) && !ending.has(object.name))
          complain("S26", `after a sync, the store does not have ${versionText(object)}`);
    },
    checkBegun(update) {
      const { own } = update;
      const wrong = own["lookout.dev/enabled"] === undefined ? policyWrongs(update, log) : serviceWrongs(update, log);
      for (const [rule, what] of wrong) complain(rule, `${update.updateLabel} was written ${what}`);
    },
  };
  return judge;
}

type Wrong = readonly [rule: string, what: string];

/** Returns what is wrong with an update of a workload that nobody enabled: only an ImagePolicy may begin it. */
function policyWrongs(update: BegunUpdate, log: DefinitionLog): readonly Wrong[] {
  const { declared, changes, live, allowed } = update;
  // Those without a target are about no workload.
  const policies = declared.filter(({ kind, target }) => kind === "ImagePolicy" && target !== undefined);
  const versions = policies.flatMap((one) => log.find(one) ?? []);
  const isTarget = ({ draft }: DefinitionVersion): boolean =>
    draft.kind === "ImagePolicy" &&
    draft.target.kind === live.workload.kind &&
    draft.target.name === live.workload.name;
  const closing = policies.filter((one) => one.ends === true || log.find(one)?.draft.wrong !== undefined);
  if (closing[0] !== undefined && !allowed.isRollback)
    return [["S28", `although ${closing.map(versionText).join(" and ")} is wrong or gone`]];
  const mine = versions.filter(isTarget);
  return changes
    .filter(({ name, to }) => !mine.some(({ draft }) => allowed.requested.has(name) || isOf(draft, to)))
    .map(({ to }) => ["S26", `with ${short(to)}, although nobody enabled the workload and no ImagePolicy names it`]);
}

/** Returns what is wrong with an update of a workload that asks for a ServiceImage. Empty for other workloads. */
function serviceWrongs({ own, declared, changes, allowed }: BegunUpdate, log: DefinitionLog): readonly Wrong[] {
  if (own["lookout.dev/policy"] !== "service-image") return [];
  const services = declared.filter(({ kind }) => kind === "ServiceImage");
  return changes.flatMap(({ name, to, tag }): readonly Wrong[] => {
    if (allowed.isRollback || allowed.requested.has(name)) return [];
    const ever = log.all.filter(({ draft }) => draft.kind === "ServiceImage" && isOf(draft, to));
    const isNamed = ever.some(({ draft }) => draft.kind === "ServiceImage" && tagsIn(draft).includes(tag));
    if (!isNamed) return [["S27", `with ${short(to)}, which no ServiceImage ever named`]];
    const versions = services.flatMap((one) => log.find(one) ?? []);
    const opens = versions.some(({ draft }) => draft.wrong === undefined && isOf(draft, to));
    return opens ? [] : [["S28", `with ${short(to)}, although no ServiceImage of its repository is right`]];
  });
}

/** Returns a definition with its version. */
export function versionText({
  kind,
  name,
  uid,
  generation,
}: Pick<Declared, "kind" | "name" | "uid" | "generation">): string {
  return `${kind} ${name} ${uid.slice(0, 6)}@${generation}`;
}

/** Returns the uid of the ServiceImage that decides about images: the oldest one of any of their repositories. */
export function ownerOf(images: readonly string[], services: readonly Declared[]): string | undefined {
  const names = images.map((image) => image.split("@")[0]?.split(/:(?=[^/]*$)/)[0] ?? "");
  const [owner] = services
    .filter(({ kind, imageName = "" }) => kind === "ServiceImage" && imageName.startsWith(host))
    .filter(({ imageName }) => names.some((name) => name === imageName))
    .toSorted((one, other) => one.createdAt - other.createdAt || (one.name < other.name ? -1 : 1));
  return owner?.uid;
}
