import type {
  channelOperations,
  ChannelExplanationView,
  ChannelsView,
  ChannelTestView,
  ChannelView,
} from "#contracts/api/channels";
import { admissionOf, afterSuccess, type ChannelState } from "#domain/notify/channel-state";
import { type ChannelFilter, followersOf, showsWorkload, verdictOf } from "#domain/notify/filter";
import { type Subject, subjectOf } from "#domain/notify/told";
import { isAtLeast, severityOf } from "#domain/notify/words";
import { registryFactNames } from "#domain/registry/outage";
import { windowState } from "#domain/schedule/window";
import { didYouMean, nearest } from "#domain/shared/nearest";
import { type EpochMs, toIso } from "#domain/shared/time";
import { factsOfTransition } from "#domain/update/effects/facts";
import { type Fact, type FactName, factNames } from "#domain/update/events";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { namedChannels } from "#domain/annotations/notices";
import { workloadKey } from "#domain/workload/workload";
import type { Channel, OpenedChannel } from "#ports/channels";
import { originOfRow } from "#domain/notify/story";
import type { Ports } from "../shared/ports.ts";
import { allRecords } from "../shared/records.ts";
import { type ApiError, type Handlers, notFound, type Served } from "./handler.ts";

/** Returns the handlers for channels. */
export function channelHandlers({ ports }: Served): Handlers<typeof channelOperations> {
  return {
    listChannels: () => listChannels(ports),
    testChannel: ({ params }) => testChannel(params.channel, ports),
    explainChannel: ({ params, query }) => explainChannel(params.channel, query, ports),
  };
}

/** Lists the channels. A secret that can't be read is a state of its channel. */
export async function listChannels({ channels, channelStates, clock }: Ports): Promise<ChannelsView> {
  const states = new Map((await channelStates.list()).map((state) => [state.channel, state]));
  const now = clock.now();
  const listed = await Promise.all(
    channels
      .all()
      .map(async (channel) =>
        viewOf(channel, await conditionOf(channel, states.get(channel.name), now), states.get(channel.name)),
      ),
  );
  return { at: toIso(now), channels: listed };
}

type Condition = Pick<ChannelView, "state" | "why" | "since" | "until">;

async function conditionOf(channel: Channel, state: ChannelState | undefined, now: EpochMs): Promise<Condition> {
  const opened = await openedOrWhy(channel, false);
  if (opened.kind === "unusable") return { state: "unusable", why: opened.why };
  const admission = admissionOf(state, opened.stamp, now);
  const since = state?.failingSince === undefined ? {} : { since: toIso(state.failingSince) };
  if (admission.kind === "off") return { state: "off", why: admission.why, ...since };
  if (admission.kind === "later")
    return { state: "paused", why: admission.why, until: toIso(admission.until), ...since };
  if (state?.why === undefined || state.failures === 0) return { state: "well" };
  // With another secret, the failures before it say nothing.
  return state.offWith === undefined ? { state: "failing", why: state.why, ...since } : { state: "well" };
}

/** Opens a channel. A secret that can't be read now makes it unusable now. */
async function openedOrWhy(channel: Channel, isFresh: boolean): Promise<OpenedChannel> {
  try {
    return await channel.open(isFresh);
  } catch (error) {
    const why = error instanceof Error ? error.message : "unknown error";
    return { kind: "unusable", why: `its secret can't be read now: ${why}` };
  }
}

function viewOf({ name, kind, filter }: Channel, condition: Condition, state: ChannelState | undefined): ChannelView {
  const { form, names, minSeverity, clusters, namespaces, onlyNamed } = filter;
  const patterns = [...(namespaces?.allow ?? []), ...(namespaces?.deny ?? []).map((pattern) => `!${pattern}`)];
  return {
    ...{ name, kind, form, events: [...names], minSeverity },
    ...(clusters === undefined ? {} : { clusters: [...clusters] }),
    ...(patterns.length === 0 ? {} : { namespaces: patterns }),
    ...(onlyNamed === true ? { onlyNamed: true } : {}),
    ...condition,
    untold: state?.untold ?? 0,
    ...(state?.toldAt === undefined ? {} : { toldAt: toIso(state.toldAt) }),
  };
}

/** Sends a harmless message, whatever the breaker says. A success ends what the breaker says. */
export async function testChannel(
  name: string,
  { channels, clock, channelStates }: Pick<Ports, "channels" | "clock" | "channelStates">,
): Promise<ChannelTestView | ApiError> {
  const channel = channels.channel(name);
  if (channel === undefined) return unknownChannel(name, channels);
  const opened = await openedOrWhy(channel, true);
  if (opened.kind === "unusable") return { name, outcome: "off", why: opened.why };
  const answer = await opened.sender.tryOut(clock.now());
  if (answer.kind === "told") {
    const next = afterSuccess(await channelStates.read(name), name, clock.now());
    if (next !== undefined) await channelStates.write(next);
    return { name, outcome: "told" };
  }
  return { name, outcome: answer.kind === "gone" ? "refused" : answer.kind, why: answer.why };
}

function unknownChannel(name: string, channels: Ports["channels"]): ApiError {
  const names = channels.all().map((channel) => channel.name);
  const known = names.length === 0 ? "lookout.yaml has no channels" : `known are ${names.join(", ")}`;
  return notFound(`no channel is called ${name}; ${known}${didYouMean(nearest(name, names))}`);
}

const allNames: readonly string[] = [...factNames, ...registryFactNames, "PushDisputed"];

