import { type AskGate, closed, open } from "./gate.ts";

/** Holds an update while an annotation of its workload has a problem that leaves in doubt what people want. */
export const askSettings: AskGate = ({ settings }) => {
  const first = settings.problems.find((problem) => problem.closes);
  if (first === undefined) return open;
  return closed({ reason: "problem-in-settings", detail: `${first.key} "${first.value}": ${first.message}` });
};
