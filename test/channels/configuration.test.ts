import { describe, expect, it } from "vitest";
import { sns } from "#channels/sns/configuration";
import { Channels } from "#contracts/config/channels";

const pager = { name: "pager", kind: "pagerduty" };
const audit = { name: "audit", kind: "webhook", address: "https://hooks.example.com/lookout" };
const topicArn = "arn:aws:sns:eu-central-1:111122223333:lookout";
const topic = { name: "topic", kind: "sns", topicArn };

describe("an entry of channels", () => {
  it("needs only what has no default", () => {
    const scope = { workloads: "all" };

    expect(Channels.parse([pager, audit, topic])).toEqual([
      { ...pager, ...scope, address: "https://events.pagerduty.com" },
      { ...audit, ...scope, format: "structured" },
      { ...topic, ...scope, format: "plain" },
    ]);
  });

  const problemsOf = (entry: object) =>
    Channels.safeParse([entry]).error?.issues.map(({ path, message }) => `${path.slice(1).join(".")}: ${message}`);
  const anAddress = "expected an https:// address without a user, a query or a fragment";
  const aTopic = 'the ARN of a topic, such as "arn:aws:sns:eu-central-1:111122223333:lookout"';

  it.each([
    { entry: { ...pager, address: "http://events.pagerduty.com" }, problem: `address: ${anAddress}` },
    { entry: { ...pager, address: "https://events.pagerduty.com/?key=secret" }, problem: `address: ${anAddress}` },
    { entry: { ...audit, address: "https://user:word@hooks.example.com" }, problem: `address: ${anAddress}` },
    { entry: { ...audit, address: "HOOK" }, problem: `address: ${anAddress}` },
    {
      entry: { ...audit, allowNetworks: ["10.0.0.0"] },
      problem: "allowNetworks.0: expected a network such as 10.0.0.0/8",
    },
    {
      entry: { ...audit, allowNetworks: ["10.0.0.0/33"] },
      problem: "allowNetworks.0: expected a network such as 10.0.0.0/8",
    },
    {
      entry: { ...audit, allowNetworks: ["::/129"] },
      problem: "allowNetworks.0: expected a network such as 10.0.0.0/8",
    },
    { entry: { ...audit, allowNetworks: [] }, problem: "allowNetworks: at least one network" },
    { entry: { ...topic, topicArn: "lookout" }, problem: `topicArn: ${aTopic}` },
    { entry: { ...topic, topicArn: "arn:aws:sqs:eu-central-1:111122223333:lookout" }, problem: `topicArn: ${aTopic}` },
    { entry: { ...topic, topicArn: `${topicArn}.fif` }, problem: `topicArn: ${aTopic}` },
    { entry: { ...topic, topicArn: `${topicArn}:8d7a` }, problem: `topicArn: ${aTopic}` },
    { entry: { ...topic, topicArn: "arn:aws:sns:evil.test/:111122223333:lookout" }, problem: `topicArn: ${aTopic}` },
    { entry: { ...topic, format: "html" }, problem: "format: plain or amazon-q" },
    {
      entry: { ...pager, secretEnv: "KEY", secretFile: "/run/key" },
      problem: "secretFile: the secret has one place, and secretEnv names it",
    },
    { entry: { ...topic, secretEnv: "KEY" }, problem: ": a channel of the kind sns" },
    {
      entry: { ...pager, events: ["registries"] },
      problem: "events: the kind tells only of workloads, so it would never tell anything",
    },
  ])("with $problem is refused: $entry", ({ entry, problem }) => {
    expect(problemsOf(entry)).toEqual([problem]);
  });

  it.each([
    topicArn,
    "arn:aws:sns:eu-central-1:111122223333:lookout.fifo",
    "arn:aws-cn:sns:cn-northwest-1:111122223333:lookout",
    "arn:aws-us-gov:sns:us-gov-west-1:111122223333:lookout",
    "arn:aws-eusc:sns:eusc-de-east-1:111122223333:lookout",
  ])("may name the topic %s, and its function may publish to that topic alone", (arn) => {
    expect(problemsOf({ ...topic, topicArn: arn })).toBeUndefined();
    expect(sns.rights?.({ topicArn: arn })).toEqual([{ actions: ["sns:Publish"], resources: [arn] }]);
  });

  it.each(["10.0.0.0/8", "fd00::/8", "127.0.0.0/8"])("may allow the network %s", (network) => {
    expect(problemsOf({ ...audit, allowNetworks: [network] })).toBeUndefined();
  });
});
