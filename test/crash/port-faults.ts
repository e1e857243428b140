import { PermanentError, TransientError } from "#ports/errors";
import { requestFunctions } from "#runtime/local/functions";
import type { Ports } from "#app/shared/ports";
import type { Invocation } from "#runtime/handler";
import { routes, functionName } from "#contracts/routes";
import { newStory } from "#test/model/history/story";
import { clusterName, type Installation } from "#test/model/world/installation";
import { endingOf } from "./ending.ts";
import type { Scenario } from "./scenarios.ts";
import { setStage, type Stage } from "./stage.ts";

/** The errors of ports, by kind. The message of an unexpected error may contain a secret. */
export const portErrors = {
  transient: (call: string) => new TransientError(`simulated: ${call} timed out`),
  permanent: (call: string) => new PermanentError(`simulated: ${call} is denied`),
  unexpected: (call: string) => new TypeError(`simulated: ${call} has a bug`),
} as const satisfies Readonly<Record<string, (call: string) => Error>>;

/** A function that gets an error from each call of one method of a port. */
export interface PortFault {
  /** The name of the function: `rollout/roll-out`. */
  readonly handler: string;
  /** The port and the method: `cluster.patch`. */
  readonly call: string;
  readonly kind: keyof typeof portErrors;
}

/** The course of a scenario with a fault, compared with the undisturbed course. */
export interface FaultOutcome {
  readonly fault: PortFault;
  /** The workloads that differ from the undisturbed course while nobody can see why. */
  readonly silent: readonly string[];
  /** The same hours after the fault has ended. */
  readonly lost: readonly string[];
  /** The lines that users see during the fault. */
  readonly shown: readonly string[];
}

/** Returns `function call` of each call in a scenario, in the order of the first calls. */
export async function callsIn(scenario: Scenario): Promise<readonly string[]> {
  const calls = new Set<string>();
  await play(scenario, (handler, call) => {
    calls.add(`${handler} ${call}`);
    return undefined;
  });
  return [...calls];
}

/** Returns the names of all ports with methods, `cluster` included. */
export function portsOf(ports: Ports): readonly string[] {
  const withCluster = { ...ports, cluster: ports.clusters.cluster(clusterName) };
  return Object.entries(withCluster).flatMap(([name, port]) =>
    Object.values(port as object).some((value) => typeof value === "function") ? [name] : [],
  );
}

/** Plays a scenario with a fault, until the retries have ended, and then without the fault. */
export async function playWithFault(fault: PortFault, scenario: Scenario): Promise<FaultOutcome> {
  const undisturbed = await undisturbedPlay(scenario);
  const error = portErrors[fault.kind](fault.call);
  let left = /^(?:notify|gate\/reap)/.test(fault.handler) ? timesWithoutPause : Infinity;
  const disturbed = await play(scenario, (handler, call) => {
    if (handler !== fault.handler || call !== fault.call || left === 0) return undefined;
    left -= 1;
    return error;
  });
  return {
    fault,
    silent: unexplained(disturbed.during, undisturbed.during),
    // A caller who gets an error must send the request again.
    lost: callerSees.has(fault.handler)
      ? []
      : [...unexplained(disturbed.after, undisturbed.after), ...disturbed.broken],
    shown: disturbed.during.shown,
  };
}

/** The number of errors of a function that the simulation runs again without a pause. */
const timesWithoutPause = 3;

/** The functions whose callers get the error as the answer. */
const callerSees: ReadonlySet<string> = new Set(
  routes.filter(({ trigger }) => trigger.kind === "http").map(functionName),
);

/** The state of an installation at an instant. */
interface Look {
  /** The lines of each workload, by its name. */
  readonly states: Readonly<Record<string, string>>;
  /** The lines that users see, with the name of the workload or `all`. */
  readonly shown: readonly string[];
}

interface Played {
  readonly during: Look;
  readonly after: Look;
  /** Rules of the simulation that were broken. */
  readonly broken: readonly string[];
}

/** Returns the workloads that differ from the undisturbed course without a line that says why. */
function unexplained({ states, shown }: Look, undisturbed: Look): readonly string[] {
  return Object.entries(states)
    .filter(([name, lines]) => lines !== undisturbed.states[name])
    .filter(([name]) => !shown.some((line) => line.startsWith(`${name}: `) || line.startsWith("all: ")))
    .map(([name, lines]) => `${name}: ${lines}; undisturbed: ${undisturbed.states[name] ?? "nothing"}`);
}

