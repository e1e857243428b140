import type { Asker } from "#domain/approval/asker";
import { voterOf } from "#domain/approval/people";
import type { Served } from "./handler.ts";

/** Returns the sender of a request: the authenticated person, otherwise the name in the request. */
export function askerOf({ by, credential, ports }: Served, claimed = "api"): Asker {
  const person = voterOf(credential, ports.rules.approvals)?.person;
  return person === undefined ? { by: by(claimed) } : { by: person, person };
}
