/** The manifest of an app of Slack. @see https://docs.slack.dev/reference/app-manifest */
export interface SlackManifest {
  readonly _metadata: { readonly major_version: 1 };
  readonly display_information: { readonly name: string; readonly description: string };
  readonly features: { readonly bot_user: { readonly display_name: string; readonly always_online: boolean } };
  readonly oauth_config: { readonly scopes: { readonly bot: readonly string[] } };
  readonly settings: Readonly<Record<"org_deploy_enabled" | "socket_mode_enabled" | "token_rotation_enabled", boolean>>;
}

/** Returns the manifest of the app whose bot an entry needs. The bot only writes. */
export function manifestOf({ name }: { readonly name: string }): SlackManifest {
  return {
    _metadata: { major_version: 1 },
    display_information: { name: "Lookout", description: `Shows image updates in Slack (channel ${name})` },
    features: { bot_user: { display_name: "Lookout", always_online: false } },
    oauth_config: { scopes: { bot: ["chat:write", "chat:write.public"] } },
    settings: { org_deploy_enabled: false, socket_mode_enabled: false, token_rotation_enabled: false },
  };
}
