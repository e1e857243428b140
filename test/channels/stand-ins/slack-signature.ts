import { createHmac } from "node:crypto";

/**
 * Returns the `X-Slack-Signature` with which Slack signs a request to an app.
 *
 * @see https://docs.slack.dev/authentication/verifying-requests-from-slack
 */
export function slackSignature(signingSecret: string, timestampS: number, body: string): string {
  const signed = `v0:${String(timestampS)}:${body}`;
  return `v0=${createHmac("sha256", signingSecret).update(signed, "utf8").digest("hex")}`;
}
