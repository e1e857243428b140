import type { ImageChange } from "#domain/workload/patch";
import { parseSettings } from "#domain/settings/settings";
import type { KeptImage, PassableGate } from "#domain/workload/control";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { workloadKey } from "#domain/workload/workload";
import { rankOf, short, tagOf } from "#test/model/image-text";
import type { Images } from "#test/model/world/images";
import type { Complain } from "./complain.ts";

/** What a person asked Lookout to do to a workload. */
export type Asked =
  | { readonly as: "set" | "rollback"; readonly version?: string }
  | { readonly as: "skip" | "end-skip"; readonly tag: string; readonly until?: number }
  | { readonly as: "release"; readonly gates: readonly PassableGate[] }
  | { readonly as: "suspend" | "resume" | "retry" };

/** An image that a container keeps since a request. */
export interface Kept extends Pick<KeptImage, "as" | "imageName" | "tag" | "digest"> {
  /** The tick at which the request was stored. */
  readonly since: number;
  /** The number of names that images had when the request was sent. */
  readonly names: number;
  /** The digests that Lookout knew. Absent: the registry answered, so that Lookout knew all. */
  readonly known?: ReadonlySet<string>;
  /** The tag of the failed update that returned to this image. Absent: a person asked. */
  readonly failed?: string;
  /** True: Lookout knew which tags the policy preferred, so that the container leaves them. */
  readonly leaves: boolean;
  /** The policies of the workload at the request. With others, another image may be the newest. */
  readonly policies: string;
}

interface Skip {
  readonly imageName: string;
  readonly tag: string;
  readonly since: number;
  readonly until: number;
}

/** A forward patch that landed, and the tick at which its run read the record. */
export interface ForwardPatch {
  readonly record: WorkloadRecord;
  readonly tick: number;
  readonly updateLabel: string;
  readonly changes: readonly ImageChange[];
  /** The simulated time of the patch, later by the largest error of its clock. */
  readonly at: number;
}

/** What the person's requests allow an update. */
export interface Allowed {
  /** True: a person requested this rollback, so that it passes most gates. */
  readonly isRollback: boolean;
  /** The containers whose image a person requested. */
  readonly requested: ReadonlySet<string>;
  readonly passes: (gate: PassableGate) => boolean;
}

/** Records what people asked for, and judges whether Lookout does it. */
export interface RequestJudge {
  /**
   * Records a request before it has an effect. `names`: the number of names that images have. The id {@link anyId} is
   * that of all requests whose id is unknown.
   */
  asks(id: string, asked: Asked, names: number): void;
  /**
   * Records a stored version, and returns the images that it keeps by a request. `sawRegistry`: the registry
   * answered all calls of its run.
   */
  stored(
    before: WorkloadRecord | undefined,
    after: WorkloadRecord,
    tick: number,
    sawRegistry: boolean,
  ): readonly KeptImage[];
  /** Records that a person or a program wrote the image of a container. */
  moved(workload: string, container: string): void;
  recreated(workload: string): void;
  skippedTags(workload: string): readonly string[];
  kept(workload: string): ReadonlyMap<string, Kept>;
  /** Returns whether the image of a container is not newer than all that existed when its image was requested. */
  isOldFor(container: string, image: string, record: WorkloadRecord, images: Images): boolean;
  /** Returns whether a requested rollback left a digest of a workload. */
  hasLeft(workload: string, digest: string): boolean;
  allowed(record: WorkloadRecord): Allowed;
  checkPatched(patch: ForwardPatch, images: Images): void;
}

/** The id of requests whose id the simulation does not choose. */
export const anyId = "*";

