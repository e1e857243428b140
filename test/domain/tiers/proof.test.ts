import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SelectionRule } from "#domain/policy/policy";
import { durationMs, epochMs, minutes, plus } from "#domain/shared/time";
import type { RanImage, TierContainer, TierMember } from "#domain/tiers/member";
import { type EarlierTier, provenImages, standingIn, type WantedImage } from "#domain/tiers/proof";
import { image, noon } from "../builders.ts";

const semver: SelectionRule = { policy: { kind: "semver", allowPrerelease: false }, allowDowngrade: false };
const latest: SelectionRule = { policy: { kind: "latest" }, allowDowngrade: false };
const app = { list: "containers", name: "app", imageName: "registry.test/shop/web" } as TierContainer;
const digestOf = (tag: string) => `sha256:${Buffer.from(tag).toString("hex").padStart(64, "0")}`;
const wanted = (tag: string, digest = digestOf(tag)): WantedImage => ({ ...app, tag, digest });
const ranAt = (tag: string, minute: number, given: Partial<RanImage> = {}): RanImage => ({
  ...{ ...wanted(tag), foundAt: plus(noon, minutes(minute - 1)), at: plus(noon, minutes(minute)) },
  ...given,
});
const halt = (tag: string, reason: "digest-blocked" | "changed-by-hand" = "changed-by-hand") => ({
  ...{ imageName: app.imageName, tag, digest: digestOf(tag), reason, at: noon },
});
function member(name: string, runs: string | undefined, given: Partial<TierMember> = {}): TierMember {
  const workload = { cluster: "prod", namespace: "shop", kind: "Deployment", name } as const;
  const containers = runs === undefined ? [] : [{ ...app, tag: runs, digest: digestOf(runs) }];
  return { group: "web", tier: "dev", workload, containers, ran: [], halted: [], ...given };
}
const tierOf = (members: readonly TierMember[], given: Partial<EarlierTier> = {}): EarlierTier => ({
  tier: { name: "dev", soak: minutes(10), haltOnFailure: true, namespaces: [] },
  ...{ members, unread: [], away: [], ...given },
});
const after = (minute: number) => plus(noon, minutes(minute));
const standing = (tier: EarlierTier, tag = "1.1.0", minute = 60, rule = semver) => {
  const { kind, ...rest } = standingIn(tier, wanted(tag), rule, after(minute));
  return "by" in rest ? `${kind} by ${rest.by.workload.name}` : kind;
};

const ran = member("a", "1.1.0", { ran: [ranAt("1.1.0", 1)] });
const lags = member("b", "1.0.0");
const lenient = { name: "dev", soak: minutes(0), haltOnFailure: false, namespaces: [] };

