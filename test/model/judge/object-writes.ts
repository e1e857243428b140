import { attributePrefix, restartedAtKey, updateLabelKey } from "#domain/workload/workload";
import { changedPaths, type Fields } from "#test/model/history/fields";
import { pinOf, rankOf, short, tagOf } from "#test/model/image-text";
import type { Complain } from "./complain.ts";

/** A landed write of a Lookout, with the object before and after. */
export interface LookoutWrite {
  /** The name of the workload. */
  readonly workload: string;
  readonly updateLabel: string;
  readonly before: Fields;
  readonly after: Fields;
  /** The images that the patch tests and writes. Unchanged images have equal texts. */
  readonly images: readonly { readonly name: string; readonly from: string; readonly to: string }[];
  /** The images of the update. A rollback replaces them. */
  readonly changes: readonly WrittenImage[];
  /** True: the pods restart by an annotation of their template. */
  readonly restarts: boolean;
  /**
   * The time before which Lookout must not write the images of the update again, because a registry
   * limited their pulls. Absent: it must never write them again after a rollback.
   */
  readonly limitedUntil?: number;
  /** The containers whose image a person requested. Absent: none. */
  readonly requested?: ReadonlySet<string>;
  /** True: a person requested this rollback, so that it passes most gates. */
  readonly isRequestedRollback?: boolean;
  /** True: a person requested that Lookout roll this update back. A retry does not free its images. */
  readonly wasLeft?: boolean;
  /** The containers of a rollback whose new images can run, while another's can't. Absent: none. */
  readonly sound?: readonly string[];
  /** True: an ImagePolicy names the workload, so that it needs no annotation of its own. */
  readonly isDeclared?: true;
  /** The containers whose definitions let their version become lower. */
  readonly mayLower?: ReadonlySet<string>;
  /** The simulated time of the write, later by the largest error of its clock. Absent: no time passes. */
  readonly at?: number;
}

/** The image of an update for a container, with the digest of its tag at the selection. */
interface WrittenImage {
  readonly name: string;
  readonly to: string;
  readonly digest: string;
}

/** A person's change of a container's image. */
export interface UserMove {
  readonly workload: string;
  readonly container: string;
  readonly from: string;
  /** The digests that the new image may mean. */
  readonly chosen: readonly string[];
  /** True: Lookout knew the replaced image, and must not write it again. */
  readonly known: boolean;
}

/** A manifest that was applied again, over Lookout's image of a container. */
export interface AppliedOver {
  readonly workload: string;
  readonly container: string;
  /** The simulated time before which Lookout must not write its image again. */
  readonly until: number;
}

/** Lookout's write to a container, and its update label. */
interface Written {
  readonly updateLabel: string;
  /** The digest. Undefined if a rollback did not change the image. */
  readonly digest: string | undefined;
}

/** Judges all writes of images to objects in order, and reports forbidden writes. */
export interface ObjectJudge {
  /** Returns the write of a container's image; undefined for a person's image. */
  standing(workload: string, container: string): Written | undefined;
  hasLanded(workload: string, updateLabel: string): boolean;
  /** Returns the number of landed writes of Lookout. */
  landed(): number;
  lookoutWrote(write: LookoutWrite): void;
  userMoved(move: UserMove): void;
  appliedOver(move: AppliedOver): void;
  recreated(workload: string): void;
  /** Records that a person unblocked a workload. */
  unblocked(workload: string): void;
  /** Records that a person requested a digest, by `lookout rollback` or by `lookout set`. */
  requested(workload: string, digest: string, as: "set" | "rollback"): void;
  /** Records that a person ended the hold after a revert. */
  holdEnded(workload: string): void;
  /** Records that a person retried the failures of a workload. */
  retried(workload: string): void;
}

interface Seen {
  readonly labels: Set<string>;
  /**
   * The installation that knows of a replaced digest, by workload and digest. Undefined: all
   * installations.
   */
  readonly left: Map<string, string | undefined>;
  readonly rolledBack: Set<string>;
  /** The digests whose rollback a person requested, keyed as `rolledBack`. */
  readonly leftByRequest: Set<string>;
  /** The time before which an installation must not write a digest again, by workload, installation and digest. */
  readonly heldUntil: Map<string, number>;
  /** The time before which a limited digest must not be written again, keyed as `heldUntil`. */
  readonly limitedUntil: Map<string, number>;
  readonly standing: Map<string, Written>;
}

