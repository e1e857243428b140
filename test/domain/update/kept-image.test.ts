import { describe, expect, it } from "vitest";
import {
  isNewerThan,
  isNewSince,
  isReplacedByRequest,
  keptAfter,
  keptAfterRollback,
  keptFor,
  keptOf,
  leftOf,
  policyKey,
  requestedFirst,
  tagsAbove,
} from "#domain/update/decide/kept-image";
import { parseSettings, type ContainerSettings } from "#domain/settings/settings";
import { plus, seconds } from "#domain/shared/time";
import type { KeptImage, LeftTags } from "#domain/workload/control";
import {
  aChange,
  aContainer,
  aNewerChange,
  anEnded,
  annotated,
  aRollingBack,
  digest,
  image,
  noon,
} from "../builders.ts";
import { imageName } from "../builders.ts";

const later = plus(noon, seconds(1));

const kept = (given: Partial<KeptImage> = {}): KeptImage => ({
  as: "set",
  by: "ana",
  why: "checkout fails",
  at: noon,
  list: "containers",
  container: "app",
  imageName,
  tag: "1.1.0",
  digest: digest("1"),
  platforms: [],
  seq: 3,
  newest: { tag: "1.2.0", digest: digest("2") },
  ...given,
});

/** The rule of the container `app` with annotations. */
function ruleOf(settings: Readonly<Record<string, string>> = {}): ContainerSettings {
  const rule = parseSettings(annotated(settings), [aContainer()]).containers["app"];
  if (rule === undefined) throw new Error("the container has no rule");
  return rule;
}

const others = [
  { says: "of another container", given: { container: "sidecar" } },
  { says: "of an init container", given: { list: "initContainers" } },
  { says: "of another repository", given: { imageName: "registry.test/shop/other" } },
] as const;

describe("the request of a container", () => {
  it("is found by its list, name and repository", () => {
    const all = [...others.map(({ given }) => kept(given)), kept()];

    expect(keptOf(aContainer(), { kept: all })).toEqual(kept());
    expect(leftOf(aContainer(), { left: all as never })).toEqual(kept());
  });

  it.each(others)("$says is another one", ({ given }) => {
    expect(keptOf(aContainer(), { kept: [kept(given)] })).toBeUndefined();
  });

  it("is unknown without requests, and for an unreadable image", () => {
    expect(keptOf(aContainer(), {})).toBeUndefined();
    expect(leftOf(aContainer(), {})).toBeUndefined();
    expect(keptOf(aContainer({ image: "UPPER" }), { kept: [kept()] })).toBeUndefined();
  });
});

describe("a tag above the newest one that was known", () => {
  const newest = { tag: "1.2.0", digest: digest("2") };
  const selected = (name: string, of?: string) => ({ tag: name, name, digest: of });

  it.each([
    { says: "a higher tag", known: newest, of: selected("1.3.0"), newer: true },
    { says: "a lower tag", known: newest, of: selected("1.1.9"), newer: false },
    { says: "the tag with another digest", known: newest, of: selected("1.2.0", digest("3")), newer: true },
    { says: "the tag with its digest", known: newest, of: selected("1.2.0", digest("2")), newer: false },
    { says: "the tag without an answer", known: newest, of: selected("1.2.0"), newer: false },
    { says: "the tag without a known digest", known: { tag: "1.2.0" }, of: selected("1.2.0", "x"), newer: false },
    { says: "any tag without a known one", known: {}, of: selected("1.3.0"), newer: false },
  ])("is not only $says: $newer", ({ known, of, newer }) => {
    expect(isNewerThan(known, ruleOf(), of)).toBe(newer);
  });

  it("is unknown for a policy that does not accept the known tag", () => {
    const rule = ruleOf({ policy: "semver", "exclude-tags": "1.2.0" });

    expect(isNewerThan({ tag: "1.2.0" }, rule, { tag: "1.3.0", name: "1.3.0" })).toBe(false);
  });

  it.each([
    { of: "the only tag that a policy accepts", written: "1.3.0", newer: true },
    { of: "another than the only tag", written: "1.4.0", newer: false },
    { of: "one of two tags", written: "1.3.0,1.4.0", newer: false },
    { of: "a tag of a glob", written: "1.3.*", newer: false },
  ])("is $of, which does not accept the known tag: $newer", ({ written, newer }) => {
    const rule = ruleOf({ policy: "alphabetical", "include-tags": written });

    expect(isNewerThan({ tag: "1.2.0" }, rule, selected("1.3.0"))).toBe(newer);
    expect(isNewerThan({ tag: "1.3.0", digest: digest("2") }, rule, selected("1.3.0", digest("2")))).toBe(false);
  });

  it("moved after the known one, if moves decide", () => {
    const rule = ruleOf({ policy: "latest" });
    const known = { tag: "a", digest: digest("2"), movedAt: noon };

    expect(isNewerThan(known, rule, { tag: { name: "b", movedAt: later }, name: "b" })).toBe(true);
    expect(isNewerThan(known, rule, { tag: { name: "b", movedAt: plus(noon, seconds(-1)) }, name: "b" })).toBe(false);
  });
});

