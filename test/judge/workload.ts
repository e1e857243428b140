import { readObject } from "#cli/answers/workload";
import { KubernetesObjectSchema } from "#contracts/kubernetes/workload-object";
import { badLineRefusal, judge, type LineAnswer, readLine } from "./lines.ts";

/** Answers a Kubernetes object with the settings of its annotations. */
export async function answerWorkloadLine(line: string): Promise<LineAnswer> {
  const read = readLine(KubernetesObjectSchema, line);
  return read.ok ? (await readObject(read.value)).answer : badLineRefusal(read.problem);
}

if (import.meta.main) await judge(answerWorkloadLine);