type Rule = (write: LookoutWrite, seen: Seen) => readonly string[];

/** The invariants of single writes, with their checks. */
const forward: Readonly<Record<string, Rule>> = {
  S2: leftByUser,
  "S2 (applied)": tooSoon,
  S3: rolledBack,
  "S3 (limited)": limitedStill,
  S12: closed,
  S13: lower,
};
const back: Readonly<Record<string, Rule>> = { S4: changedSince };
const always: Readonly<Record<string, Rule>> = { S7: twice, S8: strayed };

/** Returns a judge without writes. */
export function objectJudge(complain: Complain): ObjectJudge {
  const seen: Seen = {
    labels: new Set(),
    left: new Map(),
    rolledBack: new Set(),
    leftByRequest: new Set(),
    heldUntil: new Map(),
    limitedUntil: new Map(),
    standing: new Map(),
  };
  return {
    standing: (workload, container) => seen.standing.get(`${workload} ${container}`),
    hasLanded: (workload, updateLabel) => seen.labels.has(`${workload} ${updateLabel}`),
    landed: () => seen.labels.size,
    lookoutWrote(write) {
      for (const [rule, broken] of Object.entries({ ...always, ...(isBack(write) ? back : forward) }))
        for (const what of broken(write, seen)) complain(rule, `${write.updateLabel} ${what}`);
      remember(write, seen);
    },
    userMoved({ workload, container, from, chosen, known }) {
      const written = seen.standing.get(`${workload} ${container}`);
      seen.standing.delete(`${workload} ${container}`);
      const by = written && installationOf(written.updateLabel);
      const digest = written === undefined ? idOf(from) : written.digest;
      if (known && digest !== undefined) seen.left.set(`${workload} ${digest}`, by);
      for (const one of chosen) seen.left.delete(`${workload} ${one}`);
    },
    appliedOver({ workload, container, until }) {
      const written = seen.standing.get(`${workload} ${container}`);
      seen.standing.delete(`${workload} ${container}`);
      if (written?.digest === undefined) return;
      seen.heldUntil.set(`${workload} ${installationOf(written.updateLabel)} ${written.digest}`, until);
    },
    recreated(workload) {
      forget(seen.left, workload);
      forget(seen.heldUntil, workload);
      forget(seen.limitedUntil, workload);
      forget(seen.standing, workload);
    },
    unblocked(workload) {
      forget(seen.left, workload);
      forget(seen.rolledBack, workload);
      forget(seen.leftByRequest, workload);
      forget(seen.heldUntil, workload);
      forget(seen.limitedUntil, workload);
    },
    requested(workload, digest, as) {
      seen.left.delete(`${workload} ${digest}`);
      if (as === "set") return;
      for (const held of [seen.heldUntil, seen.limitedUntil])
        for (const key of held.keys())
          if (key.startsWith(`${workload} `) && key.endsWith(` ${digest}`)) held.delete(key);
    },
    holdEnded: (workload) => forget(seen.left, workload),
    retried(workload) {
      forget(seen.rolledBack, workload);
      for (const key of seen.leftByRequest) if (key.startsWith(`${workload} `)) seen.rolledBack.add(key);
      forget(seen.limitedUntil, workload);
    },
  };
}

/** Returns the identity of an image: its pin, else its text. */
export function idOf(image: string): string {
  return pinOf(image) ?? image;
}

function remember(write: LookoutWrite, seen: Seen): void {
  const { workload, updateLabel, images, changes, limitedUntil, sound = [] } = write;
  seen.labels.add(`${workload} ${updateLabel}`);
  for (const { name, digest } of changes) {
    const key = `${workload} ${installationOf(updateLabel)} ${digest}`;
    const stops = isBack(write) && !sound.includes(name);
    if (stops && limitedUntil === undefined) seen.rolledBack.add(key);
    if (stops && limitedUntil !== undefined) seen.limitedUntil.set(key, limitedUntil);
    if (isBack(write) && write.wasLeft === true) seen.leftByRequest.add(key);
    const restored = images.find((image) => image.name === name)?.to;
    const shown = isBack(write) ? restored && idOf(restored) : digest;
    seen.standing.set(`${workload} ${name}`, { updateLabel, digest: shown });
  }
}

