import { styleText } from "node:util";
import type { Fact, FactName } from "#domain/events";
import { parseImageReference } from "#domain/image-reference";
import { reasons } from "#domain/reasons";
import type { EpochMs } from "#domain/time";
import type { ClosedGate, ImageChange } from "#domain/update";
import type { Log } from "../handler.ts";
import { type BannerInputs, bannerOf } from "./banner.ts";
import { lookoutVersion } from "./version.ts";

/** How the steps of updates are shown. */
export interface ReporterOptions {
  /** `text` for people, `json` for programs: one line each. */
  readonly output: "text" | "json";
  readonly colour: boolean;
  /** The zone of the times that people read. */
  readonly timeZone: string;
  readonly write: (line: string) => void;
  readonly writeError: (line: string) => void;
}

/** Shows facts as they come, and failures of the process itself. */
export interface Reporter {
  readonly onFact: (fact: Fact) => void;
  readonly log: Log;
  /** Says something about the process itself, to people; programs read it from the error stream. */
  readonly notice: (text: string) => void;
  /** Says what runs and where it answers, before the first fact. */
  started(banner: BannerInputs): void;
  /** Says something that only people need. */
  aside(text: string): void;
}

interface Step {
  readonly at: EpochMs;
  readonly mark: "plain" | "good" | "bad" | "waits";
  readonly word: string;
  readonly text: string;
}

/** Opens a reporter. */
export function reporter(options: ReporterOptions): Reporter {
  const clock = new Intl.DateTimeFormat("en-GB", {
    timeZone: options.timeZone,
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    fractionalSecondDigits: 3,
  });
  return {
    onFact(fact) {
      if (options.output === "json") options.write(JSON.stringify(forPrograms(fact)));
      else for (const step of stepsOf(fact)) options.write(lineOf(fact, step, clock, options.colour));
    },
    notice: (text) => {
      options.writeError(options.output === "json" ? JSON.stringify({ level: "info", message: text }) : text);
    },
    started: (banner) => {
      if (options.output === "text") bannerOf(banner).forEach(options.write);
      else options.write(JSON.stringify({ name: "Started", version: lookoutVersion, ...banner }));
    },
    aside: (text) => {
      if (options.output === "text") options.write(text);
    },
    log: {
      outcome: () => undefined,
      failure({ id, error }) {
        const message = error instanceof Error ? `${error.name}: ${error.message}` : "unknown error";
        options.writeError(
          options.output === "json" ? JSON.stringify({ level: "error", id, message }) : `! ${id}: ${message}`,
        );
      },
    },
  };
}

/** Tells the steps of an update that a fact is about, in the order in which they happened; empty for facts that people need not see. */
export function stepsOf(fact: Fact): readonly Step[] {
  const why = fact.reasons.map(whyOf).join(" · ");
  const { at } = fact;
  return tellings[fact.name](fact, why).map((step) => ({ at, mark: "plain", ...step }));
}

type Telling = (fact: Fact, why: string) => readonly (Pick<Step, "word" | "text"> & Partial<Step>)[];

