import { describe, expect, it } from "vitest";
import { pushReceivers } from "#adapters/webhook/receivers";
import { configuredRegistry, summaryOf, webhookCases } from "./fixtures.ts";

const folders = [
  { folder: "distribution", kind: "distribution" },
  { folder: "gitlab", kind: "distribution" },
  { folder: "generic-hmac", kind: "generic" },
] as const;

describe.each(folders)("a recorded notification of $folder", ({ folder, kind }) => {
  it.each(webhookCases(folder))("$file: $because", async ({ request, secret, accepted }) => {
    const receivers = pushReceivers([{ name: folder, kind, secret, registry: configuredRegistry }]);

    const received = (await receivers.receiver(folder))?.receive(request);

    expect(accepted).toContainEqual(received && summaryOf(received));
  });
});
