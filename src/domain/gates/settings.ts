import { type AskGate, closed, open } from "./gate.ts";

/** Holds an update while an invalid annotation of its workload may limit it. */
export const askSettings: AskGate = ({ settings }) => {
  const first = settings.problems.find((problem) => problem.closes);
  if (first === undefined) return open;
  return closed({ reason: "problem-in-settings", detail: `${first.key} "${first.value}": ${first.message}` });
};