describe("a tag that did not exist at a request", () => {
  const left = (given: Partial<LeftTags> = {}) => ({
    tags: ["1.2.0"],
    policy: policyKey(ruleOf()),
    at: noon,
    ...given,
  });

  it.each([
    { says: "above the version", tag: "1.1.1", isNew: true },
    { says: "above all", tag: "1.3.0", isNew: true },
    { says: "that the policy preferred then", tag: "1.2.0", isNew: false },
    { says: "that is the version", tag: "1.1.0", isNew: false },
    { says: "below the version", tag: "1.0.9", isNew: false },
    { says: "that the policy rejects", tag: "nightly", isNew: false },
  ])("is one $says: $isNew", ({ tag, isNew }) => {
    expect(isNewSince(kept(), left(), ruleOf(), tag)).toBe(isNew);
  });

  it("is unknown without the tags of that time, with those of another request, and for another policy", () => {
    expect(isNewSince(kept(), undefined, ruleOf(), "1.1.1")).toBe(false);
    expect(isNewSince(kept(), left({ at: later }), ruleOf(), "1.1.1")).toBe(false);
    expect(isNewSince(kept(), left(), ruleOf({ "allow-prerelease": "true" }), "1.1.1")).toBe(false);
  });

  it("is no lower one, also where the policy allows downgrades", () => {
    const rule = ruleOf({ "allow-downgrade": "true" });

    expect(isNewSince(kept(), left({ policy: policyKey(rule) }), rule, "1.0.9")).toBe(false);
    expect(tagsAbove(rule, "1.1.0", ["1.2.0", "1.0.9", { name: "1.1.1", movedAt: noon }])).toEqual(["1.2.0", "1.1.1"]);
  });

  it.each([{ "semver-range": "~1.1" }, { "exclude-tags": "1.2.*" }, { "allow-prerelease": "true" }])(
    "is judged by another policy with %o",
    (settings) => {
      expect(policyKey(ruleOf(settings))).not.toBe(policyKey(ruleOf()));
      expect(policyKey(ruleOf(settings))).toMatch(/^[0-9a-f]{16}$/);
    },
  );
});

describe("the change to a requested image", () => {
  it.each([
    { says: "the requested one", given: {}, is: true },
    { says: "of another list", given: { list: "initContainers" }, is: false },
    { says: "of another container", given: { name: "sidecar" }, is: false },
    { says: "of another repository", given: { imageName: "registry.test/shop/other" }, is: false },
    { says: "of another tag", given: { tag: "1.1.1" }, is: false },
    { says: "of another digest", given: { digest: digest("3") }, is: false },
  ] as const)("is $says: $is", ({ given, is }) => {
    expect(keptFor(aChange(given), { kept: [kept()] })).toEqual(is ? kept() : undefined);
  });

  it("is none without requests", () => {
    expect(keptFor(aChange(), {})).toBeUndefined();
  });

  it("is not made by an update that was selected before the request", () => {
    const replaced = (
      seq: number,
      change = aNewerChange(),
      record: { kept?: readonly KeptImage[] } = { kept: [kept()] },
    ) => isReplacedByRequest(change, seq, record);

    expect([2, 3, 4].map((seq) => replaced(seq))).toEqual([true, true, false]);
    expect(replaced(3, aChange())).toBe(false);
    expect(replaced(3, aNewerChange({ name: "sidecar" }))).toBe(false);
    expect(replaced(3, aNewerChange({ list: "initContainers" }))).toBe(false);
    expect(replaced(3, aNewerChange(), {})).toBe(false);
  });
});

