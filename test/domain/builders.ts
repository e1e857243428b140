import { withoutTiers } from "#domain/tiers/rules";
import { noCheckFacts } from "#domain/checks/facts";
import { noRules } from "#domain/approval/approvers";
import { parseSettings, type WorkloadSettings } from "#domain/settings/settings";
import type { GateFacts } from "#domain/gates/index";
import { nextVersion, type Step } from "#domain/update/effects/next-version";
import type { Decision } from "#domain/update/state/changes";
import { durationMs, epochMs, type EpochMs, seconds } from "#domain/shared/time";
import type {
  Limits,
  PatchingUpdate,
  PendingUpdate,
  ReleasedUpdate,
  RollingBackUpdate,
  RollingOutUpdate,
  Running,
  SucceededUpdate,
  WorkloadRecord,
} from "#domain/update/state/workload";
import type { RolloutWait } from "#domain/workload/health";
import type { ImageChange } from "#domain/workload/patch";
import type { ContainerState, Observed } from "#domain/workload/observed";
import type { LiveContainer, LiveWorkload, WorkloadName } from "#domain/workload/workload";

/** Reads an instant: `2026-03-02T12:00:00Z`. */
export const at = (text: string): EpochMs => epochMs(Date.parse(text));

/** A Monday, at noon. */
export const noon = at("2026-03-02T12:00:00Z");

/** The digest that is one hexadecimal digit, 64 times. */
export const digest = (digit: string): string => `sha256:${digit.repeat(64)}`;

/** The image name of the container `app`. */
export const imageName = "registry.test/shop/app";

/** An image with that name: `registry.test/shop/app:1.1.0`, pinned where a digit names a digest. */
export const image = (tag: string, digit?: string): string =>
  `${imageName}:${tag}${digit === undefined ? "" : `@${digest(digit)}`}`;

export const installation = "abc123";

export const limits: Limits = { settle: seconds(10), windowSpread: durationMs(0), maxConcurrentRollouts: 25 };

/** Nothing outside of the record holds anything, and slot 0 is free. */
export const openFacts: GateFacts = {
  quarantined: [],
  freezes: [],
  plannedFreezes: [],
  checks: noCheckFacts,
  sightings: [],
  approvalRules: noRules,
  votes: [],
  slot: 0,
  windowSpread: durationMs(0),
  tier: { kind: "first" },
};

export const api: WorkloadName = { cluster: "prod", namespace: "shop", kind: "Deployment", name: "api" };

/** A step at noon, or when it is said. */
export const step = (now: EpochMs = noon, cause = "test"): Step => ({ cause, now, tiers: withoutTiers });

/** The container `app` that has run 1.0.0 (digest 0) for long. */
export const aContainer = (given: Partial<ContainerState> = {}): ContainerState => ({
  list: "containers",
  name: "app",
  image: image("1.0.0"),
  digest: digest("0"),
  baseline: digest("0"),
  ...given,
});

export const anObserved = (given: Partial<Observed> = {}): Observed => ({
  containers: [aContainer()],
  annotations: { "lookout.dev/enabled": "true" },
  sourceMarks: {},
  ...given,
});

/** The record of a workload that runs 1.0.0, with nothing open. */
export const aRecord = (given: Partial<WorkloadRecord> = {}): WorkloadRecord => ({
  workload: api,
  uid: "uid-1",
  version: 5,
  seq: 0,
  cause: "before",
  changedAt: at("2026-03-02T11:00:00Z"),
  observed: anObserved(),
  blocked: [],
  selectionFailures: [],
  transitions: [{ seq: 0, what: "tracked", reasons: [], changes: [] }],
  effects: {},
  tracked: true,
  ...given,
});

/** The version of a record after a decision; undefined if nothing changes. */
export function decided(record: WorkloadRecord, decision: Decision, now?: EpochMs): WorkloadRecord;
export function decided(
  record: WorkloadRecord,
  decision: Decision | undefined,
  now?: EpochMs,
): WorkloadRecord | undefined;
export function decided(record: WorkloadRecord, decision: Decision | undefined, now = noon) {
  return decision && nextVersion(record, decision, step(now));
}

/** From 1.0.0 to 1.1.0 (digest 1), pinned. */
export const aChange = (given: Partial<ImageChange> = {}): ImageChange => ({
  list: "containers",
  name: "app",
  imageName,
  tag: "1.1.0",
  digest: digest("1"),
  apply: "pin",
  from: image("1.0.0"),
  to: image("1.1.0", "1"),
  fromDigest: digest("0"),
  policy: "semver",
  ...given,
});

/** From 1.0.0 to 1.2.0 (digest 2), pinned. */
export const aNewerChange = (given: Partial<ImageChange> = {}): ImageChange =>
  aChange({ tag: "1.2.0", digest: digest("2"), to: image("1.2.0", "2"), ...given });

