import { describe, expect, it } from "vitest";
import { epochMs } from "#domain/shared/time";
import { memberState } from "#domain/tiers/member-state";
import type { ImageChange } from "#domain/workload/patch";

const imageName = "registry.test/shop/api";
const change = { list: "containers", name: "api", imageName, tag: "1.5.0", digest: "sha256:new" } as ImageChange;
const later = { ...change, tag: "1.6.0", digest: "sha256:later" };
const [then, before] = [epochMs(2_000), epochMs(1_000)];
const observed = { containers: [{ list: "containers", name: "api", image: `${imageName}:1.4.1` }] };
const blocked = [{ imageName, tag: "1.5.0", digest: "sha256:new", reason: "rollout-failed", seq: 3, at: then }];
const pending = { changes: [later], selectedAt: before, waits: [{ reason: "window-closed" }, { reason: "observe" }] };
const rolling = { status: "rolling-out", changes: [change], selectedAt: before, patchedAt: then };

const stateOf = (parts: object) =>
  memberState({ observed, blocked: [], changedAt: then, ...parts } as never as Parameters<typeof memberState>[0], [
    change,
  ]);

describe("what a member of a tier does", () => {
  it.each([
    { of: {}, is: { what: "runs", runs: "1.4.1" } },
    { of: { last: { endedAt: before } }, is: { what: "runs", runs: "1.4.1", since: before } },
    {
      of: { pending },
      is: { what: "held", runs: "1.4.1", tag: "1.6.0", since: before, waits: ["window-closed", "observe"] },
    },
    {
      of: { active: { status: "released", changes: [change], selectedAt: before }, pending },
      is: { what: "rolling-out", runs: "1.4.1", tag: "1.5.0", since: before },
    },
    { of: { active: rolling }, is: { what: "rolling-out", runs: "1.4.1", tag: "1.5.0", since: then } },
    {
      of: { active: { ...rolling, status: "rolling-back" }, blocked },
      is: { what: "rolling-back", runs: "1.4.1", tag: "1.5.0", since: then },
    },
    {
      of: { blocked, pending },
      is: { what: "failed", runs: "1.4.1", tag: "1.5.0", since: then, cause: "failed (rollout failed)" },
    },
    { of: { blocked: [{ ...blocked[0], digest: "sha256:other" }] }, is: { what: "runs", runs: "1.4.1" } },
    { of: { suspension: { at: then }, pending }, is: { what: "suspended", runs: "1.4.1", since: then } },
    { of: { observed: { containers: [] } }, is: { what: "runs" } },
  ])("is $is.what, as $is", ({ of, is }) => {
    expect(stateOf(of)).toEqual(is);
  });
});
