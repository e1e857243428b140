import { describe, expect, it } from "vitest";
import { open } from "#channels/sns/channel";
import { inert } from "#channels/sns/inert";
import { epochMs } from "#domain/shared/time";
import type { AnyFact } from "#domain/update/events";
import type { FactsSender } from "#ports/channels";
import type { SignedRequest } from "#ports/post";
import { change, failure, failureText, hostile, huge, rolledBack, toolsWith } from "../sending.ts";
import { readMrkdwn } from "../stand-ins/slack-reading.ts";
import { snsError, snsStandIn, type SnsStandIn } from "../stand-ins/sns.ts";
import type { Reply } from "../stand-ins/stand-in.ts";

const now = epochMs(Date.parse("2026-11-28T01:00:03Z"));
const text = "prod/shop/api: rolled back to 1.0.0; 1.1.0 is blocked here until lookout unblock shop/api";

function sender(sns: SnsStandIn, format: "plain" | "amazon-q" = "plain"): FactsSender {
  return open({ name: "topic", topicArn: sns.topicArn, format }, toolsWith("", sns));
}

const unreachable: AnyFact = {
  name: "RegistryUnreachable",
  id: "registry.test/17/RegistryUnreachable",
  registry: "registry.test",
  since: now,
  at: now,
  detail: "ECONNREFUSED",
};

describe("a topic", () => {
  it("gets a fact as JSON, with attributes for filters", async () => {
    await using sns = await snsStandIn();

    expect(await sender(sns).tell(rolledBack, now)).toEqual({ kind: "told" });
    const { message, ...others } = sns.published[0]!;
    expect(others).toMatchObject({
      subject: "prod/shop/api: rolled back to 1.0.0; 1.1.0 is blocked here until lookout unblock shop/api",
      attributes: { name: "RolledBack", cluster: "prod", namespace: "shop", severity: "error", outcome: "rolled-back" },
    });
    expect(JSON.parse(message)).toEqual({
      ...rolledBack,
      at: "2026-11-28T01:00:00.000Z",
      severity: "error",
      outcome: "rolled-back",
      text,
    });
    expect(sns.warnings).toEqual([]);
  });

  it.each(["plain", "amazon-q"] as const)("gets a fact about a registry, without a cluster: %s", async (format) => {
    await using sns = await snsStandIn();

    expect(await sender(sns, format).tell(unreachable, now)).toEqual({ kind: "told" });
    expect(sns.published).toMatchObject([
      { attributes: { name: "RegistryUnreachable", severity: "warning", outcome: "none" } },
    ]);
  });

  it.each(["plain", "amazon-q"] as const)("gets the largest fact, cut, in one billed piece: %s", async (format) => {
    await using sns = await snsStandIn();

    expect(await sender(sns, format).tell(huge, now)).toEqual({ kind: "told" });
    expect(Buffer.byteLength(sns.published[0]!.message)).toBeLessThan(64_000);
    expect(sns.published[0]!.subject).toHaveLength(100);
  });

  it.each(["plain", "amazon-q"] as const)("gets a test that is harmless: %s", async (format) => {
    await using sns = await snsStandIn();

    expect(await sender(sns, format).tryOut(now)).toEqual({ kind: "told" });
    expect(sns.published).toMatchObject([
      {
        subject: "A test of lookout channel test.",
        attributes: { name: "ChannelTested", severity: "debug", outcome: "none" },
      },
    ]);
    expect(sns.amazonQ().dropped).toEqual(format === "plain" ? ["needs version"] : []);
  });

  it("with the end .fifo gets the order of each workload, and drops a repeated fact", async () => {
    const sent: SignedRequest[] = [];
    const tools = {
      ...toolsWith(""),
      postToAws: async (request: SignedRequest) => {
        sent.push(request);
        return { kind: "answered", status: 200, headers: {}, body: "" } as const;
      },
    };
    const topicArn = "arn:aws-cn:sns:cn-north-1:111122223333:lookout.fifo";
    const topic = open({ name: "topic", topicArn, format: "plain" }, tools);
    for (const fact of [rolledBack, rolledBack, { ...rolledBack, id: "uid-1/4/10/HoldEnded" }, unreachable])
      await topic.tell(fact, now);

    const forms = sent.map(({ body }) => new URLSearchParams(body));
    const [groups, identities] = ["MessageGroupId", "MessageDeduplicationId"].map((name) =>
      forms.map((form) => form.get(name) ?? ""),
    );
    expect(sent.map(({ region }) => region)).toEqual(Array.from({ length: 4 }, () => "cn-north-1"));
    expect(groups!.map((group) => groups!.indexOf(group))).toEqual([0, 0, 0, 3]);
    expect(identities!.map((identity) => identities!.indexOf(identity))).toEqual([0, 0, 2, 3]);
    expect([...groups!, ...identities!].every((one) => /^[0-9a-f]{64}$/.test(one))).toBe(true);
  });

  it("gets a subject of printable ASCII, whatever a fact tells", async () => {
    await using sns = await snsStandIn();
    const reasons = [{ ...failure, detail: `${hostile} ünïcödé 🚀` }];
    await sender(sns).tell({ ...rolledBack, name: "UpdateHeld", reasons }, now);

    expect(sns.published[0]!.subject).toMatch(/^prod\/shop\/api: 1.0.0 -> 1.1.0 [ -~]{65,67}\.\.\.$/);
  });
});