describe("the changes of one update", () => {
  const sidecar = aChange({ name: "sidecar" });
  const requested = { by: "ana", why: "checkout fails" };

  it("are all if nobody requested one", () => {
    expect(requestedFirst({}, [aChange(), sidecar])).toEqual({ changes: [aChange(), sidecar] });
  });

  it("are those of one request", () => {
    expect(requestedFirst({ kept: [kept()] }, [sidecar, aChange()])).toEqual({
      changes: [aChange()],
      requested: { as: "set", ...requested },
    });
    expect(requestedFirst({ kept: [kept({ container: "sidecar" }), kept()] }, [sidecar, aChange()])).toEqual({
      changes: [sidecar, aChange()],
      requested: { as: "set", ...requested },
    });
  });

  it("are those of a rollback first, unless it has landed, and of the latest request otherwise", () => {
    const rollback = kept({ as: "rollback" });
    const set = kept({ container: "sidecar", at: later });
    const first = (...all: readonly KeptImage[]) => requestedFirst({ kept: all }, [sidecar, aChange()]);

    expect(first(set, rollback)).toEqual({ changes: [aChange()], requested: { as: "rollback", ...requested } });
    expect(first({ ...rollback, landed: true }, set)).toEqual({
      changes: [sidecar],
      requested: { as: "set", ...requested },
    });
  });

  it("are those of one person, of one instant and one act", () => {
    for (const other of [{ by: "ben" }, { as: "rollback", landed: true }] as const)
      expect(
        requestedFirst({ kept: [kept(), kept({ container: "sidecar", ...other })] }, [aChange(), sidecar]),
      ).toEqual({
        changes: [aChange()],
        requested: { as: "set", ...requested },
      });
  });
});

describe("an update that ended", () => {
  const after = (
    given: Partial<KeptImage>,
    ended: Partial<Pick<ReturnType<typeof anEnded>, "seq" | "changes">> & { readonly status?: string },
  ) => keptAfter({ kept: [kept(given)] }, { ...anEnded({ seq: 4 }), ...ended } as never);

  it.each([
    { says: "brought the image", given: {}, ended: {}, left: [kept({ landed: true })] },
    { says: "brought a newer image", given: {}, ended: { changes: [aNewerChange()] }, left: undefined },
    { says: "was older than the request", given: {}, ended: { seq: 3, changes: [aNewerChange()] }, left: [kept()] },
    { says: "failed", given: {}, ended: { status: "failed" }, left: [kept()] },
    {
      says: "failed with a newer image",
      given: {},
      ended: { status: "failed", changes: [aNewerChange()] },
      left: [kept()],
    },
    { says: "was rolled back", given: {}, ended: { status: "rolled-back" }, left: [kept()] },
    {
      says: "was rolled back by a request",
      given: { as: "rollback" },
      ended: { status: "rolled-back", changes: [aNewerChange()] },
      left: [kept({ as: "rollback", landed: true })],
    },
    {
      says: "changed another container",
      given: {},
      ended: { changes: [aNewerChange({ name: "sidecar" })] },
      left: [kept()],
    },
    {
      says: "changed an init container",
      given: {},
      ended: { changes: [aNewerChange({ list: "initContainers" })] },
      left: [kept()],
    },
  ] as const)("and $says", ({ given, ended, left }) => {
    expect(after(given, ended)).toEqual(left);
  });

  it("leaves a record without requests as it is", () => {
    expect(keptAfter({}, anEnded())).toBeUndefined();
  });
});

describe("a rollback to lookout.dev/rollback-to", () => {
  const back = { tag: "1.0.5", digest: digest("5"), to: image("1.0.5", "5") };
  const failure = { at: noon, reason: "rollout-failed", detail: "ErrImagePull" } as const;

  it("keeps its image in place of an earlier request", () => {
    const active = aRollingBack({ seq: 7, changes: [aChange({ back }), aChange({ name: "sidecar" })], failure });
    const sidecar = kept({ container: "sidecar" });
    const init = kept({ list: "initContainers" });

    expect(keptAfterRollback({ kept: [kept(), sidecar, init] }, active, later)).toEqual({
      kept: [
        sidecar,
        init,
        {
          as: "rollback",
          by: "lookout.dev/rollback-to",
          why: "ErrImagePull",
          at: later,
          list: "containers",
          container: "app",
          imageName,
          tag: "1.0.5",
          digest: digest("5"),
          platforms: [],
          seq: 7,
          landed: true,
          newest: { tag: "1.1.0", digest: digest("1") },
        },
      ],
    });
    expect(keptAfterRollback({}, active, later).kept).toHaveLength(1);
  });

  it("keeps nothing if it returns to the previous image", () => {
    expect(keptAfterRollback({ kept: [kept()] }, aRollingBack(), later)).toEqual({});
  });
});
