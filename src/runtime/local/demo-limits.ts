import type { Configuration } from "#contracts/config/configuration";
import { seconds } from "#domain/shared/time";

/** The demo's limits, which are short. Limits of `lookout.yaml` override them. */
export const demoLimits: Configuration["limits"] = {
  settle: seconds(1),
  windowSpread: seconds(0),
  maxConcurrentRollouts: 25,
};

/** The settings of {@link demoLimits} that differ from the defaults of `lookout.yaml`. */
export const shownDemoLimits: Readonly<Record<string, string>> = { "limits.settle": "1s", "limits.windowSpread": "0s" };
