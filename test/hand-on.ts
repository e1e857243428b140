import { publishChanges } from "#app/notify/state-changed";
import type { Ports } from "#app/shared/ports";

/** Publishes all changes of records that wait, as the process does, to nobody. */
export async function handOn(ports: Ports): Promise<void> {
  const told = {
    ...ports,
    bus: { publish: async () => undefined },
    metrics: { add: () => undefined },
  } as unknown as Ports;
  for (let taken = await ports.changes.take(100); taken.length > 0; taken = await ports.changes.take(100)) {
    await publishChanges(taken, told);
    await ports.changes.done(taken);
  }
}
