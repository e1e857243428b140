import { withDefinitions } from "#app/shared/declared-clusters";
import type { Ports } from "#app/shared/ports";
import { declaredAbout } from "#domain/definitions/declared-annotations";
import { type Declared, definitionKinds } from "#domain/definitions/definition";
import { isRegistryFact } from "#domain/registry/outage";
import type { DomainEvent } from "#domain/update/events";
import type { StoredSighting } from "#domain/policy/tag-age";
import { type Freeze, type FreezeScope, freezeScopeText } from "#domain/gates/freezes";
import type { WorkloadPatch } from "#domain/workload/patch";
import { epochMs } from "#domain/shared/time";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { workloadKey } from "#domain/workload/workload";
import type { Clusters, DefinitionList, StatusOutcome, StatusPatch, WorkloadRead } from "#ports/cluster";
import type { Channel, OpenedChannel } from "#ports/channels";
import type { LedgerRow } from "#ports/ledger";
import type { QuarantinedDigest } from "#ports/quarantine";
import type { OutgoingCommand } from "#ports/messaging";
import type { WriteOutcome } from "#ports/store";
import type { Installation } from "./installation.ts";
import { mayAsk, wrongOfSending } from "#test/model/judge/route-rights";
import type { Reads, Run } from "./runs.ts";
import type { Witness } from "#test/model/history/witness";
import { imageKey } from "#test/model/judge/ages";
import { checkOrder } from "#test/model/judge/definition-order";
import { checkReported, sightOf } from "#test/model/judge/definition-status";
import { checkRestarted } from "#test/model/judge/restarts";
import { checkBudget, checkHasSlot } from "#test/model/judge/slots";
import { checkLanded, checkSent, checkStaysSent } from "#test/model/judge/patches";

type Method = (this: object, ...args: unknown[]) => unknown;

/** The synchronous methods, without requests to outside systems. */
const atOnce: ReadonlySet<string> = new Set([
  "clock.now",
  "clusters.names",
  "clusters.cluster",
  "store.installation",
  "changes.onWrite",
  "metrics.add",
  "patterns.compiler",
  "sender.render",
  "sender.renderFailure",
]);

/**
 * Returns the ports of one run. Each call waits for its random fate, and the witness records its
 * effect.
 */
export function watchedPorts(run: Run, installation: Installation): Ports {
  const { clock, spending, clusters, channels, rules, ...asked } = installation.ports;
  run.reads.tiers = rules.tiers;
  const through = <Port extends object>(name: string, port: Port): Port => watched(name, port, run, installation);
  const cluster = (name: string) => {
    if (!mayAsk(run.name, "clusters", "cluster"))
      installation.witness.complain("L5", `${run.name} reaches a cluster, which its route does not reach`);
    const found = clusters.cluster(name);
    return found && through("cluster", found);
  };
  const channelOf = (channel: Channel): Channel => ({
    ...channel,
    async open(isFresh): Promise<OpenedChannel> {
      const opened = await through("channel", channel).open(isFresh);
      return opened.kind === "open" ? { ...opened, sender: through("sender", opened.sender) } : opened;
    },
  });
  const watchedOnes = Object.entries(asked).map(([name, port]) => [name, through(name, port)] as const);
  const others = Object.fromEntries(watchedOnes) as unknown as typeof asked;
  const known: Clusters = through(
    "clusters",
    run.knowsCluster ? { names: () => clusters.names(), cluster } : { names: () => [], cluster: () => undefined },
  );
  return {
    ...others,
    clock: through("clock", { now: () => (run.reads.clock = epochMs(clock.now() + run.skewMs)) }),
    rules: { ...rules },
    spending,
    channels: {
      all: () => channels.all(),
      channel: (name) => {
        const found = channels.channel(name);
        return found && channelOf(found);
      },
    },
    clusters: installation.definitions ? withDefinitions(known, others.definitions) : known,
  };
}

function watched<Port extends object>(port: string, target: Port, run: Run, installation: Installation): Port {
  return new Proxy(target, {
    get(object, key) {
      const value: unknown = Reflect.get(object, key);
      const method = String(key);
      if (typeof value !== "function") return value;
      const fault = () => installation.faultOf(run.name.split(" ")[0] ?? "", `${port}.${method}`);
      if (atOnce.has(`${port}.${method}`))
        return (...args: readonly unknown[]): unknown => {
          const error = fault();
          if (error !== undefined) throw error;
          return (value as Method).apply(object, [...args]);
        };
      return (...args: readonly unknown[]): Promise<unknown> => {
        if (!mayAsk(run.name, port, method))
          installation.witness.complain("L5", `${run.name} asks for ${port}.${method}, which its route does not reach`);
        const error = fault();
        if (error !== undefined) return Promise.reject(error);
        const real = async (): Promise<unknown> => (value as Method).apply(object, inTrueTime(args, run, jumpMs));
        const look = looks[`${port}.${method}`];
        const reads = { ...run.reads };
        const { jumpMs } = installation;
        if (port === "cluster" && method === "patch")
          checkSent({ patch: args[0] as WorkloadPatch, reads }, installation.witness);
        const perform = look === undefined ? real : () => look({ args, run, reads, installation, real });
        return installation.runs.park({ run, port, method, args, perform });
      };
    },
  });
}

