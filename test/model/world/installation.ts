import { type TierRules, withoutTiers } from "#domain/tiers/rules";
import { noNodeRules } from "#domain/gates/node-rules";
import { observesNowhere } from "#domain/gates/observe";
import { approvalRules } from "#test/model/world/voters";
import { memoryCluster, type MemoryCluster } from "./cluster-hands.ts";
import { asOneCluster } from "./clusters.ts";
import { memoryMetrics } from "#adapters/memory/metrics";
import { freeSpending } from "#test/spending";
import { re2Patterns } from "#adapters/re2js/patterns";
import { deliveriesOf } from "#app/notify/deliveries";
import type { Ports } from "#app/shared/ports";
import { eventDetail } from "#contracts/messages/events";
import { queueOf } from "#contracts/routes";
import type { OutgoingCommand } from "#ports/messaging";
import { noChannels } from "#runtime/channels";
import { noChecks } from "#runtime/checks";
import { statePorts } from "#runtime/local/state";
import type { Receivers } from "#test/app/notify/receivers";
import { type CountedDatabase, countedDatabase, type StoredState, storedState } from "#test/state";
import { epochMs, seconds } from "#domain/shared/time";
import { calm, lateBy, type Weather } from "#test/model/faults/fates";
import type { Chance } from "#test/model/chance";
import { type Images, noImages } from "./images.ts";
import type { QueueName } from "#runtime/local/functions";
import { allRights, type DefinitionRights, withRights } from "./definition-rights.ts";
import { emptyMailbox, type Mailbox } from "./mailbox.ts";
import { noRuns, type Runs } from "./runs.ts";
import type { Story } from "#test/model/history/story";
import { newWitness, type Witness } from "#test/model/history/witness";
import { workText } from "#test/model/history/words";

/** The name of the simulated cluster. */
export const clusterName = "prod";
/** The name of the second cluster, which only histories with tiers have. */
export const devClusterName = "dev";
/** The six characters of the simulated installation. */
export const installationName = "abc123";
/** The start of each history: a Saturday, 10:00 UTC. */
export const begins = Date.parse("2026-11-21T10:00:00Z");

const patterns = re2Patterns();

/** Loads the engine of patterns. Otherwise its first use takes true time, for which no simulated run waits. */
export async function loadPatterns(): Promise<void> {
  await patterns.compiler();
}

/** Replaces ports of an installation by faulty ports. */
export type Tamper = (ports: Ports, around: Pick<Installation, "stored" | "cluster" | "mailbox">) => Ports;

/** A scheduled event of the world. */
export interface Appointment {
  readonly at: number;
  keep(): Promise<void>;
}

/** A simulated installation of Lookout and its surroundings, in memory. */
export interface Installation {
  readonly chance: Chance;
  readonly story: Story;
  readonly witness: Witness;
  readonly runs: Runs;
  readonly mailbox: Mailbox;
  readonly images: Images;
  /** The clusters as one: each call goes to the cluster of its workload. */
  readonly cluster: MemoryCluster;
  /** Returns a cluster by its name. */
  readonly clusterOf: (name: string) => MemoryCluster;
  /** True: definitions in the clusters count. */
  definitions: boolean;
  /** What the cluster answers about definitions. */
  readonly definitionRights: DefinitionRights;
  /** The names of the configured clusters. */
  clusterNames: readonly string[];
  /** The tiers of lookout.yaml. Each run keeps the tiers of its start. */
  tiers: TierRules;
  readonly database: CountedDatabase;
  readonly stored: StoredState;
  /** What channels tell. Absent: there is no channel. */
  readonly receivers: Receivers | undefined;
  /** The ports without faults. */
  readonly ports: Ports;
  readonly appointments: Appointment[];
  /** The number of extra copies of messages. */
  copies: number;
  weather: Weather;
  /** True: people set, roll back, skip, release, suspend, resume and retry. */
  peopleControl: boolean;
  /** True: the clock of any function was minutes off, or the clock of all has jumped. */
  skewed: boolean;
  /** The error of the clock of all functions. It jumps. */
  jumpMs: number;
  /** The true time at which the error of the clock ends. */
  jumpsBackAt: number;
  /** The number of jumps of the clock, ahead, back and home. */
  jumps: number;
  /** The furthest that the clock was behind so far. */
  furthestBackMs: number;
  /** The end of the cluster's outage. A past time means no outage. */
  awayUntil: number;
  /** The last up-to-date content of the index of due records. */
  shownDue: readonly string[];
  now: number;
  readonly say: (text: () => string) => void;
  /** Returns the error of a call of a port. Undefined: the call has no error. */
  faultOf: (handler: string, call: string) => Error | undefined;
}

/**
 * Returns an empty installation. By default, its cluster allows 25 concurrent rollouts, and all pulls
 * work.
 */
