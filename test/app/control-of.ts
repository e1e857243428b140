import { randomUUID } from "node:crypto";
import { controlHandlers } from "#app/api/control";
import type { Served } from "#app/api/handler";
import type { World } from "./world.ts";

/** Returns a request of a person whose name nobody proves, with a new id. */
function servedBy({ ports }: World): Served {
  return {
    id: randomUUID(),
    ports,
    allPorts: ports,
    signal: new AbortController().signal,
    by: (claimed: string) => claimed,
    credential: { kind: "none" },
  } as never;
}

/** Returns the handlers of what people request, for one request. */
export function controlOf(lookout: World): ReturnType<typeof controlHandlers> {
  return controlHandlers(servedBy(lookout));
}