const core = { seq: 1, detectedAt: at("2026-03-02T11:59:00Z"), source: "webhook distribution", selectedAt: noon };

export const aPending = (given: Partial<PendingUpdate> = {}): PendingUpdate => ({
  ...core,
  changes: [aChange()],
  status: "held",
  waits: [{ reason: "suspended" }],
  ...given,
});

export const aReleased = (given: Partial<ReleasedUpdate> = {}): ReleasedUpdate => ({
  ...core,
  changes: [aChange()],
  status: "released",
  releasedAt: noon,
  slot: 0,
  ...given,
});

/** An update whose intent is stored. */
export const aPatching = (given: Partial<PatchingUpdate> = {}): PatchingUpdate => ({
  ...aReleased(),
  status: "patching",
  ...given,
});

/** Ten past noon. */
export const tenPast = at("2026-03-02T12:10:00Z");

/** An update whose patch landed at noon and that fails at ten past. */
export const aRolling = (given: Partial<RollingOutUpdate> = {}): RollingOutUpdate => ({
  ...aReleased(),
  status: "rolling-out",
  patchedAt: noon,
  progress: { kind: "progressing", deadlineAt: tenPast },
  ...given,
});

/** An update whose pods run; it fails at ten past if they stop. */
export const aRunning = (running: Running, given: Partial<RollingOutUpdate> = {}): RollingOutUpdate =>
  aRolling({ progress: { kind: "running", running, deadlineAt: tenPast }, ...given });

/** An update that waits since its patch, and gave its slot back. */
export const aWaiting = (why: RolloutWait, given: Partial<RollingOutUpdate> = {}): RollingOutUpdate => {
  const { slot: _, ...rest } = aRolling();
  return { ...rest, progress: { kind: "waiting", why }, ...given };
};

/** Makes an update that failed at 12:05 and is being rolled back. */
export const aRollingBack = (given: Partial<RollingBackUpdate> = {}): RollingBackUpdate => ({
  ...aReleased(),
  status: "rolling-back",
  patchedAt: noon,
  failure: { at: at("2026-03-02T12:05:00Z"), reason: "rollout-failed", detail: "ErrImagePull" },
  rollback: { kind: "patching" },
  ...given,
});

/** The same after its patch landed at noon; it fails at ten past. */
export const aRolledBack = (given: Partial<RollingBackUpdate> = {}): RollingBackUpdate =>
  aRollingBack({ rollback: { kind: "patched", at: noon, deadlineAt: tenPast }, ...given });

export const anEnded = (given: Partial<SucceededUpdate> = {}): SucceededUpdate => ({
  ...core,
  changes: [aChange()],
  status: "succeeded",
  patchedAt: noon,
  detail: "3 pods",
  endedAt: at("2026-03-02T12:01:00Z"),
  ...given,
});

export const aLiveContainer = (given: Partial<LiveContainer> = {}): LiveContainer => ({
  list: "containers",
  index: 0,
  name: "app",
  image: image("1.0.0"),
  ...given,
});

/** The container with what update 1 wrote, written once more by a person. */
export const setByHand = aLiveContainer({
  image: image("1.1.0", "1"),
  imageOwner: { manager: "kubectl-set", operation: "Update" },
});

/** The object behind {@link aRecord}, untouched. */
export const aLive = (given: Partial<LiveWorkload> = {}): LiveWorkload => ({
  workload: api,
  uid: "uid-1",
  generation: 7,
  annotations: { "lookout.dev/enabled": "true" },
  labels: {},
  existingMaps: { labels: true, annotations: true, templateAnnotations: true, templateLabels: true },
  containers: [aLiveContainer()],
  ...given,
});

/** The object with our label of update 1 and another image. */
export const aPatched = (shown = image("1.1.0", "1"), given: Partial<LiveWorkload> = {}): LiveWorkload =>
  aLive({
    generation: 8,
    labels: { "lookout.dev/update": "abc123-1" },
    containers: [aLiveContainer({ image: shown })],
    ...given,
  });

/** The settings that a record's annotations ask for. */
export const settingsOf = (record: WorkloadRecord): WorkloadSettings =>
  parseSettings(record.observed.annotations, record.observed.containers);

/** A record with `lookout.dev/` annotations beside `enabled`. */
export const annotated = (settings: Readonly<Record<string, string>>): Observed["annotations"] =>
  Object.fromEntries(
    Object.entries({ enabled: "true", ...settings })
      .map(([key, value]) => [`lookout.dev/${key}`, value] as const)
      .sort(([left], [right]) => (left < right ? -1 : 1)),
  );

/** Says the same with every map's keys in another order, as a table may give them back. */
export function reordered<Value>(value: Value): Value {
  const turn = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(turn);
    if (typeof part !== "object" || part === null) return part;
    return Object.fromEntries(
      Object.entries(part)
        .reverse()
        .map(([key, inner]) => [key, turn(inner)]),
    );
  };
  return turn(value) as Value;
}
