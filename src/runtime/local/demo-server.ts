import { withoutTiers } from "#domain/tiers/rules";
import { randomBytes } from "node:crypto";
import { pushReceivers } from "#adapters/webhook/receivers";
import type { Clock } from "#ports/clock";
import type { Clusters } from "#ports/cluster";
import { noRules } from "#domain/approval/approvers";
import { noNodeRules } from "#domain/gates/node-rules";
import { observesNowhere } from "#domain/gates/observe";
import { usualDefaults } from "#domain/settings/settings";
import type { Rules } from "#app/shared/ports";
import type { PushReceivers } from "#ports/push-receiver";
import { demoLimits } from "./demo-limits.ts";
import { type DemoFleet, demoReceiverName, type DemoWorld, demoWorld, usualFleet } from "./demo-world.ts";
import { requestFunctions } from "./functions.ts";
import type { HttpOptions } from "./http.ts";
import type { Shell } from "./shell.ts";
import { clustersOf } from "./world.ts";

/** The rules of a demo without `lookout.yaml`. */
export const demoRules: Rules = {
  defaults: usualDefaults,
  limits: demoLimits,
  plannedFreezes: [],
  checks: [],
  approvals: noRules,
  nodes: noNodeRules,
  observe: observesNowhere,
  tiers: withoutTiers,
  registries: { registryPolicy: "any", registries: [] },
};

/** The demo's clusters and registry. */
export interface Demo {
  readonly world: DemoWorld;
  readonly clusters: Clusters;
  readonly rules: Rules;
  readonly registry: DemoWorld["registry"];
  readonly receivers: PushReceivers;
  /** Pushes to the demo's registry, which then notifies the process. */
  pushTo(shell: Shell): NonNullable<HttpOptions["demoPush"]>;
}

/** The time until a demo pod is ready. */
export const startupMs = 1_200;

/**
 * Returns the demo: a registry, a fleet, and a receiver with its own secret. The usual fleet is a cluster with
 * five workloads.
 */
export function openDemo(clock: Clock, rules: Rules = demoRules, fleet: DemoFleet = usualFleet): Demo {
  const world = demoWorld(clock, startupMs, fleet);
  const secret = randomBytes(16).toString("hex");
  return {
    world,
    clusters: clustersOf(world.clusters),
    registry: world.registry,
    receivers: pushReceivers([{ name: demoReceiverName, kind: "distribution", secret }], clock),
    rules,
    pushTo: (shell) => async (request) => {
      const { notification, ...pushed } = world.push(request);
      const notify = new Request(`http://localhost/webhooks/${demoReceiverName}`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${secret}`,
          "content-type": "application/vnd.docker.distribution.events.v2+json",
        },
        body: JSON.stringify(notification),
      });
      await shell.serve(requestFunctions["detect/registry-webhook"].run, notify);
      return pushed;
    },
  };
}
