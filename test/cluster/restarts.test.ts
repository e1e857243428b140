import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { daemonSetManifest, deploymentManifest, statefulSetManifest, type WorkloadManifest } from "./bed/workloads.ts";
import { setStage, type Stage } from "./stage.ts";

let stage: Stage;

beforeAll(async () => {
  stage = await setStage();
});

afterAll(() => stage.stop());

const annotations = { "lookout.dev/policy": "digest", "lookout.dev/apply": "restart" };

/** Returns a maker of workloads whose pods run a digest after a restart. */
function restartedTo(digest: string, make: (name: string, image: string) => WorkloadManifest) {
  return (name: string, image: string): WorkloadManifest => {
    const manifest = make(name, image) as WorkloadManifest & { readonly spec: { readonly template: object } };
    const metadata = { labels: { app: name }, annotations: { "test-bed/restarted-to": digest } };
    return { ...manifest, spec: { ...manifest.spec, template: { ...manifest.spec.template, metadata } } };
  };
}

const kinds = [
  { kind: "deployment", make: deploymentManifest },
  { kind: "statefulset", make: statefulSetManifest },
  { kind: "daemonset", make: daemonSetManifest },
] as const;

describe("a restart to get a moved tag", () => {
  it.each(kinds)("of a $kind fails if the pods keep their image", async ({ kind, make }) => {
    const name = `kept-${kind}`;
    const reference = `${stage.registry.host}/shop/${name}:1.0.0`;
    const old = `sha256:${createHash("sha256").update(reference).digest("hex")}`;
    const workload = await stage.tracked(name, annotations, restartedTo(old, make));
    const moved = await stage.registry.push(`shop/${name}:1.0.0`, { seed: `${name} again` });
    const failed = await stage.lookout.fact("RolloutFailed", workload);

    const detail = `the pods run ${old} in container app instead of ${moved}; with imagePullPolicy IfNotPresent, nodes keep the old image: set imagePullPolicy: Always`;
    expect(failed.reasons).toEqual([{ reason: "pods-run-another-digest", detail }]);
    expect(await stage.imageOf(kind, name)).toBe(reference);
    const explained = (await stage.lookout.run("explain", workload)).out.replaceAll(/\s+/g, " ");
    expect(explained).toContain(
      "Container app is restarted to get a moved tag, but with imagePullPolicy IfNotPresent, nodes keep the old image",
    );
    expect(stage.lookout.of(workload).map((fact) => fact.name)).not.toContain("RollbackStarted");
  });

  it.each(kinds)("of a $kind succeeds if the pods run the new image", async ({ kind, make }) => {
    const name = `pulled-${kind}`;
    const moved = await stage.registry.push(`shop/${name}:next`, { seed: `${name} again` });
    const workload = await stage.tracked(name, annotations, restartedTo(moved, make));
    await stage.registry.push(`shop/${name}:1.0.0`, { seed: `${name} again` });

    expect((await stage.lookout.fact("RolloutSucceeded", workload)).detail).toBe("3 pods");
  });

  it("says that it is not proved if the pods report no digest", async () => {
    const workload = await stage.tracked("unproved", annotations);
    await stage.registry.push("shop/unproved:1.0.0", { seed: "unproved again" });

    expect((await stage.lookout.fact("RolloutSucceeded", workload)).detail).toBe(
      "3 pods; not proved that they run the new digest: container app reports no digest",
    );
  });
});
