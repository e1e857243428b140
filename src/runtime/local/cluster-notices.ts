import type { ClusterStates } from "#ports/cluster-states";

/** Returns cluster states that also report when a cluster's problem starts, changes or ends. */
export function withNotices(states: ClusterStates, notice: (text: string) => void): ClusterStates {
  const told = new Map<string, string>();
  return {
    ...states,
    async write(state) {
      await states.write(state);
      const { name, problem } = state;
      if (problem?.detail === told.get(name)) return;
      if (problem === undefined) told.delete(name);
      else told.set(name, problem.detail);
      notice(`cluster ${name}: ${problem?.detail ?? "reachable again"}`);
    },
  };
}
