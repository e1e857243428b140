import { describe, expect, it } from "vitest";
import { minutes, plus } from "#domain/shared/time";
import type { TierContainer, TierMember } from "#domain/tiers/member";
import { measurementsOfGroup } from "#domain/tiers/progress";
import type { Tier } from "#domain/tiers/rules";
import { noon } from "../builders.ts";

const app = { list: "containers", name: "app", imageName: "registry.test/shop/web" } as TierContainer;
const tier = (name: string, haltOnFailure = true): Tier => ({
  ...{ name, soak: minutes(10), haltOnFailure, namespaces: [] },
});
const after = (minute: number) => plus(noon, minutes(minute));
const ran = (tag: string, foundAt: number, at: number) => ({
  ...{ ...app, tag, digest: `sha256:${tag}`, foundAt: after(foundAt), at: after(at) },
});
const halted: TierMember["halted"] = [
  { imageName: app.imageName, tag: "2", digest: "sha256:2", reason: "rollout-failed", at: noon },
];
const old = ran("1", -60, -50);
function member(name: string, given: Partial<TierMember> = {}): TierMember {
  const workload = { cluster: "prod", namespace: "shop", kind: "Deployment", name } as const;
  return { group: "web", tier: "dev", workload, containers: [app], ran: [old], halted: [], ...given };
}
const updated = (name: string, at: number) => member(name, { ran: [ran("2", 0, at), old] });

/** The values in the order of the metrics: current tier, at latest, to update, suspended, seconds. */
function values(dev: readonly TierMember[], prod: readonly TierMember[], devRule = tier("dev")): string {
  const tiers = [
    { tier: devRule, members: dev },
    { tier: tier("prod"), members: prod },
  ];
  const measured = measurementsOfGroup("web", tiers, after(30));
  return measured.map(({ value }) => value).join(" ");
}

describe("the progress of a group", () => {
  it("names the tier that is updated now, and the image", () => {
    const tiers = [
      { tier: tier("dev"), members: [updated("a", 5)] },
      { tier: tier("prod"), members: [member("b"), member("c", { suspended: true })] },
    ];
    const about = { group: "web", tag: "2", tier: "prod" };

    expect(measurementsOfGroup("web", tiers, after(30))).toEqual([
      { name: "TierCurrent", value: 2, about },
      { name: "TierMembersAtLatest", value: 1, about },
      { name: "TierMembersToUpdate", value: 1, about },
      { name: "TierMembersSuspended", value: 1, about },
      { name: "TierUpgradingSeconds", value: 25 * 60, about },
    ]);
  });

  it.each([
    ["has nothing to measure before the first success", [member("a", { ran: [] })], [], ""],
    ["has nothing to measure without members", [], [], ""],
    [
      "counts the first tier until all of its members ran the image",
      [updated("a", 5), member("b")],
      [member("c")],
      "1 1 2 0 1500",
    ],
    ["is measured from the first success", [updated("a", 5), updated("b", 10)], [member("c")], "2 2 1 0 1500"],
    ["ends with the last member", [updated("a", 5)], [updated("b", 20)], "0 2 0 0 0"],
    [
      "goes back for a member that joins later",
      [updated("a", 5), member("b", { ran: [] })],
      [updated("c", 9)],
      "1 2 1 0 1500",
    ],
    ["ignores members without the container", [updated("a", 5)], [member("b", { containers: [] })], "0 1 0 0 0"],
    [
      "counts a member that can't be read",
      [updated("a", 5)],
      [member("b", { containers: [], ran: [], isUnreadable: true })],
      "2 1 1 0 1500",
    ],
    ["counts a member that halts the image", [updated("a", 5), member("b", { halted })], [member("c")], "1 1 2 0 1500"],
    ["takes no time in the future for started", [updated("a", 40)], [member("c")], "2 1 1 0 0"],
  ] as const)("%s", (_, dev, prod, expected) => {
    expect(values(dev, prod)).toBe(expected);
  });

  it("ignores a failed member of a tier that goes on past failures", () => {
    expect(values([updated("a", 5), member("b", { halted })], [member("c")], tier("dev", false))).toBe("2 1 1 0 1500");
  });

  it("keeps the newest image when a late member finds an older one", () => {
    const late = member("b", { ran: [ran("1", 25, 26)] });

    expect(values([updated("a", 5), late], [])).toBe("1 1 1 0 1500");
  });
});
