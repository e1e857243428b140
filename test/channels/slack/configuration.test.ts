import { describe, expect, it } from "vitest";
import { Channels } from "#contracts/config/channels";

const entry = { name: "releases", kind: "slack", channel: "C0123456789", secretEnv: "TOKEN" };
const problemsOf = (given: object) =>
  Channels.safeParse([given]).error?.issues.map(({ path, message }) => `${path.slice(1).join(".")}: ${message}`) ?? [];

const id = "the id of a channel, such as C0123456789: names can change. Slack shows the id in the channel's details";

describe("an entry of Slack", () => {
  it("needs only the channel and the token", () => {
    expect(Channels.parse([entry])).toMatchObject([{ ...entry, address: "https://slack.com/api" }]);
  });

  it.each([
    { name: "the name of a channel", given: { channel: "#releases" }, problems: [`channel: ${id}`] },
    { name: "a name in lower case", given: { channel: "releases" }, problems: [`channel: ${id}`] },
    { name: "the id of a user", given: { channel: "U0123456789" }, problems: [`channel: ${id}`] },
    {
      name: "an address without TLS",
      given: { address: "http://slack.com/api" },
      problems: ["address: expected an https:// address without a user, a query or a fragment"],
    },
    { name: "the address of GovSlack", given: { address: "https://slack-gov.com/api" }, problems: [] },
  ])("with $name", ({ given, problems }) => {
    expect(problemsOf({ ...entry, ...given })).toEqual(problems);
  });

  it("of a webhook takes no address: the address is the secret", () => {
    const { channel: _, ...webhook } = { ...entry, kind: "slack-webhook" };
    expect(problemsOf(webhook)).toEqual([]);
    const given = { ...webhook, address: "https://hooks.slack.com/services/T/B/x" };
    expect(Channels.safeParse([given]).error?.issues).toMatchObject([{ code: "unrecognized_keys", keys: ["address"] }]);
  });
});
