import { observedBy } from "#domain/gates/observe";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { coversPlace } from "#domain/workload/namespace-pattern";
import { allRecords } from "#app/shared/records";
import type { Ports } from "#app/shared/ports";

/**
 * Returns what a start tells about observation: where Lookout observes and what would change, and how
 * to release what an earlier observation left. Empty if there is neither.
 */
export async function observeNotices(ports: Ports): Promise<readonly string[]> {
  const { observe } = ports.rules;
  const tracked = (await allRecords(ports)).filter((record) => record.tracked);
  const held = tracked.filter(({ pending }) => pending?.observed === true);
  const left = held.filter(({ workload }) => observedBy(observe, workload) === undefined).length;
  const rules = [
    ...(observe.mode === undefined ? [] : ["mode: observe, or --observe"]),
    ...observe.clusters.flatMap(({ name, mode }) => (mode === undefined ? [] : [`mode: observe of cluster ${name}`])),
    ...(observe.observe.length === 0 ? [] : [`observe: ${observe.observe.join(", ")}`]),
  ];
  // Before the first sync, no workload is known.
  const idle = tracked.length === 0 ? [] : observe.observe.filter((one) => !tracked.some(coversOf(one)));
  const would = held.length - left;
  const known = would === 0 ? "" : `; ${updates(would)} would change workloads`;
  return [
    ...(rules.length === 0
      ? []
      : [
          `Lookout observes (${rules.join("; ")}): it patches nothing there${known}. To see what would change: lookout status`,
        ]),
    ...idle.map((one) => `observe: ${one} covers no known workload. Check its spelling: lookout status`),
    ...(left === 0
      ? []
      : [
          `${updates(left)} from an earlier observation ${left === 1 ? "stays" : "stay"} held. To release: lookout release --past observe SCOPE`,
        ]),
  ];
}

function coversOf(pattern: string): (record: WorkloadRecord) => boolean {
  return ({ workload }) => coversPlace(pattern, workload);
}

function updates(count: number): string {
  return count === 1 ? "1 update" : `${count} updates`;
}
