import type { ClusterRefusal } from "#ports/cluster";

/** The reason why a command about Lookout's account in a cluster changed nothing, or stopped. */
export interface AccountRefusal {
  readonly kind: "refused";
  /** `input`: the command or a file. `rights`: the user's rights. `cluster`: no answer. */
  readonly by: "input" | "rights" | "cluster";
  readonly sentence: string;
  readonly advice: readonly string[];
}

/** Returns a refusal because of the command's input or of a file. */
export function wrongInput(sentence: string, ...advice: readonly string[]): AccountRefusal {
  return { kind: "refused", by: "input", sentence, advice };
}

/** Returns the refusal of a cluster that denied a request or did not answer. */
export function fromCluster({ kind, detail }: ClusterRefusal, ...advice: readonly string[]): AccountRefusal {
  const sentence = `${detail.charAt(0).toUpperCase()}${detail.slice(1)}.`;
  return { kind: "refused", by: kind === "denied" ? "rights" : "cluster", sentence, advice };
}