/** Returns a judge without requests. */
export function requestJudge(complain: Complain): RequestJudge {
  const asked = new Map<string, { readonly asked: Asked; readonly names: number }>();
  const kept = new Map<string, Map<string, Kept>>();
  const requested = new Set<string>();
  /** The ended requests whose preferred tags a container of a workload does not get. */
  const leaving = new Map<string, Kept>();
  const skips = new Map<string, Skip[]>();
  const suspendedAt = new Map<string, number>();
  const released = new Set<string>();
  const left = new Set<string>();
  const known = new Map<string, Set<string>>();
  const keptOf = (workload: string): Map<string, Kept> => {
    const of = kept.get(workload) ?? new Map<string, Kept>();
    kept.set(workload, of);
    return of;
  };
  const endKept = (workload: string, name: string): void => {
    const ended = keptOf(workload).get(name);
    if (ended?.leaves === true) leaving.set(`${workload} ${name}`, ended);
    keptOf(workload).delete(name);
  };
  const judge: RequestJudge = {
    asks: (id, what, names) => void asked.set(id, { asked: what, names }),
    stored(before, after, tick, sawRegistry) {
      const workload = workloadKey(after.workload);
      const knows = known.get(workload) ?? new Set<string>();
      known.set(workload, knows);
      const request = asked.get(after.cause.slice(after.cause.indexOf(":") + 1)) ?? asked.get(anyId);
      for (const { action, what, changes, seq } of after.transitions) {
        const act = action?.what;
        if (act === "resume") {
          keptOf(workload).clear();
          forget(leaving, workload);
          suspendedAt.delete(workload);
        }
        if (act === "suspend") suspendedAt.set(workload, tick);
        if (act === "release" && request?.asked.as === "release")
          for (const gate of request.asked.gates)
            for (const { digest } of changes) released.add([workload, seq, gate, digest].join(" "));
        if (act === "skip" && request?.asked.as === "skip") {
          const { tag, until = Infinity } = request.asked;
          const fresh = (after.skips ?? []).filter((one) => one.tag === tag).map(({ imageName }) => imageName);
          if (fresh.length === 0) complain("S22", `${workload} was asked to skip ${tag}, and does not`);
          const others = (skips.get(workload) ?? []).filter((one) => one.tag !== tag);
          skips.set(workload, [...others, ...fresh.map((imageName) => ({ imageName, tag, since: tick, until }))]);
        }
        if (act === "end-skip")
          skips.set(
            workload,
            (skips.get(workload) ?? []).filter(({ tag }) => after.skips?.some((one) => one.tag === tag) === true),
          );
        if (what === "version-kept" && request !== undefined) checkNamed(request.asked, after, complain);
        if (what === "unblocked" && act !== "release") forget(left, workload);
        if (what === "digests-unblocked") forget(left, workload);
        if (what === "succeeded")
          for (const { name, digest } of after.last?.changes ?? [])
            if (keptOf(workload).get(name)?.digest !== digest) endKept(workload, name);
      }
      for (const { digest, reason } of after.blocked)
        if (
          reason === "rollback-requested" &&
          before?.blocked.some((one) => one.digest === digest && one.reason === reason) !== true
        )
          left.add(`${workload} ${digest}`);
      // What nobody asked for is no request.
      const isAsked = ({ as, by }: KeptImage): boolean => as === request?.asked.as || by === rollbackTarget;
      const fresh = newlyKept(before, after).filter(isAsked);
      for (const { as, container, imageName, tag, digest, newest, by } of fresh) {
        const byTarget = by === rollbackTarget;
        requested.add([workload, container, digest, as].join(" "));
        leaving.delete(`${workload} ${container}`);
        keptOf(workload).set(container, {
          ...{ as, imageName, tag, digest, since: tick, names: request?.names ?? 0 },
          ...(sawRegistry && !byTarget ? {} : { known: new Set(knows) }),
          ...(byTarget ? { failed: newest.tag ?? "" } : {}),
          policies: policiesOf(after),
          leaves: sawRegistry && !byTarget && isSemver(after, container),
        });
      }
      for (const digest of digestsIn(after)) knows.add(digest);
      return fresh;
    },
    moved(workload, container) {
      keptOf(workload).delete(container);
      leaving.delete(`${workload} ${container}`);
    },
    recreated(workload) {
      kept.delete(workload);
      forget(leaving, workload);
      known.delete(workload);
    },
    skippedTags: (workload) => (skips.get(workload) ?? []).map(({ tag }) => tag),
    kept: keptOf,
    isOldFor(name, image, record, images) {
      const keeps = keptOf(workloadKey(record.workload)).get(name);
      const [text = ""] = image.split("@");
      if (keeps === undefined || !text.startsWith(`${keeps.imageName}:`)) return false;
      const shown = { name, imageName: keeps.imageName, tag: tagOf(text), digest: images.digestOf(image) ?? "" };
      return isOld(shown, keeps, record, images);
    },
    hasLeft: (workload, digest) => left.has(`${workload} ${digest}`),
    allowed(record) {
      const workload = workloadKey(record.workload);
      const { seq, changes, requested: request } = record.active ?? record.pending ?? { seq: 0, changes: [] };
      const byPerson = (as: KeptImage["as"]): readonly ImageChange[] =>
        changes.filter(({ name, digest }) => requested.has([workload, name, digest, as].join(" ")));
      // A rollback that has landed comes back as a set version.
      const either = request?.as === "rollback" ? byPerson("rollback") : [...byPerson("set"), ...byPerson("rollback")];
      const own = request === undefined ? [] : either;
      return {
        isRollback: request?.as === "rollback" && own.length === changes.length,
        requested: new Set(own.map(({ name }) => name)),
        passes: (gate) =>
          changes.length > 0 && changes.every(({ digest }) => released.has([workload, seq, gate, digest].join(" "))),
      };
    },
    checkPatched({ record, tick, updateLabel, changes, at }, images) {
      const workload = workloadKey(record.workload);
      const { isRollback, requested: own } = judge.allowed(record);
      const wrote = (rule: string, { to }: ImageChange, what: string): void =>
        complain(rule, `${updateLabel} wrote ${short(to)}, although ${what}`);
      const suspended = suspendedAt.get(workload);
      if (suspended !== undefined && suspended < tick && !isRollback)
        complain("S23", `${updateLabel} was written although a person had suspended ${workload}`);
      for (const change of changes) {
        const { name, imageName, tag, digest } = change;
        if (record.active?.requested !== undefined && !own.has(name))
          wrote("S24", change, `nobody requested it, and ${record.active.requested.by} requested the update`);
        if (left.has(`${workload} ${digest}`)) wrote("S3 (requested)", change, "a requested rollback had left it");
        if (own.has(name)) continue;
        const skip = skips.get(workload)?.find((one) => one.imageName === imageName && one.tag === tag);
        if (skip !== undefined && skip.since < tick && skip.until > at) wrote("S22", change, "a person skips this tag");
        const former = leaving.get(`${workload} ${name}`);
        if (former?.policies === policiesOf(record) && hasLeftTag(former, change, images))
          wrote("S21", change, `it was left for ${former.tag}, which was requested`);
        const keeps = keptOf(workload).get(name);
        if (keeps === undefined || keeps.since >= tick || keeps.imageName !== imageName) continue;
        if (keeps.policies !== policiesOf(record)) continue;
        if (keeps.digest !== digest && isOld(change, keeps, record, images))
          wrote("S21", change, `${keeps.tag} ${short(keeps.digest)} was requested, and this is not newer`);
      }
    },
  };
  return judge;
}

