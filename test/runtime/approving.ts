import type { ApprovalsView, ApprovalView } from "#contracts/api/approvals";
import type { ApprovalRules, ApproverEntry } from "#domain/approval/approvers";
import type { Access } from "#domain/access/access";
import { tokenHash } from "#domain/approval/people";
import { hours } from "#domain/shared/time";
import { serveApi } from "#runtime/api";
import { trackApi, type World, world } from "#test/app/world";

/** The people of these tests. The token of ana is `token of ana`. */
export const people = ["ana", "ben", "eva"].map((name) => ({
  name,
  iam: [],
  tokenHash: tokenHash(`token of ${name}`),
}));

/** An entry for `shop`: ana and ben, both. */
export const bothOfShop: ApproverEntry = {
  ...{ namespaces: ["shop"], people: ["ana", "ben"], needed: 2, deadline: hours(24) },
  ...{ notTheAuthor: false, required: false, byAnnotation: false },
};

/** Rules that name {@link people}, and these entries. */
export function rulesOf(...approvers: readonly ApproverEntry[]): ApprovalRules {
  return { people, approvers, namesAreProved: [] };
}

/** The path of the workload in the API. */
export const path = "/v1/workloads/prod/shop/deployment/api";

interface Sent {
  readonly person?: string;
  /** The rights of the caller on a local Lookout. The default is all rights. */
  readonly access?: Access;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A decision about what the list shows now, or about what was seen before. */
interface Decided {
  readonly decision?: "approval" | "rejection";
  readonly seen?: ApprovalView;
  readonly key?: string;
  readonly why?: string;
}

/** A workload whose updates need approval, and people who decide by the API. */
export interface Approving {
  readonly lookout: World;
  readonly key: string;
  ask(where: string, sent?: Sent): Promise<{ readonly status: number; readonly body: Record<string, unknown> }>;
  pending(): Promise<ApprovalView>;
  vote(person: string, decided?: Decided): ReturnType<Approving["ask"]>;
  votes(seq?: number): Promise<readonly (readonly [person: string, proof: string])[]>;
  /** Why the update waits. */
  waits(): Promise<readonly string[]>;
  /** The names of the facts about approvals. */
  facts(): readonly string[];
}

/** Tracks a workload of `shop/api:1.0.0` that asks for approval. */
export async function startApproving(
  rules: ApprovalRules,
  annotations: Readonly<Record<string, string>> = {},
): Promise<Approving> {
  const lookout = world({}, undefined, [], undefined, rules);
  await lookout.push("shop/api", "1.0.0", { quietly: true });
  const key = await trackApi(lookout, { "lookout.dev/approval-required": "true", ...annotations });
  const ask: Approving["ask"] = async (where, { person, access, body, headers = {} } = {}) => {
    const proof = person === undefined ? {} : { "x-lookout-person": `token of ${person}` };
    const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const request = new Request(`http://localhost${where}`, { ...init, headers: { ...proof, ...headers } });
    const response = await serveApi(request, lookout.ports, new AbortController().signal, access);
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const pending = async (): Promise<ApprovalView> => {
    const [first] = ((await ask("/v1/approvals")).body as unknown as ApprovalsView).approvals;
    if (first === undefined) throw new Error("no update waits for approval");
    return first;
  };
  return {
    lookout,
    key,
    ask,
    pending,
    async vote(person, { decision = "approval", seen, key: requestKey = "k", why } = {}) {
      const { uid, version, update, bindingHash } = seen ?? (await pending());
      const reason = why ?? (decision === "rejection" ? "too risky" : undefined);
      return ask(`${path}/${decision}`, {
        person,
        body: { update, bindingHash, ...(reason === undefined ? {} : { why: reason }) },
        headers: { "if-match": `${uid}/${version}`, "idempotency-key": `${person}-${requestKey}` },
      });
    },
    votes: async (seq = 1) =>
      (await lookout.ports.store.votes(key, seq)).map(({ person, proof }) => [person, proof.kind] as const),
    waits: async () => (await lookout.record(key)).pending?.waits.map(({ detail = "" }) => detail) ?? [],
    facts: () => lookout.factNames(key).filter((name) => name.startsWith("Approval")),
  };
}
