import { minutes } from "#domain/shared/time";
import type { TierRules } from "#domain/tiers/rules";
import type { WorkloadName } from "#domain/workload/workload";
import { type Receivers, receivers } from "#test/app/notify/receivers";
import { byHand } from "#test/model/actors/people";
import type { Asked } from "#test/model/judge/requests";
import type { Deployed, Stage } from "./stage.ts";
import { define } from "#test/model/actors/definitions";
import type { Draft } from "#test/model/history/definition-log";
import { host } from "#test/model/image-text";
import { withoutUndefined } from "#domain/shared/without-undefined";
import {
  asksChecks,
  guardsFailUntilDeadLettered,
  losesFirst,
  oneSlot,
  quarantineFailsUntilDeadLettered,
  type Tampering,
} from "#test/model/faults/tampers";

/** A course of events in an installation, during which a function is killed. */
export interface Scenario {
  readonly what: string;
  /** The preparation, during which no function is killed. */
  readonly before?: (stage: Stage) => Promise<unknown>;
  readonly play: (stage: Stage) => Promise<unknown>;
  /** True: other steps may lead to the same final state, so only the final state is compared. */
  readonly otherWays?: true;
  /**
   * The calls at which functions are killed, as `rollout/roll-out cluster.patch`. Absent: all
   * calls.
   */
  readonly worth?: RegExp;
  /** What channels tell. Absent: there is no channel. Each play gets new ones. */
  readonly receivers?: () => Receivers;
  /** The tiers of lookout.yaml. Absent: there are none. */
  readonly tiers?: TierRules;
  /** Another fault of the world. Each play gets a new one. */
  readonly tamper?: Tampering;
}

/** Minutes in which a killed function recovers and finishes its work. */
const long = 15;

/** Returns a preparation in which Lookout tracks workloads. */
function met(...deployed: readonly Deployed[]): (stage: Stage) => Promise<void> {
  return async (stage) => {
    for (const one of deployed) stage.deploy(one);
    await stage.pass(1);
    await stage.sync();
    await stage.pass(long);
  };
}

function pushed(tag: string, { broken = false } = {}): (stage: Stage) => Promise<void> {
  return async (stage) => {
    await stage.push(tag, broken);
    await stage.pass(long);
  };
}

async function synced(stage: Stage): Promise<void> {
  await stage.sync();
  await stage.pass(long);
}

async function unblocked(stage: Stage): Promise<void> {
  await stage.ask("POST", "workloads/prod/shop/deployment/api/unblock");
  await stage.pass(long);
}

async function askedAgain(stage: Stage): Promise<void> {
  await stage.ask("POST", "workloads/prod/shop/deployment/api/approval-request");
  await stage.pass(long);
}

const why = "checkout fails";

/** Returns a step in which ana asks for something about `api`, and time passes. */
function asked(what: string, asks: Asked, body: object = {}): (stage: Stage) => Promise<void> {
  return async (stage) => {
    await stage.ask("POST", `workloads/prod/shop/deployment/api/${what}`, { by: "ana", why, ...body }, asks);
    await stage.pass(long);
  };
}

async function inTurn(stage: Stage, ...acts: readonly ((stage: Stage) => unknown)[]): Promise<void> {
  for (const act of acts) await act(stage);
}

const theFirst = ({ members: [first] }: Stage): WorkloadName => {
  if (first === undefined) throw new Error("nothing was deployed");
  return first.workload;
};

const repository = "shop/api";
const digest = { "lookout.dev/policy": "digest" };
const latest = { "lookout.dev/policy": "latest" };
const window = { "lookout.dev/maintenance-window": "11:00-14:00" };

const required = { "lookout.dev/approval-required": "true" };
const aged = { "lookout.dev/min-age": "30m" };
const builtOnBase = { "lookout.dev/base-image": `${host}/shop/api:base` };
const suspended = { "lookout.dev/suspend": "true" };

