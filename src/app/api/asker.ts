import type { Asker } from "#domain/approval/asker";
import { voterOf } from "#domain/approval/people";
import type { Served } from "./handler.ts";

/** Returns who sends a request: the proved person, else the name that the request gives. */
export function askerOf({ by, credential, ports }: Served, claimed = "api"): Asker {
  const person = voterOf(credential, ports.approvalRules)?.person;
  return person === undefined ? { by: by(claimed) } : { by: person, person };
}