describe("an image", () => {
  it.each([
    ["is proven", "when its only member ran it", tierOf([ran]), "proven"],
    ["has nobody to wait for", "without members", tierOf([]), "empty"],
    ["has nobody to wait for", "where no member has the container", tierOf([member("a", undefined)]), "empty"],
    ["is pending", "while one of two has not run it", tierOf([ran, lags]), "pending by b"],
    ["is proven", "if the other one is suspended", tierOf([ran, { ...lags, suspended: true }]), "proven"],
    ["is unproved", "if all are suspended", tierOf([{ ...ran, suspended: true }]), "unproved"],
    ["is unproved", "if all run a higher one", tierOf([member("a", "1.2.0")]), "unproved"],
    ["is proven", "if the other one runs a higher one", tierOf([ran, member("b", "1.2.0")]), "proven"],
    ["is proven", "if the other one is beyond every range", tierOf([ran, member("b", "9.0.0-rc.1")]), "proven"],
    [
      "is halted",
      "by any member, even if the others wait",
      tierOf([lags, member("c", "1.0.0", { halted: [halt("1.1.0")] })]),
      "halted by c",
    ],
    [
      "is halted",
      "by a suspended member",
      tierOf([ran, member("c", "1.0.0", { halted: [halt("1.1.0")], suspended: true })]),
      "halted by c",
    ],
    [
      "passes over a halt",
      "if the tier does not halt",
      tierOf([ran, member("c", "1.0.0", { halted: [halt("1.1.0")] })], { tier: lenient }),
      "proven",
    ],
    [
      "is unproved",
      "if all failed in a tier that does not halt",
      tierOf([member("c", "1.0.0", { halted: [halt("1.1.0")] })], { tier: lenient }),
      "unproved",
    ],
    [
      "waits",
      "for an unreadable member",
      tierOf([ran, member("c", undefined, { isUnreadable: true })]),
      "pending by c",
    ],
    [
      "is unread",
      "while a cluster was not read",
      tierOf([ran], { unread: [{ cluster: "far", detail: "x" }] }),
      "unread",
    ],
    [
      "is unread",
      "if the cluster of a member is away",
      tierOf([ran], { away: [{ cluster: "prod", detail: "x" }] }),
      "unread by a",
    ],
    ["is proven", "if another cluster is away", tierOf([ran], { away: [{ cluster: "far", detail: "x" }] }), "proven"],
    [
      "is proven",
      "if only a suspended member is away",
      tierOf([ran, { ...lags, workload: { ...lags.workload, cluster: "far" }, suspended: true }], {
        away: [{ cluster: "far", detail: "x" }],
      }),
      "proven",
    ],
  ] as const)("%s %s", (_, __, tier, expected) => {
    expect(standing(tier)).toBe(expected);
  });

  it("soaks until exactly the end of the soak of the last member", () => {
    const tier = tierOf([ran, member("b", "1.1.0", { ran: [ranAt("1.1.0", 5)] })]);
    const end = after(15);
    const at = (now: typeof end) => standingIn(tier, wanted("1.1.0"), semver, now).kind;
    expect([at(epochMs(end - 1)), at(end)]).toEqual(["soaking", "proven"]);
  });

  it("of a range that a member left behind is not waited for there", () => {
    const range = {
      policy: { kind: "semver", allowPrerelease: false, keeps: "major" },
      allowDowngrade: false,
    } as const;
    expect(standing(tierOf([ran, member("b", "2.0.0")]), "1.1.0", 60, range)).toBe("proven");
  });

  it("under the policy latest is lower than one that was found later", () => {
    const later = member("b", "blue", { ran: [ranAt("blue", 30)] });
    const earlier = member("b", "blue", { ran: [ranAt("blue", -30)] });
    const green = member("a", "green", { ran: [ranAt("green", 1)] });
    const kinds = [later, earlier].map((one) => standing(tierOf([green, one]), "green", 60, latest));
    expect(kinds).toEqual(["proven", "pending by b"]);
  });

  it("of a moved tag is lower than the later digest of the tag", () => {
    const second = { digest: digestOf("second"), foundAt: after(20), at: after(21) };
    const moved = member("b", "main", {
      containers: [{ ...app, tag: "main", digest: second.digest }],
      ran: [ranAt("main", 21, second)],
    });
    const first = member("a", "main", { ran: [ranAt("main", 1)] });
    expect(standing(tierOf([first, moved]), "main")).toBe("proven");
    expect(standingIn(tierOf([first, moved]), wanted("main", second.digest), semver, after(60)).kind).toBe("pending");
  });

  it("of a mirror counts by the name of the container, and of another container by the repository", () => {
    const mirror = { ...app, imageName: "mirror.test/shop/web" } as TierContainer;
    const other = { ...app, name: "web" } as TierContainer;
    const of = (container: TierContainer) =>
      standingIn(tierOf([ran]), { ...wanted("1.1.0"), ...container }, semver, after(60)).kind;
    expect([of(mirror), of(other), of({ ...mirror, name: "web" })]).toEqual(["proven", "proven", "empty"]);
  });
});

