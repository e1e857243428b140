import type { Configuration } from "#contracts/config/configuration";
import { seconds } from "#domain/shared/time";

/** The demo's own limits, so that nobody waits for long; what `lookout.yaml` sets goes before them. */
export const demoLimits: Configuration["limits"] = {
  settle: seconds(1),
  windowSpread: seconds(0),
  maxConcurrentRollouts: 25,
};

/** How `lookout config` shows {@link demoLimits} where they differ from the defaults of `lookout.yaml`. */
export const shownDemoLimits: Readonly<Record<string, string>> = { "limits.settle": "1s", "limits.windowSpread": "0s" };
