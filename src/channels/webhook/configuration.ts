import * as z from "zod";
import { hours } from "#domain/shared/time";
import { address, allowNetworks } from "../keys.ts";
import { channelKind } from "../kind.ts";

/** The kind of channels that send each fact to a program, as a signed CloudEvent. */
export const webhook = channelKind({
  form: "facts",
  about: "a program of your own, by CloudEvents 1.0 with a signature of Standard Webhooks",
  secret: "the key of the signatures (whsec_…), or the new and the old key with a space between",
  tells: { events: ["rollouts", "failures", "approvals"], minSeverity: "debug" },
  givesUpAfter: hours(24),
  keys: {
    address: address("The address of the receiver."),
    format: z
      .enum(["structured", "binary"], "structured or binary")
      .prefault("structured")
      .describe("The form of the CloudEvents: the event as JSON, or its attributes as headers."),
    allowNetworks,
  },
});
