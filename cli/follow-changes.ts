import type { FactView, RegistryFactView } from "#contracts/api/process";
import { workloadKey } from "#domain/workload/workload";
import { isRegistryFact } from "#domain/registry/outage";
import type { Server } from "./server.ts";
import type { World } from "./world.ts";

interface Followed {
  readonly world: World;
  readonly server: Server;
  /** Returns whether a workload is followed, by its whole name. */
  readonly isWanted: (key: string) => boolean;
}

/** Calls a function for each change of a workload, in order, until Ctrl-C or the end of the server. */
export async function followChanges(
  { world, server, isWanted }: Followed,
  changed: (key: string) => Promise<void>,
): Promise<void> {
  const stop = world.interrupted();
  const events = await server.follow(stop);
  for await (const data of events) {
    if (stop.aborted) return;
    const fact = JSON.parse(data) as FactView | RegistryFactView;
    if (isRegistryFact(fact)) continue;
    const key = workloadKey((fact as FactView).workload);
    if (isWanted(key)) await changed(key);
  }
}
