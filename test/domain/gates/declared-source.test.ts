import { describe, expect, it } from "vitest";
import { revertingOwner, sourceMarks } from "#domain/gates/declared-source";
import { aContainer, anObserved, aRecord, settingsOf } from "../builders.ts";

const settings = settingsOf(aRecord());
const ownedBy = (manager: string, operation: "Apply" | "Update" = "Apply") =>
  anObserved({ containers: [aContainer({ imageOwner: { manager, operation } })] });

describe("the program that owns the image", () => {
  it.each([
    ["argocd-controller", "Argo CD"],
    ["argocd-application-controller", "Argo CD"],
    ["kustomize-controller", "Flux"],
    ["helm-controller", "Flux"],
    ["argocd-image-updater", "Argo CD Image Updater"],
    ["keel", "Keel"],
    ["lookout-controller", "the Lookout Operator"],
    ["workload-controller", "the Lookout Operator"],
  ])("is, for the field manager %s, %s", (manager, program) => {
    expect(revertingOwner(ownedBy(manager), settings)).toBe(
      `${program} (field manager ${manager}) set the image of container app`,
    );
    expect(revertingOwner(ownedBy(manager, "Update"), settings)).toContain(program);
  });

  it.each(["kubectl", "kubectl-client-side-apply", "helm", "lookout", "Mozilla"])(
    "is none for %s, which a person runs",
    (manager) => {
      expect(revertingOwner(ownedBy(manager), settings)).toBeUndefined();
    },
  );

  it("is none if the image has no owner and the object has no mark", () => {
    expect(revertingOwner(anObserved(), settings)).toBeUndefined();
  });

  it("is none if the owned container is untracked", () => {
    const observed = anObserved({
      containers: [
        aContainer(),
        aContainer({
          list: "initContainers",
          name: "constructor",
          imageOwner: { manager: "keel", operation: "Update" },
        }),
      ],
    });

    expect(revertingOwner(observed, settings)).toBeUndefined();
  });

  it.each([
    {
      marks: { "kustomize.toolkit.fluxcd.io/name": "apps" },
      owner: "Flux applies this object from the Kustomization apps",
    },
    { marks: { "helm.toolkit.fluxcd.io/name": "shop" }, owner: "Flux applies this object from the HelmRelease shop" },
    {
      marks: { "kustomize.toolkit.fluxcd.io/name": "apps", "kustomize.toolkit.fluxcd.io/reconcile": "disabled" },
      owner: undefined,
    },
    {
      marks: { "kustomize.toolkit.fluxcd.io/name": "apps", "kustomize.toolkit.fluxcd.io/reconcile": "enabled" },
      owner: "Flux applies this object from the Kustomization apps",
    },
    {
      marks: { "helm.toolkit.fluxcd.io/name": "shop", "kustomize.toolkit.fluxcd.io/reconcile": "disabled" },
      owner: "Flux applies this object from the HelmRelease shop",
    },
  ])("is, with the marks $marks, $owner", ({ marks, owner }) => {
    expect(revertingOwner(anObserved({ sourceMarks: marks }), settings)).toBe(owner);
  });
});

describe("the marks of a declared source", () => {
  it("come only from labels and annotations", () => {
    const labels = { "kustomize.toolkit.fluxcd.io/name": "apps", "helm.toolkit.fluxcd.io/name": "shop", app: "api" };
    const annotations = { "kustomize.toolkit.fluxcd.io/reconcile": "disabled", team: "shop" };

    expect(sourceMarks({ labels, annotations })).toEqual({
      "kustomize.toolkit.fluxcd.io/name": "apps",
      "helm.toolkit.fluxcd.io/name": "shop",
      "kustomize.toolkit.fluxcd.io/reconcile": "disabled",
    });
    expect(sourceMarks({ labels: {}, annotations: {} })).toStrictEqual({});
  });
});