describe("Amazon Q", () => {
  it("shows what changed, why, and what to do next", async () => {
    await using sns = await snsStandIn();

    expect(await sender(sns, "amazon-q").tell(rolledBack, now)).toEqual({ kind: "told" });
    expect(sns.amazonQ().dropped).toEqual([]);
    expect(JSON.parse(sns.published[0]!.message)).toEqual({
      version: "1.0",
      source: "custom",
      content: {
        textType: "client-markdown",
        title: "↩️ prod/shop/api: rolled back",
        description: [
          text,
          "• app: registry.test/shop/api:1.0.0 → registry.test/shop/api:1.1.0",
          `• ${failureText.sentence} ImagePullBackOff in pod api-7`,
        ].join("\n"),
        nextSteps: [failureText.remedy.replaceAll("WORKLOAD", "shop/api"), "See why: lookout explain shop/api"],
        keywords: ["prod", "shop", "error"],
      },
      metadata: {
        threadId: "push-1",
        summary: text,
        eventType: "RolledBack",
        relatedResources: ["prod/shop/deployment/api"],
        additionalContext: {
          id: "uid-1/4/9/RolledBack",
          severity: "error",
          outcome: "rolled-back",
          cluster: "prod",
          namespace: "shop",
        },
        enableCustomActions: false,
      },
    });
  });

  it("keeps the facts of an update without a push in one thread", async () => {
    await using sns = await snsStandIn();
    const { correlationId: _, ...fact } = rolledBack;
    await sender(sns, "amazon-q").tell(fact, now);
    await sender(sns, "amazon-q").tell({ ...fact, name: "RolloutStarted" }, now);

    expect(sns.amazonQ().shown.map(({ threadId }) => threadId)).toEqual(["uid-1/4", "uid-1/4"]);
  });

  it("shows hostile text without a mention, a link or a style", async () => {
    await using sns = await snsStandIn();
    const reasons = [{ ...failure, detail: hostile }];
    const changes = [{ ...change, name: hostile, from: hostile, to: hostile }];
    const workload = { ...rolledBack.workload, cluster: hostile, namespace: hostile, name: hostile };
    const fact = {
      ...rolledBack,
      name: "UpdateHeld",
      id: hostile,
      correlationId: hostile,
      workload,
      reasons,
      changes,
    } as const;
    await sender(sns, "amazon-q").tell(fact, now);

    const { shown, dropped } = sns.amazonQ();
    const { title, description, nextSteps, keywords } = shown[0]!;
    const texts = [title ?? "", description, ...nextSteps, ...keywords, sns.published[0]!.message];
    expect(dropped).toEqual([]);
    expect(texts.map((one) => readMrkdwn(one)).map(({ mentions, links, styled }) => [mentions, links, styled])).toEqual(
      texts.map(() => [[], [], []]),
    );
    // In Markdown, and by plain words, as other clients read them.
    expect(texts.filter((one) => /@\w|:\/\/|www\.|\]\(|`|[<>]/.test(one))).toEqual([]);
  });

  it("shows a hostile text so that a person still can read it", () => {
    expect(inert(hostile, 250).replaceAll("\u200b", "")).toBe(
      "&lt;!channel&gt; &lt;@U123&gt; @here @everyone &lt;https://evil.test|x&gt; [x] (javascript:alert(1)) https://evil.test www.evil.test ˋˋˋ ∗b∗ ˍiˍ ∼s∼ \ufffd\\u{202e} &gt; q \ufffd",
    );
    expect(inert("shop_api/my_app:1.0.0_rc*", 250)).toBe("shop_api/my_app:1.0.0_rc∗");
  });
});

describe("an answer of SNS", () => {
  const check = ": check the topic, its policy and the rights of Lookout";
  const other = (code: string, status: number): Reply => ({ status, body: `<Error><Code>${code}</Code></Error>` });

  it.each<{ reply: Reply; means: object }>([
    { reply: snsError("Throttled"), means: { kind: "later", why: "SNS answered Throttled" } },
    { reply: other("Throttling", 400), means: { kind: "later", why: "SNS answered Throttling" } },
    { reply: other("KMSThrottling", 400), means: { kind: "later", why: "SNS answered KMSThrottling" } },
    { reply: other("InternalError", 500), means: { kind: "later", why: "SNS answered InternalError" } },
    { reply: snsError("InternalFailure"), means: { kind: "later", why: "SNS answered InternalFailure" } },
    { reply: other("ExpiredToken", 403), means: { kind: "later", why: "SNS answered ExpiredToken" } },
    { reply: snsError("InvalidParameter"), means: { kind: "refused", why: "SNS answered InvalidParameter" } },
    {
      reply: other("InvalidParameterValue", 400),
      means: { kind: "refused", why: "SNS answered InvalidParameterValue" },
    },
    { reply: snsError("AuthorizationError"), means: { kind: "off", why: `SNS answered AuthorizationError${check}` } },
    { reply: snsError("NotFound"), means: { kind: "off", why: `SNS answered NotFound${check}` } },
    { reply: other("InvalidSecurity", 403), means: { kind: "off", why: `SNS answered InvalidSecurity${check}` } },
    { reply: other("KMSAccessDenied", 400), means: { kind: "off", why: `SNS answered KMSAccessDenied${check}` } },
    {
      reply: snsError("SignatureDoesNotMatch"),
      means: { kind: "off", why: `SNS answered SignatureDoesNotMatch${check}` },
    },
    { reply: { status: 503, body: "<html>" }, means: { kind: "later", why: "the server answered 503", after: 30_000 } },
    { reply: { status: 403, body: "" }, means: { kind: "off", why: "the server answered 403" } },
    { reply: { status: 400, body: "no" }, means: { kind: "refused", why: "the server answered 400" } },
  ])("$reply means $means.kind", async ({ reply, means }) => {
    await using sns = await snsStandIn();
    sns.answerNext(reply);

    expect(await sender(sns).tell(rolledBack, now)).toEqual(means);
  });

  it("that is lost means later", async () => {
    await using sns = await snsStandIn();
    sns.answerNext("cut");
    const { host } = new URL(sns.url);

    expect(await sender(sns).tell(rolledBack, now)).toEqual({
      kind: "later",
      why: `${host} can't be reached (UND_ERR_SOCKET)`,
    });
  });

  it("to another topic, or with another key, turns the channel off", async () => {
    await using sns = await snsStandIn();
    const topicArn = `${sns.topicArn}-other`;
    const otherTopic = open({ name: "topic", topicArn, format: "plain" }, toolsWith("", sns));
    const otherKey = toolsWith("", { url: sns.url, key: { accessKeyId: "AKIDOTHER", secretAccessKey: "canary" } });
    const unknown = open({ name: "topic", topicArn: sns.topicArn, format: "plain" }, otherKey);

    expect([await otherTopic.tell(rolledBack, now), await unknown.tell(rolledBack, now)]).toEqual([
      { kind: "off", why: `SNS answered NotFound${check}` },
      { kind: "off", why: `SNS answered InvalidClientTokenId${check}` },
    ]);
  });
});