/** Converts the instants of a call from the run's clock to simulated time. */
function inTrueTime([first, ...rest]: readonly unknown[], { skewMs }: Run, jumpMs: number): unknown[] {
  const { sendBy } = (first ?? {}) as Partial<WorkloadPatch>;
  return sendBy === undefined
    ? [first, ...rest]
    : [{ ...(first as WorkloadPatch), sendBy: sendBy - skewMs - jumpMs }, ...rest];
}

interface Looked {
  readonly args: readonly unknown[];
  readonly run: Run;
  /** The reads of the run before the call. */
  readonly reads: Reads;
  readonly installation: Installation;
  readonly real: () => Promise<unknown>;
}

type Look = (call: Looked) => Promise<unknown>;

/** The records of the witness, by port and method. */
const looks: Readonly<Record<string, Look>> = {
  "cluster.read": async ({ run, installation, real }) => {
    const read = (await real()) as WorkloadRead;
    const tick = (installation.witness.tick += 1);
    if (read.kind === "found") {
      const { uid, generation, annotations } = read.live;
      run.reads.object = { tick, uid, generation, annotations, live: read.live };
    }
    return read;
  },
  "cluster.definitions": async ({ run, installation, real }) => {
    const list = (await real()) as DefinitionList;
    const { witness } = installation;
    const tick = (witness.tick += 1);
    witness.definitions.sights.push(sightOf(installation));
    const { objects, unlisted } = list;
    const { definitionsTick: readTick = tick } = run.reads;
    run.reads.listed = { tick, readTick, asked: definitionKinds, denied: unlisted, objects };
    return list;
  },
  "definitions.list": ({ run, installation, real }) => {
    run.reads.definitionsTick ??= installation.witness.tick += 1;
    return real();
  },
  "cluster.patchStatus": async ({ args, reads, installation, real }) => {
    const outcome = (await real()) as StatusOutcome;
    if (outcome.kind === "written" && reads.listed !== undefined)
      checkReported(args[0] as StatusPatch, reads.listed, installation);
    return outcome;
  },
  // The read of an object ends with its definitions.
  "definitions.about": async ({ run, real }) => {
    const declared = (await real()) as readonly Declared[];
    const { object } = run.reads;
    if (object === undefined) return declared;
    const { annotations } = declaredAbout(object.live, declared);
    run.reads.object = { ...object, declared, annotations: { ...annotations, ...object.live.annotations } };
    return declared;
  },
  "definitions.put": definitionsLook,
  "definitions.remove": definitionsLook,
  "store.read": async ({ run, installation, real }) => {
    const record = (await real()) as WorkloadRecord | undefined;
    const tick = (installation.witness.tick += 1);
    run.reads.record = { tick, record };
    return record;
  },
  "store.due": async ({ installation, real }) => {
    const { chance, weather } = installation;
    if (!chance.happens(weather.stale)) installation.shownDue = (await real()) as readonly string[];
    else installation.say(() => "    the index shows what it showed before");
    return installation.shownDue;
  },
  "store.write": async ({ args, run, installation, real }) => {
    const record = args[0] as WorkloadRecord;
    const before = installation.stored.records().get(workloadKey(record.workload));
    const outcome = (await real()) as WriteOutcome;
    const after = installation.stored.records().get(workloadKey(record.workload));
    if (after !== undefined && after !== before) {
      const sawRegistry = run.reads.registryFailed !== true;
      installation.witness.stored(before, after, { sawRegistry, at: installation.now });
      checkStaysSent(before, after, installation.witness);
      checkHasSlot(before, after, installation.witness);
      checkRestarted(after, installation.images, installation.witness.complain);
      checkBudget(installation);
    }
    return outcome;
  },
  // A changed fact sends an extra Wake to waiting workloads, besides their timers. Two people may
  // change a fact at the same instant.
  "queues.send": async ({ args, run, installation, real }) => {
    const { witness, mailbox } = installation;
    const sendings = args[0] as readonly OutgoingCommand[];
    // A repeated vote, and a change that is handed on again, send the command that the first may not have sent.
    if (run.name.startsWith("a person's vote") || run.name === "notify/state-changed")
      installation.copies += sendings.filter(({ command }) => mailbox.sent.has(JSON.stringify(command))).length;
    const answer = await real();
    // A reaper whose clock jumps takes timers for overdue.
    const sent = installation.jumps === 0 ? sendings : sendings.map(({ command }) => ({ command }));
    for (const wrong of sent.flatMap((sending) => wrongOfSending(run.name, sending))) witness.complain("L5", wrong);
    for (const { command } of sendings)
      if ("requestedBy" in command && !run.name.startsWith("a person"))
        countHint(JSON.stringify(command), run, witness, installation.copies);
    return answer;
  },
  "cluster.patch": patchLook,
  "quarantine.add": async ({ args, installation: { witness }, real }) => {
    const answer = await real();
    witness.quarantinedAt.set((args[0] as QuarantinedDigest).digest, (witness.tick += 1));
    return answer;
  },
  "quarantine.lift": async ({ args, installation: { witness }, real }) => {
    witness.quarantinedAt.delete(args[0] as string);
    return real();
  },
  // An instant that a clock behind has stored stays earlier than the true one.
  "sightings.remember": async ({ args, run, installation: { witness, now }, real }) => {
    await real();
    for (const sighting of args[0] as readonly StoredSighting[]) {
      const key = imageKey(sighting);
      const { seenAt, doubtedAt } = sighting;
      const known = doubtedAt === undefined ? (witness.seenAt.get(key) ?? 0) : 0;
      witness.seenAt.set(key, Math.max(known, Math.min(seenAt - run.skewMs, doubtedAt ?? Infinity, now)));
    }
  },
  "freezes.put": async ({ args, installation: { witness, now }, real }) => {
    const freeze = args[0] as Freeze;
    await real();
    witness.frozen.set(freezeScopeText(freeze.scope), { freeze, tick: (witness.tick += 1), at: now });
  },
  "freezes.lift": async ({ args, installation: { witness }, real }) => {
    witness.frozen.delete(freezeScopeText(args[0] as FreezeScope));
    return real();
  },
  "ledger.append": async ({ args, installation: { witness }, real }) => {
    const answer = await real();
    witness.appended(args[0] as readonly LedgerRow[]);
    return answer;
  },
  "bus.publish": async ({ args, installation, real }) => {
    const events = args[0] as readonly DomainEvent[];
    for (const event of events) if (event.name !== "ImagePushed") installation.say(() => factText(event));
    return real();
  },
};

