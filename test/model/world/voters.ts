import type { ApprovalRules } from "#domain/approval/approvers";
import { tokenHash } from "#domain/approval/people";

/** The people who vote in histories. The token of a person is the person's name. */
export const voters = ["ana", "ben", "eva"] as const;

/** One of {@link voters}. */
export type Voter = (typeof voters)[number];

/** The rules that let all people decide about all workloads. */
export const approvalRules: ApprovalRules = {
  people: voters.map((name) => ({ name, iam: [], tokenHash: tokenHash(name) })),
  approvers: [],
  namesAreProved: [],
};