function leftByUser({ workload, updateLabel, changes }: LookoutWrite, { left }: Seen): readonly string[] {
  const knows = (key: string): boolean =>
    (left.get(key) ?? installationOf(updateLabel)) === installationOf(updateLabel);
  return changes
    .map(({ to, digest }) => ({ to, key: `${workload} ${digest}` }))
    .filter(({ key }) => left.has(key) && knows(key))
    .map(({ to }) => `wrote ${short(to)}, although a person moved the object off it`);
}

function tooSoon(
  { workload, updateLabel, changes, at = Infinity }: LookoutWrite,
  { heldUntil }: Seen,
): readonly string[] {
  return changes
    .filter(({ digest }) => {
      const until = heldUntil.get(`${workload} ${installationOf(updateLabel)} ${digest}`);
      return until !== undefined && at < until;
    })
    .map(({ to }) => `wrote ${short(to)} again too soon after a manifest was applied`);
}

function limitedStill(
  { workload, updateLabel, changes, at = Infinity }: LookoutWrite,
  { limitedUntil }: Seen,
): readonly string[] {
  return changes
    .filter(({ digest }) => at < (limitedUntil.get(`${workload} ${installationOf(updateLabel)} ${digest}`) ?? 0))
    .map(({ to }) => `wrote ${short(to)} again too soon after a registry limited its pulls`);
}

function rolledBack({ workload, updateLabel, changes }: LookoutWrite, { rolledBack }: Seen): readonly string[] {
  return changes
    .filter(({ digest }) => rolledBack.has(`${workload} ${installationOf(updateLabel)} ${digest}`))
    .map(({ to }) => `wrote ${short(to)}, which was rolled back before`);
}

function changedSince({ workload, updateLabel, images }: LookoutWrite, { standing }: Seen): readonly string[] {
  const update = updateLabel.replace(/-back$/, "");
  return images
    .filter(({ name }) => standing.get(`${workload} ${name}`)?.updateLabel !== update)
    .map(({ from }) => `rolled back ${short(from)}, which a person had set since`);
}

function twice({ workload, updateLabel }: LookoutWrite, { labels }: Seen): readonly string[] {
  return labels.has(`${workload} ${updateLabel}`) ? ["became the label twice"] : [];
}

function strayed({ before, after, images, restarts }: LookoutWrite): readonly string[] {
  const ours = [
    ...images.filter(({ from, to }) => from !== to).map(({ name }) => `/template/spec/containers/${name}/image`),
    ...(restarts ? [`/template/metadata/annotations/${restartedAtKey}`] : []),
  ];
  const isOurs = (path: string): boolean =>
    path === `labels/${updateLabelKey}` ||
    path.startsWith("annotations/lookout.dev/status.") ||
    path.includes(`/template/metadata/labels/${attributePrefix}`) ||
    ours.some((end) => path.endsWith(end));
  const paths = changedPaths(before, after).filter((path) => !isOurs(path));
  return paths.length === 0 ? [] : [`changed ${paths.join(", ")}`];
}

function closed({ before, isRequestedRollback, isDeclared }: LookoutWrite): readonly string[] {
  const is = (setting: string): boolean => before.get(`annotations/lookout.dev/${setting}`) === "true";
  const isTracked = is("enabled") || (isDeclared === true && !before.has("annotations/lookout.dev/enabled"));
  return [
    ...(is("suspend") && isRequestedRollback !== true ? ["was written although the workload is suspended"] : []),
    ...(isTracked ? [] : ["was written although the workload is not tracked"]),
  ];
}

function lower({ before, images, requested, mayLower }: LookoutWrite): readonly string[] {
  if ((before.get("annotations/lookout.dev/policy") ?? "semver") !== "semver") return [];
  return images
    .filter(
      ({ name, from, to }) =>
        requested?.has(name) !== true && mayLower?.has(name) !== true && rankOf(tagOf(to)) < rankOf(tagOf(from)),
    )
    .map(({ from, to }) => `went from ${short(from)} to the lower ${short(to)}`);
}

function isBack({ updateLabel }: LookoutWrite): boolean {
  return updateLabel.endsWith("-back");
}

const installationOf = (updateLabel: string): string => updateLabel.replace(/-.*/, "");

function forget(all: Map<string, unknown> | Set<string>, workload: string): void {
  for (const name of all.keys()) if (name.startsWith(`${workload} `)) all.delete(name);
}