/** Counts an extra command. A postponed message counts once. */
function countHint(body: string, run: Run, witness: Witness, copies: number): void {
  if (body === run.body) return;
  const sent = (witness.hints.get(body) ?? 0) + 1;
  witness.hints.set(body, sent);
  if (sent > 1 + copies)
    witness.complain("L5", `${body} was sent ${sent} times, although only ${copies} copies were made`);
}

function factText(event: Exclude<DomainEvent, { name: "ImagePushed" }>): string {
  if (isRegistryFact(event)) return `    fact: ${event.name} ${event.registry}`;
  if (event.name === "PushDisputed") return `    fact: ${event.name} ${event.repository}:${event.tag}`;
  const reasons = event.reasons.map(({ reason }) => reason).join(", ");
  return `    fact: ${event.name} ${event.workload.name} update ${event.seq}${reasons === "" ? "" : ` (${reasons})`}`;
}

async function definitionsLook({ args, run, installation, real }: Looked): Promise<unknown> {
  const answer = await real();
  const { witness, ports } = installation;
  const [first] = args[0] as readonly Declared[];
  if (first === undefined) return answer;
  const all = await ports.definitions.list(first.cluster);
  witness.definitions.wrote({ run: run.number, tick: (witness.tick += 1) }, all);
  return answer;
}

async function patchLook({ args, reads, installation, real }: Looked): Promise<unknown> {
  const patch = args[0] as WorkloadPatch;
  const cluster = installation.clusterOf(patch.workload.cluster);
  const before = cluster.object(patch.workload);
  const writes = cluster.history.length;
  const outcome = await real();
  const after = cluster.object(patch.workload);
  const landed = cluster.history.length > writes;
  installation.say(() => `    the patch ${patch.updateLabel.to} ${landed ? "lands" : "does not land"}`);
  if (landed && before !== undefined && after !== undefined) {
    const seen = { patch, reads, before, after, at: installation.now };
    checkLanded(seen, installation);
    checkOrder(seen, installation);
  }
  return outcome;
}
