import { describe, expect, it } from "vitest";
import { declaredAbout } from "#domain/definitions/declared-annotations";
import type { Declared } from "#domain/definitions/definition";
import { followsItself, serviceOf } from "#domain/definitions/service-annotations";
import { epochMs } from "#domain/shared/time";
import { memberOf } from "#domain/update/effects/tier";
import { aRecord, anObserved } from "../builders.ts";
import { declaredTagIn } from "#domain/tiers/declared-tiers";

const imageName = "registry.example.com/dicom";
const workload = { cluster: "prod", namespace: "dicom", kind: "Deployment", name: "web" } as const;
const container = (name: string) => ({ list: "containers", name, image: `${imageName}:v1` }) as const;
const asking = { "lookout.dev/enabled": "true", "lookout.dev/policy": "service-image" };
const service: Declared = {
  ...{ kind: "ServiceImage", cluster: "prod", namespace: "dicom", name: "dicom", uid: "u", generation: 1 },
  ...{ createdAt: epochMs(0), imageName, settings: {}, tiers: [{ upgradeTier: "", tag: "v2", priority: 0 }] },
};

/** The annotations of a workload with two containers of the image, with those of the ServiceImage. */
function given(annotations: Readonly<Record<string, string>>) {
  const containers = [container("app"), container("side")];
  const target = { workload, annotations: { ...asking, ...annotations }, containers };
  const all: Readonly<Record<string, string>> = {
    ...target.annotations,
    ...declaredAbout(target, [service]).annotations,
  };
  return { annotations: all, containers };
}

const followers = ({ annotations, containers }: ReturnType<typeof given>) =>
  containers.filter(({ name }) => followsItself(name, annotations)).map(({ name }) => name);

describe("a workload of a ServiceImage", () => {
  const recordOf = (annotations: Readonly<Record<string, string>>) => {
    const { containers, ...observed } = given(annotations);
    const others = [{ list: "containers", name: "proxy", image: "registry.example.com/proxy:1.0.0" }] as const;
    return aRecord({
      member: { group: "g", tier: "t" },
      observed: anObserved({ ...observed, containers: [...containers, ...others] }),
    });
  };
  const shown = (annotations: Readonly<Record<string, string>>) =>
    memberOf(recordOf(annotations))?.containers.map(({ name, tag }) => `${name} ${tag ?? ""}`);

  it("shows lower tiers its containers without those of the repository that follow themselves", () => {
    const policies = { "lookout.dev/container.side.policy": "pinned", "lookout.dev/container.proxy.policy": "semver" };

    expect(shown({})).toEqual(["app v1", "side v1", "proxy 1.0.0"]);
    expect(shown(policies)).toEqual(["app v1", "proxy 1.0.0"]);
    expect(memberOf(aRecord({ member: { group: "g", tier: "t" } }))?.containers).toHaveLength(1);
  });
});

describe("a container of a ServiceImage's repository", () => {
  it("follows the ServiceImage, unless it has a policy of its own", () => {
    const own = given({ "lookout.dev/container.side.policy": "pinned" });

    expect(followers(given({}))).toEqual([]);
    expect(followers(own)).toEqual(["side"]);
    expect([declaredTagIn(own.annotations), serviceOf(own, [service])]).toEqual(["v2", service]);
  });

  it("is all that makes its workload one of the ServiceImage", () => {
    const policies = { "lookout.dev/container.app.policy": "pinned", "lookout.dev/container.side.policy": "semver" };
    const own = given(policies);

    expect(declaredTagIn(own.annotations)).toBeUndefined();
    expect(serviceOf(own, [service])).toBeUndefined();
    expect(serviceOf({ ...own, annotations: asking }, [service])).toBe(service);
  });

  it("follows the ServiceImage while something closes the workload", () => {
    const closed = given({ "lookout.dev/container.app.include-tags": "v*" });

    expect(closed.annotations["lookout.dev/declared fault"]).toBe(
      "ServiceImage dicom: lookout.dev/container.app.include-tags\nwould change the image of the ServiceImage: remove the annotation",
    );
    expect([followers(closed), serviceOf(closed, [service])]).toEqual([[], service]);
  });

  it.each([
    { key: "strategy", value: "tag", closes: true },
    { key: "container.app.strategy", value: "digest", closes: true },
    { key: "strategy", value: "tag+digest", closes: false },
  ])("is closed by $key: $value: $closes", ({ key, value, closes }) => {
    const fault = given({ [`lookout.dev/${key}`]: value }).annotations["lookout.dev/declared fault"];

    expect(fault?.startsWith(`ServiceImage dicom: lookout.dev/${key}\n`) ?? false).toBe(closes);
  });

  it("follows the ServiceImage when another container limits its own tags", () => {
    const own = { "lookout.dev/container.side.policy": "semver", "lookout.dev/container.side.include-tags": "v*" };

    expect(given(own).annotations["lookout.dev/declared fault"]).toBeUndefined();
  });

  it("is the one of its tier, and not of the first one", () => {
    const tiers = [
      { upgradeTier: "early", tag: "v3", priority: 1 },
      { upgradeTier: "", tag: "v2", priority: 0 },
    ];
    const target = { workload, annotations: asking, containers: [container("app")] };

    expect(declaredTagIn(declaredAbout(target, [{ ...service, tiers }]).annotations)).toBe("v2");
  });

  it("may have any strategy where it follows itself", () => {
    const own = { "lookout.dev/container.app.policy": "pinned", "lookout.dev/container.side.policy": "pinned" };

    expect(given({ ...own, "lookout.dev/strategy": "tag" }).annotations["lookout.dev/declared fault"]).toBeUndefined();
  });
});
