import { describe, expect, it } from "vitest";
import { liveWorkload } from "./live-object.ts";

const name = { cluster: "prod", namespace: "shop", kind: "Deployment", name: "api" } as const;
const spec = (image: string) => ({ template: { spec: { containers: [{ name: "app", image }] } } });
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/** The owner of the image of an object without managers. */
function ownerOf(applied: string | undefined): unknown {
  const annotations = applied === undefined ? {} : { [lastApplied]: applied };
  const metadata = { name: "api", namespace: "shop", uid: "u", resourceVersion: "1", managedFields: [{}], annotations };
  return liveWorkload(name, { metadata, spec: spec("shop/api:1.0.0") }).containers[0]?.imageOwner;
}

describe("the owner of an image on an object without managers", () => {
  it("is kubectl apply if the manifest that was applied last names the image", () => {
    expect(ownerOf(JSON.stringify({ spec: spec("shop/api:1.0.0") }))).toEqual({
      manager: "kubectl-client-side-apply",
      operation: "Update",
    });
  });

  it.each([
    ["another image", JSON.stringify({ spec: spec("shop/api:1.1.0") })],
    ["no template", JSON.stringify({ spec: {} })],
    ["no spec", "{}"],
    ["containers that are a text", JSON.stringify({ spec: { template: { spec: { containers: "app" } } } })],
    ["null", "null"],
    ["no JSON", "{"],
    ["nothing", undefined],
  ])("is unknown if it has %s", (_, applied) => {
    expect(ownerOf(applied)).toBeUndefined();
  });
});
