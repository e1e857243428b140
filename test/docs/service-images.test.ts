import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { declaredAbout } from "#domain/definitions/declared-annotations";
import type { Declared } from "#domain/definitions/definition";
import { declaredByService } from "#domain/definitions/service-image";
import { closedFilter, parseSettings } from "#domain/settings/settings";
import { declaredPlaceIn } from "#domain/tiers/declared-tiers";
import { compile } from "#test/domain/policy/matchers";
import { lookout } from "../cli/world.ts";
import { exampleOf, fieldsOf } from "./definitions.ts";
import { blocksOf, page } from "./markdown.ts";

const services = page("docs/service-images.md");

interface Instance {
  readonly kind: string;
  readonly metadata: {
    readonly namespace: string;
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
  };
  readonly spec: {
    readonly template: { readonly spec: { readonly containers: readonly { name: string; image: string }[] } };
  };
}

/** Returns the settings of the page's Deployment, with definitions or without. */
function settingsOf(label: string | undefined, definitions: readonly Declared[]) {
  const [yaml = ""] = blocksOf(services).flatMap(({ text }) => (text.includes("kind: Deployment") ? [text] : []));
  const { metadata, spec } = parse(yaml) as Instance;
  const { namespace, name, annotations } = metadata;
  const workload = { cluster: "prod", namespace, kind: "Deployment", name } as const;
  const containers = spec.template.spec.containers.map((one) => ({ ...one, list: "containers" as const }));
  const labels = label === undefined ? metadata.labels : { "upgrade-tier": label };
  const about = declaredAbout({ workload, annotations, labels, containers }, definitions);
  const all = { ...about.annotations, ...annotations };
  return { all, settings: parseSettings(all, containers, compile) };
}

describe("the page of ServiceImages", () => {
  const declared = declaredByService(exampleOf(services, "ServiceImage"), "prod");

  it("has an example that places its workload as it says, the higher priority first", () => {
    expect(declared).toMatchObject({
      imageName: "registry.example.com/dicom",
      tiers: [
        { upgradeTier: "earlyAccess", priority: 1, tag: "v2" },
        { upgradeTier: "", priority: 0, tag: "v2" },
      ],
    });
    expect(declared.fault).toBeUndefined();
    const places = [undefined, "earlyAcces", ""].map((label) => declaredPlaceIn(settingsOf(label, [declared]).all));
    expect(places.map((place) => [place?.group, place?.upgradeTier, place?.order.map(({ name }) => name)])).toEqual([
      ["ServiceImage dicom/dicom", "earlyAccess", ["earlyAccess", "(others)"]],
      ["ServiceImage dicom/dicom", "", ["earlyAccess", "(others)"]],
      ["ServiceImage dicom/dicom", "", ["earlyAccess", "(others)"]],
    ]);
  });

  it("has a workload that updates nothing without the object, and follows its exact tag with it", () => {
    const [alone, declaredBy] = [[], [declared]].map((definitions) => settingsOf(undefined, definitions).settings);
    const closing = [alone, declaredBy].flatMap((read) => read?.problems.filter(({ closes }) => closes) ?? []);

    expect(closing.map(({ key, value }) => [key, value])).toEqual([["lookout.dev/policy", "service-image"]]);
    expect(alone?.containers["dicom"]?.filter).toEqual(closedFilter);
    expect(declaredBy?.containers["dicom"]).toMatchObject({
      ...{ policyText: "alphabetical, include v2", apply: "pin", allowDowngrade: true },
    });
  });

  it("names each field of the definition", () => {
    const named = fieldsOf("ServiceImage", "spec").filter((field) => !services.text.includes(`- \`${field}\`: `));
    const status = fieldsOf("ServiceImage", "status").map((field) => field.split(/[[.]/)[0] ?? "");

    expect(named).toEqual([]);
    expect(
      status.filter(
        (name) => !["observedGeneration", "conditions"].includes(name) && !services.text.includes(`\`${name}\``),
      ),
    ).toEqual([]);
    expect([...services.text.matchAll(/^\| `(\w+)` /gm)].map(([, type]) => type)).toEqual([
      "Complete",
      "InProgress",
      "UpToDate",
    ]);
  });

  it("has commands that exist, about its object", async () => {
    const helps = await Promise.all(
      [["cluster", "manifests"], ["unblock"], ["tiers"], ["explain"]].map((verb) => lookout([...verb, "--help"], {})),
    );

    expect(helps[0]?.stdout).toContain("--definitions");
    expect(helps.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0]);
    expect(services.text.match(/(?:serviceimage|serviceimage\/)[ /]dicom --namespace dicom/g)).toHaveLength(2);
  });

  it("has at most 900 words", () => {
    expect(services.text.split(/[\s|]+/).length).toBeLessThanOrEqual(900);
  });
});