/** Returns the images that a version of a record keeps, and the version before it did not. */
function newlyKept(before: WorkloadRecord | undefined, { kept = [] }: WorkloadRecord): readonly KeptImage[] {
  const id = ({ container, digest, as, by, at }: KeptImage): string => [container, digest, as, by, at].join(" ");
  const old = new Set(before?.kept?.map(id));
  return kept.filter((one) => !old.has(id(one)));
}

/** The annotation that keeps an image as a person's request does. */
const rollbackTarget = "lookout.dev/rollback-to";

/** Checks that the stored images are those that the person named. */
function checkNamed(asked: Asked, { kept = [], workload }: WorkloadRecord, complain: Complain): void {
  if (asked.as !== "set" && asked.as !== "rollback") return;
  const { version } = asked;
  if (version === undefined) return;
  const digits = version.replace(/^sha256:/, "");
  const isNamed = ({ tag, digest }: KeptImage): boolean => tag === version || digest.slice(7).startsWith(digits);
  if (!kept.some(isNamed)) complain("S24", `${workload.name} keeps no ${version}, which a person had named`);
}

/** Returns the settings of a workload that say which image is the newest. */
function policiesOf({ observed: { annotations } }: WorkloadRecord): string {
  const says = (key: string): boolean => /policy$|tags$|tag-pattern$|order$/.test(key);
  return JSON.stringify(Object.entries(annotations).filter(([key]) => says(key)));
}

/** Returns whether an image is not newer than all that existed at a request. */
function isOld(
  { name, imageName, tag, digest }: Pick<ImageChange, "name" | "imageName" | "tag" | "digest">,
  kept: Kept,
  record: WorkloadRecord,
  images: Images,
): boolean {
  const { names, known, failed } = kept;
  const text = `${imageName}:${tag}`;
  const existed = images.namedBefore(text, digest, names);
  const { containers } = parseSettings(record.observed.annotations, record.observed.containers);
  if (failed !== undefined) return isSemver(record, name) && rankOf(tag) < rankOf(failed);
  // Only Lookout knows which moves it has seen.
  const all = known === undefined && containers[name]?.policy.kind !== "latest";
  if (!all) return existed && known?.has(digest) === true;
  if (existed) return true;
  const before = images.tagsBefore(imageName, names);
  // A tag that existed is newer only if the highest tag moved.
  const isAbove = before.includes(tag) ? before.every((one) => rankOf(one) <= rankOf(tag)) : isHigher(tag, kept);
  return isSemver(record, name) && !isAbove;
}

function isSemver({ observed: { annotations, containers } }: WorkloadRecord, container: string): boolean {
  return parseSettings(annotations, containers).containers[container]?.policy.kind === "semver";
}

/** Returns whether an image existed at a request, and its tag was above the requested one. */
function hasLeftTag(
  kept: Kept,
  { imageName, tag, digest }: Pick<ImageChange, "imageName" | "tag" | "digest">,
  images: Images,
): boolean {
  const isSame = kept.imageName === imageName && isHigher(tag, kept);
  return isSame && images.namedBefore(`${imageName}:${tag}`, digest, kept.names);
}

function isHigher(tag: string, { tag: kept }: Pick<Kept, "tag">): boolean {
  return rankOf(tag) > rankOf(kept);
}

/** Returns the digests that a record shows. */
function digestsIn({ observed, pending, active, last }: WorkloadRecord): readonly string[] {
  const changes = [pending, active, last].flatMap((update) => update?.changes ?? []);
  const shown = observed.containers.flatMap(({ digest, baseline }) => [digest, baseline]);
  return [...changes.flatMap(({ digest, fromDigest }) => [digest, fromDigest]), ...shown].filter(
    (digest) => digest !== undefined,
  );
}

function forget(all: Set<string> | Map<string, unknown>, workload: string): void {
  for (const name of all.keys()) if (name.startsWith(`${workload} `)) all.delete(name);
}
