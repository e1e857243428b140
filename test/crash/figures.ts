import { functionName, routes } from "#contracts/routes";
import { type CrashOutcome, endedWell } from "./points.ts";

/**
 * Returns a line for each function and for all: crash points, undisturbed results, lost lines and
 * doubled lines.
 */
export function figuresOf(outcomes: readonly CrashOutcome[]): readonly string[] {
  const lines = routes.map((route) => {
    const name = functionName(route);
    return line(
      name,
      outcomes.filter(({ point }) => point.handler === name),
    );
  });
  return [...lines, line("crash points", outcomes)];
}

function line(name: string, outcomes: readonly CrashOutcome[]): string {
  const count = (what: (outcome: CrashOutcome) => number): number =>
    outcomes.reduce((sum, outcome) => sum + what(outcome), 0);
  const well = outcomes.filter(endedWell).length;
  const [lost, doubled] = [count((outcome) => outcome.lost.length), count((outcome) => outcome.doubled.length)];
  return `${name}: ${well} of ${outcomes.length} ended as undisturbed, ${lost} lost, ${doubled} doubled`;
}
