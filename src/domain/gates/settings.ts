import { problemText } from "../annotations/written-settings.ts";
import { type AskGate, closed, open } from "./gate.ts";

/** Holds an update while its workload has an invalid annotation that may limit updates. */
export const askSettings: AskGate = ({ settings }) => {
  const first = settings.problems.find((problem) => problem.closes);
  if (first === undefined) return open;
  return closed({ reason: "problem-in-settings", detail: problemText(first) });
};
