import { receivers } from "#test/app/notify/receivers";
import { chanceFrom } from "#test/model/chance";
import { calm, weatherOf } from "#test/model/faults/fates";
import {
  begins,
  devClusterName,
  type Installation,
  loadPatterns,
  newInstallation,
  post,
  type Tamper,
} from "#test/model/world/installation";
import { aNodeEnds } from "#test/model/actors/nodes";
import { deployAll, type Member } from "#test/model/actors/members";
import { personControls } from "#test/model/actors/control";
import { defineFirst, definitionsChange, endDefinitionFaults, setDefinitions } from "#test/model/actors/definitions";
import { setTiers, tiersChange } from "#test/model/actors/tiers";
import { personActs, somethingIsPushed, tellOfPush } from "#test/model/actors/people";
import { comeToRest, settleAll } from "#test/model/world/passing-time";
import { newStory, untoldStory } from "#test/model/history/story";
import { deliver, handOn, jump, jumpHome, meetFate, reapNow, sweepNow } from "#test/model/world/steps";

/** The options of a history. */
export interface HistoryOptions {
  readonly seed: number;
  /** The number of events before the faults stop. */
  readonly events: number;
  /** True: the story is recorded. */
  readonly told?: boolean;
  readonly tamper?: Tamper;
  /** False: the clock never jumps. The default is true: it jumps in half of the histories. */
  readonly clockJumps?: boolean;
  /**
   * Whether people set, roll back, skip, release, suspend, resume and retry. Absent: they do in half of the
   * histories.
   */
  readonly peopleControl?: boolean;
  /**
   * Whether channels tell receivers what happens. Absent: they do in half of the histories whose clock never
   * jumps. After a jump, messages may wait as long as the clock was ahead.
   */
  readonly channels?: boolean;
  /** Whether `lookout.yaml` has tiers. Absent: it has in a third of the histories. */
  readonly tiers?: boolean;
  /**
   * Whether definitions in the cluster count, and change. Absent: in a fifth of the histories whose `lookout.yaml` has
   * no tiers by this option.
   */
  readonly definitions?: boolean;
}

/** The result of a history. */
export interface History {
  readonly seed: number;
  /** The broken rules with details. Empty: all rules hold. */
  readonly broken: readonly string[];
  /** The numbered lines of the story. Empty if the story is not recorded. */
  readonly story: readonly string[];
  /** The numbers of patches, versions, runs and jumps of the clock. */
  readonly counts: {
    readonly patches: number;
    readonly versions: number;
    readonly runs: number;
    readonly jumps: number;
  };
}

/** Plays one history. The same seed and number of events give the same history. */
export async function playHistory({
  seed,
  events,
  told: isRecorded = false,
  tamper,
  clockJumps = true,
  peopleControl,
  channels,
  tiers,
  definitions,
}: HistoryOptions): Promise<History> {
  await loadPatterns();
  const chance = chanceFrom(seed);
  const story = isRecorded ? newStory() : untoldStory;
  // Pulls have choices of their own, so that they change no other choice.
  const pulls = chanceFrom(seed + 1_000_000);
  // So have jumps of the clock.
  const jumps = chanceFrom(seed + 2_000_000);
  // And so have the ends of nodes.
  const nodes = chanceFrom(seed + 3_000_000);
  const jumpsAt = clockJumps && jumps.happens(0.5) ? jumpsPerEvent : 0;
  const isTold = channels ?? (jumpsAt === 0 && chanceFrom(seed + 4_000_000).happens(0.5));
  const told = isTold ? receivers() : undefined;
  const installation = newInstallation(chance, story, tamper, chance.pick([1, 2, 25]), pulls, told);
  // And requests of people.
  installation.peopleControl = peopleControl ?? chanceFrom(seed + 3_000_000).happens(0.5);
  const { witness } = installation;
  // And so have tiers.
  const tierChance = chanceFrom(seed + 5_000_000);
  const isTiered = tierChance.happens(1 / 3);
  // And so have definitions.
  const definitionChance = chanceFrom(seed + 6_000_000);
  const defined = (definitions ?? (tiers !== true && definitionChance.happens(1 / 5))) ? definitionChance : undefined;
  const tiered = defined === undefined && (tiers ?? isTiered) ? tierChance : undefined;
  const placeOf = defined ? setDefinitions(installation, defined) : tiered && setTiers(installation, tiered);
  const members = [...deployAll(installation, placeOf)];
  if (defined !== undefined) defineFirst(members, installation, defined);
  installation.now += 3_000;
  sync(installation);
  await settleAll(installation);
  if (chance.happens(0.5)) await firstUpdate(installation);
  installation.weather = weatherOf(chance);
  installation.skewed = installation.weather.skewed > 0;
  installation.say(() => `from now on: ${JSON.stringify(installation.weather)}`);
  for (let event = 0; event < events && witness.broken.length === 0; event += 1) {
    if (installation.now >= installation.jumpsBackAt) await jumpHome(installation);
    else if (jumps.happens(jumpsAt)) await jump(installation, jumps);
    if (nodes.happens(nodeEndsPerEvent)) aNodeEnds(members, installation, nodes);
    if (tiered?.happens(tierActsPerEvent) === true) await tiersChange(members, installation, tiered);
    if (defined?.happens(definitionActsPerEvent) === true) {
      definitionsChange(members, installation, defined);
      if (defined.happens(0.5)) sync(installation);
    }
    await step(members, installation);
  }
  if (witness.broken.length === 0) {
    installation.say(() => "the faults stop");
    installation.weather = calm;
    installation.awayUntil = 0;
    endDefinitionFaults(installation);
    installation.clusterOf(devClusterName).unreachable(false);
    if (installation.jumps > 0) await jumpHome(installation);
    // So the first rollouts at rest are limited, and come again.
    installation.images.endLimits(installation.now + 1_800_000);
    await comeToRest(members, installation, () => sync(installation));
  }
  for (const what of witness.broken) installation.say(() => `BROKEN ${what}`);
  installation.database.close();
  return {
    seed,
    broken: witness.broken,
    story: story.lines,
    counts: {
      patches: witness.objects.landed(),
      versions: witness.versions.length,
      runs: installation.runs.count(),
      jumps: installation.jumps,
    },
  };
}

