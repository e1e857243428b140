import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { answered } from "./operation.ts";
import { count, instant, list, part, view } from "./schema.ts";

/** How a tier stands with an image. */
export const tierStates = ["done", "soaking", "waiting", "behind", "halted", "unproved", "unread", "empty"] as const;

export const TierView = part({
  tier: z.string(),
  members: count.describe("The number of its workloads."),
  at: count.describe("The number of its workloads that ran the image."),
  suspended: count.describe("The number of its workloads whose updates are suspended."),
  state: z
    .enum(tierStates)
    .describe(
      "done: later tiers may get the image. waiting: a member has not run it. behind: an earlier tier is not done. unproved: no member counts. unread: a cluster gives no answer. empty: it has no workload.",
    ),
  waitsFor: part({
    workload: z.string().exactOptional().describe("The member, as cluster/namespace/kind/name."),
    tier: z.string().exactOptional().describe("The earlier tier."),
    why: z.string().describe("What the member does, or what else is waited for."),
    since: instant.exactOptional(),
    until: instant.exactOptional().describe("The end of the soak."),
  })
    .exactOptional()
    .describe("Absent if the tier waits for nothing."),
}).describe("A tier of a group.");
/** A tier of a group. */
export type TierView = z.output<typeof TierView>;

export const TierMemberView = part({
  workload: z.string(),
  tier: z.string(),
  tag: z.string().exactOptional().describe("The running tag. Absent if the image has none."),
  digest: z.string().exactOptional().describe("The running digest. Absent if it is unknown."),
  ran: z.boolean().describe("True if it ran the image of the group."),
  does: z.string().describe("What it does now, in a few words."),
  since: instant.exactOptional(),
}).describe("A member of a group.");
/** A member of a group. */
export type TierMemberView = z.output<typeof TierMemberView>;

export const TierGroupView = part({
  group: z.string(),
  image: part({ container: z.string(), tag: z.string(), digest: z.string() })
    .exactOptional()
    .describe("The image that is judged: the newest one that a member wants or ran. Absent if there is none."),
  tiers: list(TierView).describe("The tiers, in the order of their updates."),
  members: list(TierMemberView).exactOptional().describe("Absent unless the request names the group."),
}).describe("A group of workloads, and how its tiers stand.");
/** A group of workloads, and how its tiers stand. */
export type TierGroupView = z.output<typeof TierGroupView>;

export const TiersView = view("Tiers", "The groups of workloads that tiers update, sorted by name.", {
  at: instant,
  tiers: list(z.string()).describe("The tiers of lookout.yaml, in the order of their updates. Empty: all at once."),
  groups: list(TierGroupView),
  more: count.describe("The number of further groups."),
});
/** The groups of workloads that tiers update. */
export type TiersView = z.output<typeof TiersView>;

export const tierOperations = {
  listTiers: createRoute({
    method: "get",
    path: "/v1/tiers",
    summary: "shows how the tiers of groups stand with their newest images",
    request: {
      query: z.object({
        group: z.string().min(1).max(400).exactOptional().describe("Only this group, with its members."),
        tag: z.string().min(1).max(128).exactOptional().describe("Judges this tag. Default: the newest."),
      }),
    },
    responses: answered(TiersView, 400, 404),
  }),
} as const;
