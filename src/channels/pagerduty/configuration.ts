import { hours } from "#domain/shared/time";
import { address, allowNetworks } from "../keys.ts";
import { channelKind } from "../kind.ts";

/** The kind of channels that open an incident for a workload whose last update failed. */
export const pagerduty = channelKind({
  form: "incidents",
  about: "PagerDuty: one incident for each workload, which the next good update resolves",
  secret: "the integration key of Events API v2 (32 characters)",
  tells: { events: ["failures"], minSeverity: "error" },
  givesUpAfter: hours(24),
  keys: {
    address: address(
      "The address of PagerDuty's Events API. Accounts in the EU need https://events.eu.pagerduty.com.",
    ).prefault("https://events.pagerduty.com"),
    allowNetworks,
  },
});
