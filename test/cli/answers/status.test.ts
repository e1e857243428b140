import { expect, it } from "vitest";
import { hasFailed } from "#cli/answers/status";
import type { WorkloadView } from "#contracts/api/workloads";
import { blockedView, digests, fleet, reason, windowClosed, workload } from "../views.ts";

const api = "prod/shop/deployment/api";
const viewOf = (more: Partial<WorkloadView>) => ({ ...fleet, clusters: [], workloads: [workload(api, more)] });
const invalid = { key: "lookout.dev/policy", value: "x", message: "unknown", closes: true };

it.each([
  { because: "all is up to date", view: viewOf({}), fails: false },
  { because: "a window holds the update", view: viewOf({ state: "held", reasons: [windowClosed] }), fails: false },
  { because: "a freeze does", view: viewOf({ state: "held", reasons: [reason("frozen")] }), fails: false },
  { because: "a vote is missing", view: viewOf({ state: "held", reasons: [reason("needs-approval")] }), fails: false },
  { because: "the rollout goes on", view: viewOf({ state: "rolling-out" }), fails: false },
  {
    because: "a person rejected the version",
    view: viewOf({
      state: "blocked",
      blocked: [blockedView("api", "1", digests.new, { why: reason("digest-rejected") })],
    }),
    fails: false,
  },
  {
    because: "the cluster gives no answer",
    view: viewOf({ state: "held", reasons: [reason("cluster-unreachable")] }),
    fails: true,
  },
  {
    because: "the cluster refuses the patch",
    view: viewOf({ state: "held", reasons: [windowClosed, reason("patch-invalid")] }),
    fails: true,
  },
  {
    because: "the held update has an invalid annotation",
    view: viewOf({ state: "held", problems: [invalid] }),
    fails: true,
  },
  {
    because: "the version was rolled back",
    view: viewOf({ state: "blocked", blocked: [blockedView("api", "1", digests.new)] }),
    fails: true,
  },
  { because: "it is rolled back now", view: viewOf({ state: "rolling-back" }), fails: true },
  { because: "a user reverted it", view: viewOf({ state: "reverted" }), fails: true },
  { because: "an annotation is invalid", view: viewOf({ state: "problem" }), fails: true },
  {
    because: "its record can't be read",
    view: { ...viewOf({}), unreadable: [{ kind: "workload", workload: api, why: "is damaged" }] },
    fails: true,
  },
])("status --exit-code is right if $because", ({ view, fails }) => {
  expect(hasFailed(view, true)).toBe(fails);
});

it("a cluster without an answer counts for its own workloads, and for the whole list", () => {
  const { clusters } = fleet;

  expect([
    hasFailed({ ...viewOf({}), clusters }, true),
    hasFailed({ ...viewOf({}), clusters }, false),
    hasFailed({ ...viewOf({}), clusters, workloads: [workload("stage/shop/deployment/api")] }, false),
  ]).toEqual([true, false, true]);
});
