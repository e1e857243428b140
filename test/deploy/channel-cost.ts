/**
 * The measured cost of a webhook channel, in dollars for each update: three facts, each with a run of its
 * own. `test/deploy/channels.test.ts` holds it.
 */
export const channelPerUpdate = 6.9e-6;
