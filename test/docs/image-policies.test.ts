import { describe, expect, it } from "vitest";
import { declaredAbout } from "#domain/definitions/declared-annotations";
import { faultReasons } from "#domain/definitions/definition";
import { declaredByPolicy } from "#domain/definitions/image-policy";
import { parseSettings } from "#domain/settings/settings";
import { conditionReason } from "#domain/definitions/conditions";
import { reasons } from "#domain/shared/reasons";
import { compile } from "#test/domain/policy/matchers";
import { lookout } from "../cli/world.ts";
import { exampleOf, fieldsOf } from "./definitions.ts";
import { page } from "./markdown.ts";

const policies = page("docs/image-policies.md");
const workload = { cluster: "prod", namespace: "shop", kind: "Deployment", name: "api" } as const;

/** Returns the reasons of a table, in its order. */
function rows(): readonly string[] {
  return [...policies.text.matchAll(/^\| `(\w+)` /gm)].map(([, reason = ""]) => reason);
}

describe("the page of ImagePolicies", () => {
  it("has an example that gives its target the settings that it tells", () => {
    const declared = declaredByPolicy(exampleOf(policies, "ImagePolicy"), "prod", compile);
    const containers = [
      { list: "containers", name: "app", image: "registry.example.com/shop/api:1.18.1" },
      { list: "containers", name: "side", image: "registry.example.com/shop/api-side:1.0.0" },
      { list: "initContainers", name: "init", image: "registry.example.com/shop/api:1.18.1" },
    ] as const;
    const { annotations, unapplied } = declaredAbout({ workload, annotations: {}, containers }, [declared]);
    const { enabled, problems } = parseSettings(annotations, containers, compile);
    const closing = problems.filter(({ closes }) => closes);

    expect(declared.fault).toBeUndefined();
    expect({ enabled, closing, unapplied }).toEqual({
      ...{ enabled: true, closing: [], unapplied: new Map() },
    });
    expect(annotations).toMatchObject({
      "lookout.dev/interval": "5m",
      "lookout.dev/container.app.policy": "semver",
      "lookout.dev/container.app.tag-pattern": "^(?:1\\.18\\..*)$",
      "lookout.dev/container.side.enabled": "false",
    });
    expect(Object.keys(annotations).filter((key) => key.includes("init"))).toEqual([]);
  });

  it("names each field, and each reason for which a policy does not apply", () => {
    const ofServices = ["InvalidImage", "InvalidTiers"];
    const unapplied = ["TargetNotFound", "TargetHasAnnotations", "NoContainer", "OlderPolicyApplies"];
    const faults = faultReasons.filter((reason) => !ofServices.includes(reason));
    const fields = fieldsOf("ImagePolicy", "spec").map((field) => field.replace(/^updateTarget\..*/, "updateTarget"));

    expect([...rows()].sort()).toEqual(["Applies", ...unapplied, ...faults].sort());
    expect(
      fields.filter((field) => !policies.text.includes(`- \`${field}\`: `) && field !== "tagPolicy.strategy"),
    ).toEqual([]);
    expect(Object.keys(reasons).map(conditionReason)).toEqual(
      expect.arrayContaining(["WindowClosed", "DigestBlocked"]),
    );
  });

  it("has commands that exist", async () => {
    const { stdout } = await lookout(["cluster", "manifests", "--help"], {});

    expect(stdout).toContain("--definitions");
    expect(policies.text.match(/kubectl wait imagepolicy\/api --namespace shop --for=condition=\w+/g)).toEqual(
      ["Ready", "UpToDate"].map((type) => `kubectl wait imagepolicy/api --namespace shop --for=condition=${type}`),
    );
  });

  it("has at most 800 words", () => {
    expect(policies.text.split(/[\s|]+/).length).toBeLessThanOrEqual(800);
  });
});