const tellings: Readonly<Record<FactName, Telling>> = {
  WorkloadTracked: (_, why) => [
    why === ""
      ? { word: "tracked", text: "its updates are looked after" }
      : { word: "problem", text: why, mark: "bad" },
  ],
  WorkloadChanged: ({ detail }, why) => {
    if (why !== "") return [{ word: "problem", text: why, mark: "bad" }];
    return detail === undefined ? [] : [{ word: "changed", text: detail }];
  },
  WorkloadUntracked: () => [{ word: "untracked", text: "it is gone, or lookout.dev/enabled is no longer true" }],
  UpdateProposed: (fact) => [
    ...fact.changes.map(({ repository, tag, digest }) => ({
      word: heardOfPush(fact) ? "pushed" : "found",
      text: `${repository}:${tag} @ ${short(digest)}  (${fact.source ?? ""})`,
      at: fact.detectedAt ?? fact.at,
    })),
    ...fact.changes.map((change) => ({ word: "elected", text: `${tagOf(change)} → ${change.tag}   ${change.policy}` })),
  ],
  UpdateHeld: (_, why) => [{ word: "held", text: why, mark: "waits" }],
  UpdateReleased: () => [],
  RolloutPrepared: () => [],
  RolloutStarted: (fact) => [{ word: "patched", text: `${containersOf(fact.changes)}   ${afterPush(fact)}` }],
  RolloutWaiting: ({ detail }) => (detail === undefined ? [] : [{ word: "waiting", text: detail, mark: "waits" }]),
  WorkloadRunning: (fact) => [{ word: "running", text: `${fact.detail ?? ""}   ${afterPush(fact)}`, mark: "good" }],
  RolloutSucceeded: ({ detail }) => [{ word: "succeeded", text: detail ?? "", mark: "good" }],
  RolloutFailed: (_, why) => [{ word: "failed", text: why, mark: "bad" }],
  RollbackStarted: ({ changes }) => [
    { word: "put back", text: changes.map(({ from }) => from).join(", "), mark: "bad" },
  ],
  RolledBack: ({ changes }, why) => [
    { word: "rolled back", text: `${why}; ${changes.map(imageText).join(", ")} is not tried again`, mark: "bad" },
  ],
  RollbackFailed: (_, why) => [{ word: "not recovered", text: why, mark: "bad" }],
  UpdateTakenBack: (_, why) => [{ word: "taken back", text: why, mark: "bad" }],
  UpdateSuperseded: ({ seq }, why) => [{ word: "superseded", text: `update ${seq}: ${why}` }],
  UpdateRefused: (_, why) => [{ word: "refused", text: why, mark: "bad" }],
  HoldLifted: ({ detail }) => [{ word: "lifted", text: detail ?? "" }],
};

const marks = { plain: " ", good: "✓", bad: "✗", waits: "⏸" } as const;
const colours = { plain: "reset", good: "green", bad: "red", waits: "yellow" } as const;

function lineOf(fact: Fact, { at, mark, word, text }: Step, clock: Intl.DateTimeFormat, colour: boolean): string {
  const name = `${fact.workload.namespace}/${fact.workload.name}`;
  const line = `${clock.format(at)}  ${name.padEnd(18)} ${marks[mark]} ${word.padEnd(12)} ${text}`.trimEnd();
  return colour && mark !== "plain" ? styleText(colours[mark], line) : line;
}

function forPrograms(fact: Fact): unknown {
  return {
    ...fact,
    at: new Date(fact.at).toISOString(),
    ...(fact.detectedAt === undefined ? {} : { detectedAt: new Date(fact.detectedAt).toISOString() }),
  };
}

function whyOf({ reason, detail, until }: ClosedGate): string {
  const opens = until === undefined ? "" : ` until ${new Date(until).toISOString()}`;
  return `${reasons[reason].sentence.replace(/\.$/, "")}${detail === undefined ? "" : `: ${detail}`}${opens}`;
}

function containersOf(changes: readonly ImageChange[]): string {
  return `${changes.length === 1 ? "container" : "containers"} ${changes.map(({ name }) => name).join(", ")}`;
}

/** What a look found by itself was pushed at a time that nobody told. */
function heardOfPush({ source }: Fact): boolean {
  return source?.startsWith("webhook") === true;
}

function afterPush(fact: Fact): string {
  const { at, detectedAt } = fact;
  if (detectedAt === undefined) return "";
  const passed = at - detectedAt;
  const since = heardOfPush(fact) ? "the push" : "it was found";
  return `${passed < 1_000 ? `${passed} ms` : `${(passed / 1_000).toFixed(1)} s`} after ${since}`;
}

function tagOf({ from }: ImageChange): string {
  const parsed = parseImageReference(from);
  return parsed.ok ? (parsed.value.tag ?? parsed.value.digest ?? "latest") : from;
}

function imageText({ tag, digest }: ImageChange): string {
  return `${tag} @ ${short(digest)}`;
}

function short(digest: string): string {
  return digest.slice(digest.indexOf(":") + 1).slice(0, 12);
}
