import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pagerDutyStandIn, type PagerDutyStandIn } from "#test/channels/stand-ins/pagerduty";
import { slackStandIn, type SlackStandIn } from "#test/channels/stand-ins/slack";
import { patchNumber } from "#test/cluster/bed/fake-kubelet";
import { until } from "#test/cluster/bed/until";
import { deploy, type Deployment, stack } from "./bed/deployment.ts";
import { startWebhookReceiver, type WebhookReceiver } from "./bed/webhook-receiver.ts";
import { channelPerUpdate } from "./channel-cost.ts";
import { callsSince, costOf, total } from "./cost.ts";

const key = Buffer.from("a key of thirty-two bytes exactly").toString("base64");
const slackChannel = "C0123456789";
const routingKey = "0123456789abcdef0123456789abcdef";
let audit: WebhookReceiver;
let slack: SlackStandIn;
let pager: PagerDutyStandIn;
let lookout: Deployment;

beforeAll(async () => {
  [audit, slack, pager] = await Promise.all([
    startWebhookReceiver(key),
    slackStandIn(),
    pagerDutyStandIn({ routingKey }),
  ]);
  const entry = { kind: "webhook", address: audit.url, allowNetworks: ["127.0.0.0/8"], secretEnv: "AUDIT_KEY" };
  const named = { workloads: "named", allowNetworks: ["127.0.0.0/8"], secretEnv: "CHAT_KEY" };
  const channels = [
    { name: "audit", ...entry, namespaces: { allow: ["def*"] } },
    { name: "elsewhere", ...entry, namespaces: { allow: ["elsewhere"] } },
    // These tell only of the workload that names them, so the costs of another one are those of one channel.
    { name: "releases", kind: "slack", channel: slackChannel, address: `${slack.url}/api`, ...named },
    { name: "pager", kind: "pagerduty", address: pager.url, ...named },
  ];
  const keys = new Map([
    ["releases", slack.token],
    ["pager", routingKey],
  ]);
  const secrets = Object.fromEntries(
    channels.map(({ name }) => [`/${stack}/channels/${name}`, keys.get(name) ?? `whsec_${key}`]),
  );
  lookout = await deploy({ channels, parameters: secrets });
});

afterAll(async () => {
  await lookout.stop();
  await audit.stop();
  for (const one of [slack, pager]) await one[Symbol.asyncDispose]();
});

const of = (name: string) => audit.events.filter(({ subject }) => subject.endsWith(`/${name}`));
const told = (name: string, type: string) =>
  until(`${type} of ${name} is told`, async () => of(name).find((event) => event.type === `dev.lookout.${type}`), {
    timeoutMs: 60_000,
    intervalMs: 100,
  });

const soon = (what: string, isSo: () => boolean) =>
  until(what, async () => (isSo() ? true : undefined), { timeoutMs: 90_000, intervalMs: 200 });

describe("a channel of a stack", () => {
  it("is told of a broken push until its end, and of nothing else", async () => {
    await lookout.ecr.put("shop/api", "1.0.0");
    await lookout.tracked("api", `${lookout.ecr.host}/shop/api:1.0.0`);
    await lookout.ecr.push("shop/api", `1.0.${patchNumber.broken}`);
    const { data } = await told("api", "RolledBack");

    expect(data).toMatchObject({
      ...{ name: "RolledBack", severity: "error", outcome: "rolled-back" },
      workload: { cluster: "prod", namespace: "default", kind: "Deployment", name: "api" },
      text: expect.stringMatching(/^prod\/default\/api: rolled back/) as string,
    });
    expect(data).not.toHaveProperty("schemaVersion");
    expect(new Set(of("api").map(({ type }) => type.replace("dev.lookout.", "")))).toEqual(
      new Set(["RolloutStarted", "RolloutFailed", "RollbackStarted", "RolledBack"]),
    );
    expect(audit.refused()).toBe(0);
  });

  it("costs what docs/cost.md says for each update", async () => {
    const before = (await lookout.emulator.state()).calls;
    await lookout.ecr.push("shop/api", "1.1.0");
    await told("api", "RolloutSucceeded");
    const calls = callsSince(before, (await lookout.emulator.state()).calls).filter((call) =>
      call.function.includes("notifydeliver"),
    );
    const rows = costOf(calls);
    console.log(rows.map(({ what, amount, dollars }) => `${what}: ${amount}, ${dollars}`).join("\n"), total(rows));

    // Times differ between runs, and the emulator may hand out two facts at once.
    expect(total(rows) / channelPerUpdate).toBeGreaterThan(0.6);
    expect(total(rows) / channelPerUpdate).toBeLessThan(1.3);
  });

  it("ends in one Slack message that says rolled back, and one incident that the next good push resolves", async () => {
    const named = { "lookout.dev/notify-slack": "releases, pager" };
    await lookout.ecr.put("shop/web", "1.0.0");
    await lookout.tracked("web", `${lookout.ecr.host}/shop/web:1.0.0`, named);
    await lookout.ecr.push("shop/web", `1.0.${patchNumber.broken}`);
    await soon("Slack says rolled back", () => slack.channel(slackChannel)[0]?.text.includes("rolled back") === true);
    await soon("the incident is open", () => pager.incidents[0]?.status === "triggered");

    expect(slack.channel(slackChannel)).toHaveLength(1);
    await lookout.ecr.push("shop/web", "1.1.0");
    await soon("the incident is resolved", () => pager.incidents[0]?.status === "resolved");
    await soon("Slack says succeeded", () => slack.channel(slackChannel)[1]?.text.includes("succeeded") === true);

    expect(slack.channel(slackChannel)).toHaveLength(2);
    expect(pager.incidents).toMatchObject([{ severity: "error", status: "resolved" }]);
    expect([slack.warnings, pager.warnings]).toEqual([[], []]);
  });

  it("asks AWS for nothing that it has no right to", async () => {
    const { faults } = await lookout.emulator.state();

    expect(faults.filter((fault) => fault.function.includes("notifydeliver"))).toEqual([]);
  });
});
