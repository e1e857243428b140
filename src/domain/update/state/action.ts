import type { ProvedBy } from "../../approval/people.ts";

/** What people can do to a workload, to a part of the fleet, or to the installation. */
export const actionNames = [
  "approve",
  "reject",
  "ask-again",
  "unblock",
  "release",
  "set",
  "rollback",
  "skip",
  "end-skip",
  "suspend",
  "resume",
  "retry",
  "freeze",
  "unfreeze",
  "quarantine",
  "lift-quarantine",
  "create-token",
  "revoke-token",
  "register-cluster",
  "remove-cluster",
  "import",
  "change-mode",
] as const;
/** One of {@link actionNames}. */
export type ActionName = (typeof actionNames)[number];

/** The act of a person that led to a change, or the end of such an act. */
export interface Action {
  readonly what: ActionName;
  /** The proved name, otherwise the name in the request. */
  readonly by: string;
  /** The person's reason. Absent if the person gave none. */
  readonly why?: string;
  /** How the name was proved. Absent if only the request named the person, or Lookout acted. */
  readonly provedBy?: ProvedBy;
}

/** Returns an act of the sender of a request. */
export function actionOf(what: ActionName, { by, why, provedBy }: Omit<Action, "what">): Action {
  return {
    what,
    by,
    ...(why === undefined ? {} : { why }),
    ...(provedBy === undefined ? {} : { provedBy }),
  };
}
