import type { Asker } from "#domain/approval/asker";
import { type ProvedBy, voterOf } from "#domain/approval/people";
import type { Served } from "./handler.ts";

type Caller = Pick<Served, "by" | "credential" | "ports">;

/**
 * Returns the sender of a request: the authenticated person, otherwise the name in the request. `why`
 * is the reason in the request.
 */
export function askerOf({ by, credential, ports }: Caller, claimed = "api", why?: string): Asker {
  const person = voterOf(credential, ports.rules.approvals)?.person;
  const provedBy = proofOf(credential, person);
  return {
    by: person ?? by(claimed),
    ...(person === undefined ? {} : { person }),
    ...(provedBy === undefined ? {} : { provedBy }),
    ...(why === undefined ? {} : { why }),
  };
}

function proofOf({ kind }: Served["credential"], person: string | undefined): ProvedBy | undefined {
  switch (kind) {
    case "none":
      return undefined;
    case "iam":
      return "iam";
    case "personal-token":
      return "token";
    case "token":
      // Any text can be sent as the token of a person. One of lookout.yaml proves the person.
      return person === undefined ? undefined : "token";
  }
}