const tags = ["1.0.0", "1.1.0", "1.2.0", "1.3.0"];
const aMember = fc.record({
  runs: fc.option(fc.constantFrom(...tags), { nil: undefined }),
  ran: fc.uniqueArray(fc.record({ tag: fc.constantFrom(...tags), minute: fc.integer({ min: -30, max: 30 }) }), {
    selector: ({ tag }) => tag,
  }),
  halted: fc.uniqueArray(fc.constantFrom(...tags), { maxLength: 1 }),
  suspended: fc.boolean(),
  far: fc.boolean(),
});
const aTier = fc.record({
  members: fc.array(aMember, { maxLength: 4 }),
  soak: fc.integer({ min: 0, max: 20 }),
  haltOnFailure: fc.boolean(),
  isFarAway: fc.boolean(),
});
const tierFrom = (name: string) =>
  aTier.map(({ members, soak, haltOnFailure, isFarAway }): EarlierTier => ({
    tier: { name, soak: durationMs(minutes(1) * soak), haltOnFailure, namespaces: [] },
    members: members.map((one, index) => {
      const made = member(`${name}-${String(index)}`, one.runs, {
        ran: one.ran.map(({ tag, minute }) => ranAt(tag, minute)).filter(({ tag }) => !one.halted.includes(tag)),
        halted: one.halted.map((tag) => halt(tag)),
        ...(one.suspended ? { suspended: true } : {}),
      });
      return one.far ? { ...made, workload: { ...made.workload, cluster: "far" } } : made;
    }),
    unread: [],
    away: isFarAway ? [{ cluster: "far", detail: "gives no answer" }] : [],
  }));

describe("the image of a tier that a definition declares", () => {
  const declared = (members: readonly TierMember[]) =>
    tierOf(members, { tier: { ...lenient, image: { imageName: app.imageName, tag: "1.1.0" } } });
  const failed = member("left", "1.0.0", { halted: [halt("1.1.0")], leftAt: plus(noon, minutes(1)) });
  const ranSame = member("b", "1.1.0", { ran: [ranAt("1.1.0", 2)] });
  const ranOther = member("b", "1.1.0", { ran: [ranAt("1.0.0", 2)] });
  const moved = (minute: number) =>
    member("m", "1.1.0", { ran: [ranAt("1.1.0", minute, { digest: digestOf("moved") })] });

  it.each([
    ["is halted", "by the failure of a member that left", [failed, member("b", "1.0.0")], "1.2.0", "halted by left"],
    ["is proven", "by another digest that ran after it", [failed, moved(1)], "1.2.0", "proven"],
    ["is halted", "by a failure after the run", [failed, moved(-1)], "1.2.0", "halted by left"],
    ["is halted", "if the tier wants the digest that failed", [failed, moved(1)], "1.1.0", "halted by left"],
    ["is halted", "by a failure in the same instant", [failed, moved(0)], "1.2.0", "halted by left"],
    ["is halted", "by a failure of the digest that ran", [failed, ranSame], "1.2.0", "halted by left"],
    ["is halted", "while only another tag ran after it", [failed, ranOther], "1.2.0", "halted by left"],
    ["is pending", "while one of two has not run the other digest", [failed, moved(1), lags], "1.2.0", "pending by b"],
  ] as const)("%s %s", (_is, _how, members, tag, expected) => {
    expect(standing(declared(members), tag)).toBe(expected);
  });
});

describe("the images that earlier tiers prove", () => {
  it.each([
    ["semver", semver],
    ["latest", latest],
  ])("are exactly those that stand well in every tier: %s", (_, rule) => {
    fc.assert(
      fc.property(fc.tuple(tierFrom("dev"), tierFrom("canary")), fc.integer({ min: -30, max: 60 }), (tiers, minute) => {
        const now = after(minute);
        const proven = provenImages(tiers, app, rule);
        const standsWell = (tag: string) =>
          tiers.every((tier) => ["proven", "empty"].includes(standingIn(tier, wanted(tag), rule, now).kind));
        const found = proven?.filter(({ from }) => from <= now).map(({ tag }) => tag);
        const expected = tiers.every(({ members }) => members.every(({ containers }) => containers.length === 0))
          ? undefined
          : tags.filter(standsWell);
        expect(found?.toSorted()).toEqual(expected);
      }),
    );
  });

  it("are judged by the container alone, whatever else is given with it", () => {
    const change = { ...wanted("1.9.0"), to: image("1.9.0") };
    expect(provenImages([tierOf([ran])], change, semver)?.map(({ tag, digest }) => [tag, digest])).toEqual([
      ["1.1.0", digestOf("1.1.0")],
    ]);
  });

  it("are none while a cluster was not read", () => {
    expect(provenImages([tierOf([ran], { unread: [{ cluster: "far", detail: "x" }] })], app, semver)).toEqual([]);
  });
});