const namespaces: readonly string[] = [];
const devBeforeProd: TierRules = {
  tiers: [
    { name: "dev", soak: minutes(30), haltOnFailure: true, namespaces },
    { name: "prod", soak: minutes(0), haltOnFailure: true, namespaces },
  ],
  clusters: [],
};

const inTier = (tier: string): Deployed => ({
  name: tier,
  annotations: { "lookout.dev/tier": tier, "lookout.dev/tier-group": "checkout" },
});

/** Declares the image of the namespace by a ServiceImage, whose first tier has no workload. */
function declare({ installation }: Stage, defaultTag: string, wrong?: Draft["wrong"]): void {
  const tiers = [
    { upgradeTier: "early", priority: 1 },
    { upgradeTier: "", priority: 0 },
  ];
  define(withoutUndefined({ kind: "ServiceImage", name: "api", repository, defaultTag, tiers, wrong }), installation);
}

/** Declares by an ImagePolicy that `api` follows versions. */
function follow({ installation }: Stage): void {
  const target = { kind: "Deployment", name: "api" } as const;
  define({ kind: "ImagePolicy", name: "api", repository, strategy: "SemVer", target }, installation);
}

/** Deletes the definition of a kind. */
function withdraw({ installation }: Stage, kind: Draft["kind"]): void {
  installation.cluster.definitionObjects.remove(kind, { namespace: "shop", name: "api" });
}

/** Returns a preparation in an installation in which definitions count. */
function declaring(prepare: (stage: Stage) => Promise<unknown>): (stage: Stage) => Promise<unknown> {
  return (stage) => {
    stage.installation.definitions = true;
    return prepare(stage);
  };
}

/** The calls that other scenarios do not cover. The two scenarios with these calls take longest. */
const onlyHere = /^(detect\/sync|gate|rollout)/;

