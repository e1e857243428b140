import type { FactName } from "#domain/update/events";
import type { FactFeed } from "./fact-feed.ts";

/** The steps of an update, by the fact that tells of their end. */
const steps = [
  ["released", "UpdateReleased"],
  ["patched", "RolloutStarted"],
  ["running", "WorkloadRunning"],
  ["succeeded", "RolloutSucceeded"],
] as const satisfies readonly (readonly [string, FactName])[];

/** How long updates took from the push to each step, as a table to print. */
export interface StageTimes {
  /** Notes the update of a Deployment that a push caused. */
  add(what: string, pushedAt: number, deployment: string, seq: number): void;
  text(): string;
}

/** Opens an empty table. Milliseconds by the clock of this machine. */
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
