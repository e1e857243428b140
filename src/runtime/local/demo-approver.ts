import { randomBytes } from "node:crypto";
import type { ApprovalsView } from "#contracts/api/approvals";
import type { ApprovalRules } from "#domain/approval/approvers";
import { tokenHash } from "#domain/approval/people";
import { personHeader } from "../request.ts";
import { requestFunctions } from "./functions.ts";
import type { Shell } from "./shell.ts";

/** The person who approves the updates of the namespace `pay` in the tour. */
export interface DemoApprover {
  readonly rules: ApprovalRules;
  /** Approves all updates that wait for this person, through the API. */
  approve(shell: Shell): Promise<void>;
}

/** Returns the approver, with a token of this run. */
export function demoApprover(): DemoApprover {
  const token = randomBytes(16).toString("hex");
  const name = "ana";
  const ofPay = { namespaces: ["pay"], people: [name], needed: 1, notTheAuthor: false, byAnnotation: false };
  return {
    rules: {
      people: [{ name, iam: [], tokenHash: tokenHash(token) }],
      approvers: [{ ...ofPay, required: true }],
      namesAreProved: [],
    },
    async approve(shell) {
      const api = requestFunctions["api/v1"].run;
      const proof = { [personHeader]: token };
      const list = new Request("http://localhost/v1/approvals", { headers: proof });
      const { approvals } = (await (await shell.serve(api, list)).json()) as ApprovalsView;
      for (const { workload, uid, version, update, bindingHash } of approvals) {
        const headers = { ...proof, "if-match": `${uid}/${version}` };
        const body = JSON.stringify({ update, bindingHash });
        const path = `http://localhost/v1/workloads/${workload}/approval`;
        await shell.serve(api, new Request(path, { method: "POST", headers, body }));
      }
    },
  };
}
