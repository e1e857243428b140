import type { Answer } from "#ports/channels";

/** What an error of Slack means, and what a person can do about it. */
export interface ErrorRow {
  readonly kind: Exclude<Answer["kind"], "told">;
  readonly remedy?: string;
}

const newToken = "install the app again, and store its new token";
const otherChannel = "name another channel in lookout.yaml";
const askAdministrator = "ask an administrator of the workspace";
const off = (remedy: string): ErrorRow => ({ kind: "off", remedy });
const gone: ErrorRow = { kind: "gone" };
const refused: ErrorRow = { kind: "refused" };
const later: ErrorRow = { kind: "later" };

/** The errors of `chat.postMessage` and `chat.update`. @see https://docs.slack.dev/reference/methods/chat.postMessage */
export const errorRows: Readonly<Record<string, ErrorRow>> = {
  not_authed: off(newToken),
  invalid_auth: off(newToken),
  token_revoked: off(newToken),
  token_expired: off(newToken),
  account_inactive: off(newToken),
  not_allowed_token_type: off("use the token of the bot (xoxb-…)"),
  missing_scope: off("add the scope to the app, and install it again"),
  no_permission: off("add the scopes chat:write and chat:write.public to the app, and install it again"),
  channel_not_found: off(`invite the bot if the channel is private, or ${otherChannel}`),
  not_in_channel: off("invite the bot to the channel"),
  is_archived: off(otherChannel),
  restricted_action: off(askAdministrator),
  access_denied: off(askAdministrator),
  org_login_required: off(askAdministrator),
  ekm_access_denied: off(askAdministrator),
  enterprise_is_restricted: off(askAdministrator),
  team_access_not_granted: off(askAdministrator),
  message_not_found: gone,
  cant_update_message: gone,
  edit_window_closed: gone,
  thread_not_found: gone,
  cannot_reply_to_message: gone,
  msg_too_long: refused,
  msg_blocks_too_long: refused,
  invalid_blocks: refused,
  invalid_blocks_format: refused,
  no_text: refused,
  ratelimited: later,
  internal_error: later,
  fatal_error: later,
};

/** Returns what an error means. An unknown error may pass. */
export function answerKindOf(error: string): ErrorRow {
  const name = error.startsWith("restricted_action") ? "restricted_action" : error;
  return Object.hasOwn(errorRows, name) ? (errorRows[name] ?? later) : later;
}

/** Returns whether a message with replies is gone, or takes no reply. */
export function threadIsGone(error: string): boolean {
  return answerKindOf(error).kind === "gone" || error === "restricted_action_thread_locked";
}