function sync(installation: Installation): void {
  for (const cluster of installation.clusterNames) {
    const command = { name: "SyncCluster", id: `sync-${(installation.witness.tick += 1)}`, cluster };
    post(installation, "SyncCluster", JSON.stringify(command), 0);
  }
}

/** Completes one update without faults, so that later acts can revert or replace it. */
async function firstUpdate(installation: Installation): Promise<void> {
  const { images, mailbox } = installation;
  const end = installation.now + 20_000;
  tellOfPush("shop/api", "1.1.0", images.push("shop/api", "1.1.0", false), installation);
  installation.say(() => "someone pushes shop/api:1.1.0");
  while (installation.now < end) {
    await settleAll(installation);
    installation.now = Math.min(mailbox.nextAt() ?? end, end);
  }
}

const atOnce = 6;

/** The probability of a jump of the clock at an event, in a history with jumps. */
const jumpsPerEvent = 0.015;

/** The probability that something about tiers changes at an event, in a history with tiers. */
const tierActsPerEvent = 0.06;

/** The probability that something about definitions changes at an event, in a history with definitions. */
const definitionActsPerEvent = 0.08;

/** The probability that a pod is replaced at an event. */
const nodeEndsPerEvent = 0.01;

/** Runs one event. */
async function step(members: readonly Member[], installation: Installation): Promise<void> {
  const { chance, runs, mailbox, stored, weather } = installation;
  await keepAppointments(installation);
  const calls = runs.waiting(installation.now);
  const ready = runs.alive().length < atOnce ? mailbox.ready(installation.now) : [];
  const busy = calls.length > 0 || ready.length > 0;
  const stands = runs.alive().some(({ frozenUntil }) => frozenUntil > installation.now);
  const next = chance.weigh<() => unknown>([
    [calls.length > 0 ? 12 : 0, () => answerOne(installation)],
    [ready.length > 0 ? 5 : 0, () => deliver(chance.pick(ready), installation)],
    [stored.hasChanges() ? 1 : 0, () => handOn(installation)],
    [stands ? 4 : 1, () => personActs(members, installation)],
    [installation.peopleControl ? 0.6 : 0, () => personControls(members, installation)],
    [0.5, () => somethingIsPushed(members, installation)],
    [0.15, () => sync(installation)],
    [0.15, () => reapNow(installation)],
    [0.1, () => sweepNow(installation)],
    [weather.away, () => clusterLeaves(installation)],
    [busy ? 0.6 : 6, () => passTime(installation, busy)],
  ]);
  await next();
}

function clusterLeaves(installation: Installation): void {
  const { chance } = installation;
  const ms = chance.pick([60_000, 600_000, 6 * 3_600_000]);
  installation.awayUntil = installation.now + chance.below(ms);
  installation.say(() => `the cluster is away until ${new Date(installation.awayUntil).toISOString()}`);
}

function answerOne(installation: Installation): Promise<void> {
  const { chance, runs } = installation;
  const call = chance.pick(runs.waiting(installation.now));
  installation.now += chance.below(20);
  return meetFate(call, installation);
}

function passTime(installation: Installation, busy: boolean): void {
  const { chance, mailbox, runs } = installation;
  const soon = [mailbox.nextAt(), ...runs.alive().map(({ frozenUntil }) => frozenUntil)]
    .filter((at) => at !== undefined)
    .filter((at) => at > installation.now);
  const by = busy
    ? chance.below(5_000)
    : chance.weigh([
        [6, soon.length === 0 ? 1_000 : Math.min(...soon) - installation.now],
        [2, chance.below(60_000)],
        [0.3, chance.below(1_800_000)],
      ]);
  installation.now += Math.min(by, 3_600_000);
  installation.say(() => `time passes: ${String(Math.round(by / 100) / 10)} s`);
}

/** Runs the scheduled events up to now. */
export async function keepAppointments(installation: Installation): Promise<void> {
  const { appointments } = installation;
  for (let index = appointments.length - 1; index >= 0; index -= 1) {
    const appointment = appointments[index];
    if (appointment === undefined || appointment.at > installation.now) continue;
    appointments.splice(index, 1);
    installation.say(() => `  a delayed effect of ${new Date(appointment.at - begins).toISOString()} arrives`);
    await appointment.keep();
  }
}
