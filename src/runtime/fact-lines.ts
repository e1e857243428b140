import type { Step } from "../domain/history/steps.ts";
import { outageCause } from "../domain/registry/outage-cause.ts";
import type { RegistryFact } from "../domain/registry/outage.ts";
import type { Fact } from "../domain/update/events.ts";
import { cut, cutMiddle } from "./text-width.ts";

const marks = { plain: " ", good: "✓", bad: "✗", waits: "⏸", undone: "↩" } as const;

/** The colour of a step's line, by its mark. */
export const stepColours = { plain: "reset", good: "green", bad: "red", waits: "yellow", undone: "yellow" } as const;

/** The form of the lines of a stream. */
export interface LineForm {
  /**
   * Whether the name of the workload starts with its cluster. With one cluster, all lines would
   * repeat it.
   */
  readonly names: "one-cluster" | "several-clusters";
  /** The number of columns that a line may take. Undefined if lines are not shortened. */
  readonly width?: number | undefined;
}

const nameWidth = 18;
/** A narrower terminal shows times without milliseconds, and no columns after the name. */
const narrow = 80;

/**
 * Returns a step as one line: `12:01:08.902  shop/api   ✓ running   3 of 3 pods   1.5 s after the
 * push`.
 */
export function stepLine(
  { workload }: Pick<Fact, "workload">,
  { at, mark, word, text }: Step,
  clock: StepClock,
  { names, width }: LineForm,
): string {
  const short = `${workload.namespace}/${workload.name}`;
  const name = names === "one-cluster" ? short : `${workload.cluster}/${short}`;
  const isNarrow = width !== undefined && width < narrow;
  const time = isNarrow ? clock.format(at).slice(0, "12:01:08".length) : clock.format(at);
  const shown = width === undefined ? name : cutMiddle(name, Math.max(nameWidth, Math.floor(width / 4)));
  const start = `${time}  ${shown.padEnd(nameWidth)} ${marks[mark]} ${isNarrow ? `${word} ` : word.padEnd(12)} `;
  const room = width === undefined ? undefined : width - Array.from(start).length;
  return `${start}${cut(withShortDigests(text), room)}`.trimEnd();
}

/** Returns the fact about a registry in words, with times in the zone of the clock. */
export function registryText({ name, registry, since, at, detail }: RegistryFact, clock: StepClock): string {
  if (name === "RegistryRecovered") return `registry ${registry} answers again after ${spanText(at - since)}`;
  const [time] = clock.format(since).split(".");
  return `registry ${registry} can't be reached since ${time ?? ""}: ${outageCause(registry, detail)}`;
}

/** Returns the fact about a registry as one line. */
export function registryLine(fact: RegistryFact, clock: StepClock, width?: number): string {
  return cut(`${clock.format(fact.at)}  ${marks[registryMark(fact)]} ${registryText(fact, clock)}`, width);
}

/** Returns the mark of a fact about a registry. */
export function registryMark({ name }: RegistryFact): "good" | "bad" {
  return name === "RegistryRecovered" ? "good" : "bad";
}

function spanText(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return `${Math.max(0, Math.floor(ms / 1_000))} s`;
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Returns the form of names for this number of clusters. */
export function namesFor(clusters: number): LineForm["names"] {
  return clusters > 1 ? "several-clusters" : "one-cluster";
}

type StepClock = Pick<Intl.DateTimeFormat, "format">;

/** Returns a clock with milliseconds, in an IANA time zone. */
export function stepClock(timeZone: string): StepClock {
  return new Intl.DateTimeFormat("en-GB", {
    timeZone,
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    fractionalSecondDigits: 3,
  });
}

const digestLength = 12;

/** Returns a text with short digests. A whole digest would fill a line. */
function withShortDigests(text: string): string {
  return text.replaceAll(/sha256:[0-9a-f]{64}/g, (digest) => `${digest.slice(0, "sha256:".length + digestLength)}…`);
}