/** The scenarios. All begin on a Saturday at 10:00 UTC. */
export const scenarios: readonly Scenario[] = [
  {
    what: "a workload is tracked for the first time, and updated",
    play: (stage) => inTurn(stage, met({}), pushed("1.1.0")),
  },
  {
    what: "an update waits for its window",
    before: met({ annotations: window }),
    play: (stage) => inTurn(stage, pushed("1.1.0"), () => stage.pass(120)),
  },
  {
    what: "two people approve an update",
    before: met({ annotations: { "lookout.dev/approvals": "2" } }),
    play: (stage) =>
      inTurn(
        stage,
        pushed("1.1.0"),
        () => stage.vote("ana", "approval"),
        () => stage.pass(long),
        () => stage.vote("ben", "approval"),
        () => stage.pass(long),
      ),
  },
  {
    what: "a person rejects an update, and another one asks for approval again",
    before: met({ annotations: required }),
    play: (stage) =>
      inTurn(
        stage,
        pushed("1.1.0"),
        () => stage.vote("ana", "rejection"),
        () => stage.pass(long),
        askedAgain,
      ),
  },
  {
    what: "an approval expires",
    before: met({ annotations: { ...required, "lookout.dev/approval-deadline": "30m" } }),
    play: (stage) => inTurn(stage, pushed("1.1.0"), () => stage.pass(60), askedAgain),
  },
  {
    what: "a tag moves while its image is not old enough",
    before: met({ annotations: aged }),
    play: (stage) => inTurn(stage, pushed("1.1.0"), pushed("1.1.0"), () => stage.pass(60)),
  },
  {
    what: "an update fails, is rolled back, and runs after an unblock",
    before: met({}),
    play: (stage) =>
      inTurn(stage, pushed("1.1.0", { broken: true }), () => stage.installation.images.mend(), unblocked),
  },
  {
    what: "an ordered StatefulSet is rolled back, and its stuck pod freed",
    before: met({ kind: "StatefulSet" }),
    play: pushed("1.1.0", { broken: true }),
  },
  {
    what: "an update is applied by a restart",
    before: met({ annotations: { ...digest, "lookout.dev/apply": "restart" } }),
    play: pushed("1.0.0"),
  },
  {
    what: "a digest is put in quarantine, and taken out again",
    before: met({}),
    play: async (stage) => {
      const bad = stage.installation.images.push("shop/api", "1.1.0", false);
      await stage.ask("POST", "quarantine", { digest: bad, why: "CVE", by: "ana" });
      await inTurn(
        stage,
        () => stage.tell(["1.1.0"]),
        () => stage.pass(long),
      );
      await inTurn(
        stage,
        () => stage.ask("DELETE", `quarantine/${bad}`),
        () => stage.pass(long),
      );
    },
  },
  {
    what: "a namespace is frozen, and the freeze is unblocked",
    before: met({}),
    play: async (stage) => {
      const frozen = { scope: "prod/shop", why: "sale", by: "ana" };
      await inTurn(stage, () => stage.ask("POST", "freezes", frozen), pushed("1.1.0"));
      await inTurn(
        stage,
        () => stage.ask("DELETE", "freezes/prod%2Fshop"),
        () => stage.pass(long),
      );
    },
  },
  {
    what: "a base image moves twice",
    before: (stage) => inTurn(stage, pushed("base"), met({ annotations: builtOnBase })),
    play: (stage) => inTurn(stage, pushed("base"), pushed("base")),
  },
  {
    what: "an update with labels of its pods is rolled back",
    before: met({ annotations: { "lookout.dev/attribute-labels": "version=tag" } }),
    play: (stage) => inTurn(stage, pushed("1.1.0"), pushed("1.2.0", { broken: true })),
  },
  {
    what: "two workloads share one slot",
    before: met({ name: "api" }, { name: "web" }),
    tamper: oneSlot,
    otherWays: true,
    play: (stage) => inTurn(stage, pushed("1.1.0"), () => stage.pass(long)),
  },
  {
    what: "a user undoes an update, and unblocks the workload",
    before: (stage) => inTurn(stage, met({}), pushed("1.1.0")),
    play: async (stage) => {
      const [member] = stage.members;
      const { installation } = stage;
      if (member !== undefined) byHand(member, installation, () => installation.cluster.undo(member.workload));
      await inTurn(stage, synced, unblocked);
    },
  },
  {
    what: "a workload is untracked, and then tracked again",
    before: met({}),
    play: async (stage) => {
      const { cluster } = stage.installation;
      cluster.annotate(theFirst(stage), { "lookout.dev/enabled": "false" });
      await synced(stage);
      cluster.annotate(theFirst(stage), { "lookout.dev/enabled": "true" });
      await inTurn(stage, synced, pushed("1.1.0"));
    },
  },
  {
    what: "two pushes of a burst meet two workloads",
    before: met({ name: "api" }, { name: "web", kind: "DaemonSet" }),
    otherWays: true,
    play: async (stage) => {
      for (const tag of ["1.1.0", "1.2.0"]) stage.installation.images.push("shop/api", tag, false);
      await inTurn(
        stage,
        () => stage.tell(["1.1.0", "1.2.0"]),
        () => stage.pass(long),
      );
    },
  },
  {
    what: "two pushes of a burst meet a workload that follows the tag that moved last",
    before: met({ annotations: latest }),
    otherWays: true,
    play: async (stage) => {
      for (const tag of ["1.1.0", "1.0.1"]) stage.installation.images.push("shop/api", tag, false);
      await inTurn(
        stage,
        () => stage.tell(["1.1.0", "1.0.1"]),
        () => stage.pass(long),
      );
    },
  },
  {
    what: "a newer image is pushed while an update is on its way",
    before: met({}),
    otherWays: true,
    play: (stage) =>
      inTurn(
        stage,
        () => stage.push("1.1.0"),
        () => stage.pass(1 / 60),
        pushed("1.2.0"),
      ),
  },
  {
    what: "the cluster is away for ten minutes",
    before: met({}),
    worth: onlyHere,
    otherWays: true,
    play: async (stage) => {
      const { cluster } = stage.installation;
      cluster.unreachable(true);
      await inTurn(
        stage,
        () => stage.push("1.1.0"),
        () => stage.sync(),
        () => stage.pass(10),
      );
      cluster.unreachable(false);
      await inTurn(stage, synced, () => stage.pass(60));
    },
  },
  {
    what: "a command for an update fails five times",
    before: met({}),
    worth: onlyHere,
    tamper: guardsFailUntilDeadLettered,
    otherWays: true,
    play: (stage) => inTurn(stage, pushed("1.1.0"), () => stage.pass(120)),
  },
  {
    what: "a push fails five times",
    before: met({}),
    tamper: quarantineFailsUntilDeadLettered,
    play: pushed("1.1.0"),
  },
  {
    what: "a queue loses a message, and the reaper sends it again",
    before: met({}),
    tamper: losesFirst("RollOut"),
    play: pushed("1.1.0"),
  },
  {
    what: "a sweep finds a missed push",
    before: met({}),
    play: async (stage) => {
      stage.installation.images.push("shop/api", "1.1.0", false);
      await inTurn(
        stage,
        () => stage.sweep(),
        () => stage.pass(long),
      );
    },
  },
  {
    what: "a person sets a lower version, and resumes later",
    otherWays: true,
    before: (stage) => inTurn(stage, met({}), pushed("1.1.0")),
    play: (stage) =>
      inTurn(
        stage,
        asked("version", { as: "set", version: "1.0.0" }, { version: "1.0.0" }),
        asked("resumption", { as: "resume" }),
      ),
  },
  {
    what: "a person rolls a settled update back, and a newer image is pushed",
    otherWays: true,
    before: (stage) => inTurn(stage, met({}), pushed("1.1.0")),
    play: (stage) => inTurn(stage, asked("rollback", { as: "rollback" }), pushed("1.2.0")),
  },
  {
    what: "a person rolls a rollout back",
    // Before the request is stored, a killed request comes again when the update has succeeded.
    worth: /^(?!api\/v1 (?!queues))/,
    before: async (stage) => {
      await inTurn(stage, met({}), (one) => one.push("1.1.0"));
      await stage.pass(1 / 60);
    },
    otherWays: true,
    play: asked("rollback", { as: "rollback" }),
  },
  {
    what: "a person lets a workload skip a tag for an hour",
    otherWays: true,
    before: met({}),
    play: (stage) => {
      const until = stage.installation.now + 3_600_000;
      const skip = { as: "skip", tag: "1.1.0", until } as const;
      return inTurn(
        stage,
        asked("skips", skip, { tag: "1.1.0", until: new Date(until).toISOString() }),
        pushed("1.1.0"),
        () => stage.pass(60),
      );
    },
  },
  {
    what: "a person releases an update past its window",
    otherWays: true,
    before: (stage) => inTurn(stage, met({ annotations: window }), pushed("1.1.0")),
    play: async (stage) => {
      const scope = "prod/shop/deployment/api";
      const release = { as: "release", gates: ["window"] } as const;
      await stage.ask("POST", "releases", { scope, past: ["window"], by: "ana", why }, release);
      await stage.pass(long);
    },
  },
  {
    what: "a person suspends a workload, and resumes it after a push",
    before: met({}),
    play: (stage) =>
      inTurn(stage, asked("suspension", { as: "suspend" }), pushed("1.1.0"), asked("resumption", { as: "resume" })),
  },
  {
    what: "a failed update is tried again by a person",
    otherWays: true,
    before: (stage) => inTurn(stage, met({}), pushed("1.1.0", { broken: true })),
    play: (stage) => inTurn(stage, () => stage.installation.images.mend(), asked("retry", { as: "retry" })),
  },
  {
    what: "an update fails, and returns to the tag that lookout.dev/rollback-to names",
    before: async (stage) => {
      await inTurn(stage, met({}), pushed("1.1.0"));
      stage.installation.cluster.annotate(theFirst(stage), { "lookout.dev/rollback-to": "1.0.0" });
      await synced(stage);
    },
    play: pushed("1.2.0", { broken: true }),
  },
  {
    what: "dev runs an image for its soak before prod gets it",
    tiers: devBeforeProd,
    otherWays: true,
    before: met(inTier("dev"), inTier("prod")),
    play: (stage) => inTurn(stage, pushed("1.1.0"), () => stage.pass(60)),
  },
  {
    what: "an image that fails in dev never reaches prod, and the next one does",
    tiers: devBeforeProd,
    otherWays: true,
    before: met(inTier("dev"), inTier("prod")),
    play: (stage) =>
      inTurn(
        stage,
        pushed("1.1.0", { broken: true }),
        () => stage.pass(60),
        pushed("1.2.0"),
        () => stage.pass(60),
      ),
  },
  {
    what: "channels of each form are told of an update, a failure, and a recovery",
    receivers,
    worth: /^notify/,
    before: met({}),
    play: (stage) => inTurn(stage, pushed("1.1.0"), pushed("1.2.0", { broken: true }), unblocked, pushed("1.3.0")),
  },
  {
    what: "channels of each form are told of a push that two workloads follow",
    receivers,
    worth: /^notify/,
    before: met({ name: "api" }, { name: "web" }),
    play: (stage) => inTurn(stage, pushed("1.1.0", { broken: true }), pushed("1.2.0")),
  },
  {
    what: "checks allow an update and its pods",
    tamper: asksChecks,
    before: met({}),
    worth: /^gate\/ask-checks|^(gate\/wake|verify\/check-rollout) checkAnswers/,
    play: pushed("1.1.0"),
  },
  {
    what: "a check refuses the pods of an update",
    tamper: asksChecks,
    before: met({}),
    worth: /^gate\/ask-checks|^(gate\/wake|verify\/check-rollout) checkAnswers/,
    play: pushed("1.3.0"),
  },
  {
    what: "a ServiceImage names another image, then a wrong one, and is deleted",
    otherWays: true,
    before: declaring((stage) =>
      inTurn(
        stage,
        () => {
          declare(stage, "1.0.0");
        },
        met({ annotations: { "lookout.dev/policy": "service-image" } }),
        pushed("1.1.0"),
      ),
    ),
    play: (stage) =>
      inTurn(
        stage,
        () => {
          declare(stage, "1.1.0");
        },
        synced,
        synced,
        () => {
          declare(stage, "1.1.0", { defaultImage: "no image!" });
        },
        synced,
        () => {
          withdraw(stage, "ServiceImage");
        },
        synced,
      ),
  },
  {
    what: "an ImagePolicy enables a workload, and brings an update",
    otherWays: true,
    before: declaring(met({ isEnabled: false })),
    play: (stage) => inTurn(stage, follow, synced, pushed("1.1.0")),
  },
  {
    what: "an ImagePolicy is deleted during a rollout",
    otherWays: true,
    before: declaring((stage) => inTurn(stage, follow, met({ isEnabled: false }), () => stage.push("1.1.0"))),
    play: (stage) =>
      inTurn(
        stage,
        () => {
          withdraw(stage, "ImagePolicy");
        },
        synced,
        synced,
      ),
  },
  {
    what: "a push concerns more workloads than one delivery evaluates",
    before: met(...Array.from({ length: 101 }, (_, index) => ({ name: `api-${index}`, annotations: suspended }))),
    worth: /^evaluate\/image-pushed (bus|pushCoalescing|store[.](subscribers|readMany))/,
    play: pushed("1.1.0"),
  },
];