const undisturbedPlays = new Map<Scenario, Promise<Played>>();

function undisturbedPlay(scenario: Scenario): Promise<Played> {
  const known = undisturbedPlays.get(scenario) ?? play(scenario, () => undefined);
  undisturbedPlays.set(scenario, known);
  return known;
}

/** The minutes after a scenario in which all retries end. */
const retriesEndAfter = 10;

async function play(scenario: Scenario, faultOf: Installation["faultOf"]): Promise<Played> {
  const story = newStory();
  const stage = setStage(
    () => ({ kind: "answered" }),
    story,
    (ports, around) => scenario.tamper?.()(ports, around) ?? ports,
    scenario.receivers?.(),
  );
  const { installation } = stage;
  await scenario.before?.(stage);
  installation.faultOf = faultOf;
  const refused: string[] = [];
  // The caller of a request sees its error, and acts on it.
  await Promise.resolve(scenario.play(stage)).catch((error: unknown) => refused.push(`all: ${String(error)}`));
  await stage.pass(retriesEndAfter);
  const reported = story.lines.filter((line) => /run \d+ fails: simulated/.test(line)).map((line) => `all: ${line}`);
  const during = await look(stage, [...refused, ...reported]);
  installation.faultOf = () => undefined;
  // The schedules go on.
  await stage.sweep();
  await stage.rest();
  return { during, after: await look(stage, []), broken: installation.witness.broken };
}

async function look(stage: Stage, shown: readonly string[]): Promise<Look> {
  const { state } = await endingOf(stage);
  const states = stage.members.map(({ workload: { name } }) => [
    name,
    state.filter((line) => line.startsWith(`${name} `)).join(", "),
  ]);
  return { states: Object.fromEntries(states) as Look["states"], shown: [...shown, ...(await shownTo(stage))] };
}

/** Returns the reasons that `lookout status` shows, and dead letters of workloads without a record. */
async function shownTo({ installation, members }: Stage): Promise<readonly string[]> {
  const ask = async <Body>(path: string): Promise<Body> => {
    const request = new Request(`http://lookout.test/v1/${path}`);
    const answer = await requestFunctions["api/v1"].run(request, invocationOf(installation.ports));
    return (await answer.json()) as Body;
  };
  const { workloads, clusters } = await ask<{ workloads: WorkloadShown[]; clusters: ProblemShown[] }>("workloads");
  const { repositories } = await ask<{ repositories: ProblemShown[] }>("repositories");
  const known = new Set(workloads.map(({ workload }) => workload.split("/").at(-1)));
  return [
    ...workloads.flatMap(({ workload, state, reasons, blocked }) =>
      [...reasons, ...blocked.map(({ why }) => why)].map(
        ({ reason, detail = "" }) => `${workload.split("/").at(-1) ?? ""}: ${state} ${reason} ${detail}`,
      ),
    ),
    ...[...clusters, ...repositories].flatMap(({ problem }) =>
      problem === undefined ? [] : [`all: ${problem.reason} ${problem.detail}`],
    ),
    ...members
      .filter(({ workload: { name } }) => !known.has(name) && deadLettersOf(name, installation).length > 0)
      .map(({ workload: { name } }) => `${name}: its evaluation is a dead letter`),
  ];
}

interface ReasonShown {
  readonly reason: string;
  readonly detail?: string;
}

interface WorkloadShown {
  readonly workload: string;
  readonly state: string;
  readonly reasons: readonly ReasonShown[];
  readonly blocked: readonly { readonly why: ReasonShown }[];
}

interface ProblemShown {
  readonly problem?: { readonly reason: string; readonly detail: string };
}

function deadLettersOf(name: string, { mailbox }: Installation): readonly string[] {
  return [...mailbox.sent].filter((body) => body.startsWith(`{"body"`) && body.includes(`\\"name\\":\\"${name}\\"`));
}

function invocationOf(ports: Ports): Invocation {
  return {
    ports,
    receivers: { receiver: async () => undefined },
    setAside: { deadLetter: async () => undefined, keep: async () => undefined },
    log: { outcome: () => undefined, failure: () => undefined },
    signal: new AbortController().signal,
  };
}