export function newInstallation(
  chance: Chance,
  story: Story,
  tamper: Tamper = (ports) => ports,
  maxConcurrentRollouts = 25,
  pulls?: Chance,
  receivers?: Receivers,
): Installation {
  const images = noImages(pulls);
  const time = { now: begins };
  const clock = { now: () => epochMs(time.now) };
  const jumping = { now: () => epochMs(time.now + installation.jumpMs) };
  const database = countedDatabase(installationName);
  const definitionRights = allRights();
  const [prod, dev] = [clusterName, devClusterName].map((name) =>
    withRights(simulatedCluster(name, images, clock), definitionRights),
  );
  if (prod === undefined || dev === undefined) throw new RangeError("there are two clusters");
  const cluster = asOneCluster(
    new Map([
      [clusterName, prod],
      [devClusterName, dev],
    ]),
    prod,
  );
  const parts = {
    chance,
    story,
    witness: newWitness(),
    runs: noRuns(),
    mailbox: emptyMailbox(),
    images,
    cluster,
    clusterOf: (name: string) => (name === devClusterName ? dev : prod),
    definitions: false,
    definitionRights,
    clusterNames: [clusterName],
    tiers: withoutTiers,
    database,
    stored: storedState(database),
    receivers,
    appointments: [],
    copies: 0,
    weather: calm,
    peopleControl: false,
    skewed: false,
    jumpMs: 0,
    jumpsBackAt: Infinity,
    jumps: 0,
    furthestBackMs: 0,
    awayUntil: 0,
    shownDue: [],
    faultOf: () => undefined,
  };
  const installation: Installation = {
    ...parts,
    get now() {
      return time.now;
    },
    set now(instant) {
      time.now = instant;
    },
    get ports() {
      return ports;
    },
    say: (text) => story.tell(time.now - begins, text),
  };
  const ports = tamper(portsOver(installation, jumping, maxConcurrentRollouts), installation);
  return installation;
}

function simulatedCluster(name: string, images: Images, clock: Ports["clock"]): MemoryCluster {
  return memoryCluster({
    name,
    clock,
    startupMs: 1_000,
    cronEveryMs: 300_000,
    digestOf: (image) => images.pull(image),
    behaviour: (image) => images.behaviour(image, clock.now()),
  });
}

function portsOver(installation: Installation, clock: Ports["clock"], maxConcurrentRollouts: number): Ports {
  const { database, clusterOf, images, witness, receivers } = installation;
  const channels = receivers?.channels ?? noChannels;
  return {
    clock,
    ...statePorts(database),
    patterns,
    spending: freeSpending(),
    metrics: memoryMetrics(),
    clusters: {
      names: () => installation.clusterNames,
      cluster: (name) => (installation.clusterNames.includes(name) ? clusterOf(name) : undefined),
    },
    registry: images.registry,
    channels,
    checks: noChecks,
    queues: { send: async (sendings) => sendings.forEach((sending) => send(installation, sending)) },
    bus: {
      publish: async (events) => {
        witness.published(events);
        for (const event of events)
          if (event.name === "ImagePushed") post(installation, "ImagePushed", JSON.stringify(eventDetail(event)), 0);
        const facts = events.filter((event) => event.name !== "ImagePushed");
        for (const { command } of deliveriesOf(facts, channels))
          post(installation, "Deliver", JSON.stringify(command), 0);
      },
    },
    rules: {
      defaults: { semver: "any" },
      registries: { registryPolicy: "any", registries: [] },
      limits: { settle: seconds(10), windowSpread: seconds(0), maxConcurrentRollouts },
      plannedFreezes: [],
      checks: [],
      approvals: approvalRules,
      nodes: noNodeRules,
      observe: observesNowhere,
      get definitions() {
        return installation.definitions;
      },
      get tiers() {
        return installation.tiers;
      },
    },
  };
}

function send(installation: Installation, { command, delay }: OutgoingCommand): void {
  const { chance, weather, mailbox } = installation;
  const body = JSON.stringify(command);
  // The rules of the bus and the stored messages of the process lose no delivery.
  if (command.name !== "Deliver" && chance.happens(weather.lost)) {
    mailbox.sent.add(body);
    installation.say(() => `    the queue loses ${workText(command)}`);
  } else post(installation, queueOf(command.name), body, delay ?? 0);
}

/** Puts a message on its queue, possibly late or twice. */
export function post(installation: Installation, queue: QueueName, body: string, delay: number): void {
  const { chance, weather, mailbox } = installation;
  const copies = chance.happens(weather.duplicated) ? 2 : 1;
  installation.copies += copies - 1;
  for (let copy = 0; copy < copies; copy += 1) {
    const late = chance.happens(weather.delayed) ? lateBy(delay, chance) : 0;
    mailbox.put({ queue, body, at: installation.now + delay + late, receives: 0 });
  }
}
