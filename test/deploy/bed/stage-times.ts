import type { FactName } from "#domain/update/events";
import type { FactFeed } from "./fact-feed.ts";

/** The steps of an update, with the facts at their ends. */
const steps = [
  ["released", "UpdateReleased"],
  ["patched", "RolloutStarted"],
  ["running", "WorkloadRunning"],
  ["succeeded", "RolloutSucceeded"],
] as const satisfies readonly (readonly [string, FactName])[];

/** A table of the times from a push to each step. */
export interface StageTimes {
  /** Adds the update of a Deployment after a push. */
  add(what: string, pushedAt: number, deployment: string, seq: number): void;
  text(): string;
}

/** Returns an empty table. Times are in milliseconds by the clock of this machine. */
export function stageTimes(facts: FactFeed): StageTimes {
  const rows: (readonly string[])[] = [];
  return {
    add(what, pushedAt, deployment, seq) {
      const told = facts.of(deployment).filter((fact) => fact.seq === seq);
      const since = (name: FactName): string => {
        const at = told.find((fact) => fact.name === name)?.at;
        return at === undefined ? "-" : String(at - pushedAt);
      };
      rows.push([what, ...steps.map(([, name]) => since(name))]);
    },
    text() {
      const head = ["ms from the push until", ...steps.map(([step]) => step)];
      const line = (cells: readonly string[]): string =>
        cells.map((cell, index) => (index === 0 ? cell.padEnd(40) : cell.padStart(10))).join("");
      return [head, ...rows].map(line).join("\n");
    },
  };
}