async function explainChannel(
  name: string,
  { fact: asked, workload }: { readonly fact: string; readonly workload?: string },
  ports: Ports,
): Promise<ChannelExplanationView | ApiError> {
  const channel = ports.channels.channel(name);
  if (channel === undefined) return unknownChannel(name, ports.channels);
  const factName = asked.split("/").at(-1) ?? asked;
  if (!allNames.includes(factName))
    return {
      kind: "bad-request",
      detail: `no fact is called ${factName}${didYouMean(nearest(factName, allNames))}`,
    };
  // Facts about registries belong to no workload.
  const isOfWorkload = factNames.some((one) => one === factName) && (asked.includes("/") || workload !== undefined);
  const found = isOfWorkload ? await findFact(asked, workload, ports) : undefined;
  if (found !== undefined && "kind" in found) return found;
  const told = found === undefined ? undefined : await messageTo(channel, found, ports);
  const condition = await conditionOf(channel, await ports.channelStates.read(name), ports.clock.now());
  return {
    ...{ name, fact: factName, verdict: verdictFor(channel, factName, found) },
    checks: [...checksOf(channel, factName, found, ports.clock.now()), stateCheck(condition)],
    ...(told === undefined ? {} : { told }),
  };
}

/** Returns what a channel does with a fact, or with any fact of a name. */
function verdictFor({ filter, name }: Channel, factName: string, fact: Fact | undefined): Verdict {
  if (fact !== undefined) return verdictOf(filter, name, fact) ?? "ignored";
  if (filter.names.some((one) => one === factName)) return "opens";
  return followersOf(filter.form).some((follower) => follower === factName) ? "follows" : "ignored";
}

type Verdict = ChannelExplanationView["verdict"];

function stateCheck({ state, why }: Condition): Check {
  const detail = why === undefined ? "the channel works" : `the channel is ${state}: ${why}`;
  return { check: "state", isPassed: state === "well" || state === "failing", detail };
}

/** Finds the fact of an id, or the newest fact of a name. A workload without such a fact could have one. */
async function findFact(asked: string, workload: string | undefined, ports: Ports): Promise<Fact | ApiError> {
  const [uid = ""] = asked.split("/");
  const isId = asked.includes("/");
  const records = await allRecords(ports);
  const isIt = (one: WorkloadRecord) =>
    workload === undefined ? one.uid === uid : workloadKey(one.workload) === workload;
  const record = records.find(isIt);
  if (record === undefined)
    return notFound(workload === undefined ? `no workload has the uid ${uid}` : `no workload is called ${workload}`);
  const key = workloadKey(record.workload);
  const channels = namedChannels(record.observed.annotations);
  const rows = await ports.ledger.read(key, 1_000);
  const facts = rows.flatMap((row) => factsOfTransition(originOfRow(row, record.workload, channels), row.transition));
  const fact = facts.find(({ id, name }) => (isId ? id === asked : name === asked));
  if (fact !== undefined) return fact;
  return isId ? notFound(`${key} has no fact ${asked}`) : possibleFact(asked as FactName, record, channels);
}

function possibleFact(name: FactName, record: WorkloadRecord, channels: readonly string[]): Fact {
  const { workload, uid, seq, version, changedAt: at } = record;
  return {
    name,
    id: [uid, seq, version, name].join("/"),
    workload,
    uid,
    seq,
    version,
    at,
    changes: [],
    reasons: [],
    channels,
  };
}

type Check = ChannelExplanationView["checks"][number];

function checksOf(
  { filter, name, quiet }: Channel,
  factName: string,
  fact: Fact | undefined,
  now: EpochMs,
): readonly Check[] {
  const isTold = filter.names.some((one) => one === factName);
  const quietNow = quiet.length > 0 && !windowState(quiet, now).open;
  return [
    { check: "event", isPassed: isTold, detail: isTold ? `events has ${factName}` : `events lacks ${factName}` },
    ...(fact === undefined ? [] : ofFact(filter, name, fact)),
    ...(quiet.length === 0
      ? []
      : [
          {
            check: "quiet" as const,
            isPassed: !quietNow,
            detail: quietNow ? "quiet hours: only warnings and failures are told now" : "no quiet hours now",
          },
        ]),
  ];
}

function ofFact(filter: ChannelFilter, name: string, fact: Fact): readonly Check[] {
  const { clusters, namespaces, minSeverity, onlyNamed } = filter;
  const { cluster, namespace } = fact.workload;
  const severity = severityOf(fact);
  const isNamed = fact.channels?.includes(name) === true;
  return [
    {
      check: "severity",
      isPassed: isAtLeast(severity, minSeverity),
      detail: `the severity is ${severity}, and the channel tells from ${minSeverity} on`,
    },
    ...(clusters === undefined
      ? []
      : [
          {
            check: "cluster" as const,
            isPassed: clusters.includes(cluster),
            detail: `the cluster is ${cluster}, and the channel tells of ${clusters.join(", ")}`,
          },
        ]),
    ...(namespaces === undefined
      ? []
      : [
          {
            check: "namespace" as const,
            isPassed: showsWorkload({ ...filter, clusters: undefined }, fact.workload),
            detail: `the namespace is ${namespace}`,
          },
        ]),
    ...(onlyNamed !== true
      ? []
      : [
          {
            check: "named" as const,
            isPassed: isNamed,
            detail: isNamed ? "an annotation names the channel" : "no annotation of the workload names the channel",
          },
        ]),
  ];
}

async function messageTo(
  { name, filter }: Channel,
  fact: Fact,
  { told }: Ports,
): Promise<ChannelExplanationView["told"] | undefined> {
  if (filter.form === "facts") return undefined;
  const subject: Subject | undefined = subjectOf(filter.form, fact, filter.onlyNamed === true);
  const message = subject && (await told.read(name, subject));
  if (message === undefined) return undefined;
  const { shows, showAt, reference } = message;
  return { shows, at: toIso(showAt), ...(reference === undefined ? {} : { reference }) };
}
