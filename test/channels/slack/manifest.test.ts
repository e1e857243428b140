import { expect, it } from "vitest";
import { manifestOf } from "#channels/slack/manifest";

it("Slack's manifest asks only for the right to write", () => {
  expect(manifestOf({ name: "releases" })).toEqual({
    _metadata: { major_version: 1 },
    display_information: { name: "Lookout", description: "Shows image updates in Slack (channel releases)" },
    features: { bot_user: { display_name: "Lookout", always_online: false } },
    oauth_config: { scopes: { bot: ["chat:write", "chat:write.public"] } },
    settings: { org_deploy_enabled: false, socket_mode_enabled: false, token_rotation_enabled: false },
  });
});

it("Slack's manifest is within Slack's limits for the longest name", () => {
  expect(manifestOf({ name: "a".repeat(63) }).display_information.description.length).toBeLessThanOrEqual(140);
});
