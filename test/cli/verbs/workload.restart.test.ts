import { describe, expect, it } from "vitest";
import { lines, lookout } from "../world.ts";

/** Returns the manifest of a workload that is restarted to get moved tags. */
function manifest(kind: string, container: object): object {
  const annotations = { "lookout.dev/enabled": "true", "lookout.dev/policy": "digest", "lookout.dev/apply": "restart" };
  const template = { spec: { containers: [{ name: "api", image: "shop/api:edge", ...container }] } };
  return { apiVersion: "apps/v1", kind, metadata: { name: "api", annotations }, spec: { template } };
}

const parse = (object: object) =>
  lookout(
    ["workload", "parse", "-f", "-"],
    {},
    {
      async *stdin() {
        yield JSON.stringify(object);
      },
    },
  );

describe("lookout workload parse of a workload that is restarted", () => {
  it.each([
    { kind: "Deployment", container: {} },
    { kind: "StatefulSet", container: { imagePullPolicy: "IfNotPresent" } },
    { kind: "DaemonSet", container: { imagePullPolicy: "IfNotPresent" } },
  ])(
    "has a note if the nodes of a $kind keep the old image, and ends with 0: $container",
    async ({ kind, container }) => {
      const { stdout, exitCode } = await parse(manifest(kind, container));

      expect(stdout).toBe(
        lines(
          `✓ ${kind} api is tracked.`,
          "",
          "CONTAINER   IMAGE           STRATEGY     APPLY     POLICY",
          "api         shop/api:edge   tag+digest   restart   digest",
          "",
          "  ✓ rollback   to the previous image, when the rollout takes longer than 10m, or a pull fails for 1m",
          "  ! note       container api is restarted to get a moved tag, but with imagePullPolicy IfNotPresent, nodes keep the old image: set imagePullPolicy: Always",
        ),
      );
      expect(exitCode).toBe(0);
    },
  );

  it.each([{ imagePullPolicy: "Always" }, { image: "shop/api" }, { image: "shop/api:latest" }])(
    "has no note with %j",
    async (container) => {
      expect((await parse(manifest("Deployment", container))).stdout).not.toContain("note");
    },
  );
});
