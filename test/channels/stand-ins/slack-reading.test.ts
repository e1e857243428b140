import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readBlocks, readMrkdwn } from "./slack-reading.ts";

describe("a text in Slack", () => {
  it.each([
    { source: "a &lt;!channel&gt; &amp;amp; b", text: "a <!channel> &amp; b" },
    { source: "<!channel> help", text: "@channel help", mentions: ["@channel"] },
    { source: "<!here|now>", text: "@here", mentions: ["@here"] },
    { source: "<@U0123456> <@W1|ana>", text: "@U0123456 @ana", mentions: ["@U0123456", "@ana"] },
    { source: "<!subteam^S1|@ops> <!subteam^S2>", text: "@ops @S2", mentions: ["@ops", "@S2"] },
    { source: "<#C1|releases>", text: "#releases", links: [{ url: "#C1", label: "#releases" }] },
    {
      source: "<https://example.com/?a=1&amp;b=2|the log>",
      text: "the log",
      links: [{ url: "https://example.com/?a=1&b=2", label: "the log" }],
    },
    { source: "<javascript:alert(1)|ok>", text: "ok", links: [{ url: "javascript:alert(1)", label: "ok" }] },
    { source: "<users/all>", text: "users/all", links: [{ url: "users/all", label: "users/all" }] },
    {
      source: "see https://evil.example/x now",
      text: "see https://evil.example/x now",
      links: [{ url: "https://evil.example/x", label: "https://evil.example/x" }],
    },
    { source: "<!date^1531420618^{date}|12 July>", text: "12 July" },
    { source: "a < b @channel @everyone", text: "a < b @channel @everyone" },
    { source: "a <b> c", text: "a b c", links: [{ url: "b", label: "b" }] },
    { source: "[a](javascript:b)", text: "[a](javascript:b)" },
    {
      source: "*shop/api* snake_case_name 2*3*4",
      text: "shop/api snake_case_name 2*3*4",
      styled: [["bold", "shop/api"]],
    },
    {
      source: "`*code*` _it_ ~old~",
      text: "*code* it old",
      styled: [
        ["code", "*code*"],
        ["italic", "it"],
        ["strike", "old"],
      ],
    },
    {
      source: "```\na <!channel>\n```",
      text: "\na @channel\n",
      mentions: ["@channel"],
      styled: [["code", "\na @channel\n"]],
    },
    { source: "&gt; said", text: "said", styled: [["quote", "said"]] },
  ])("$source reads as $text", ({ source, text, mentions = [], links = [], styled = [] }) => {
    expect(readMrkdwn(source)).toEqual({
      ...{ text, mentions, links },
      styled: styled.map(([style, inner]) => ({ style, text: inner })),
    });
  });

  it("that is escaped and verbatim has neither mentions nor links, whatever it says", () => {
    const hostile = fc.constantFrom(
      "<!channel>",
      "<@U1>",
      "<",
      ">",
      "&",
      "|",
      "`",
      "*",
      "\uE0000\uE001",
      "\uE000",
      "https://a",
    );
    const texts = fc.array(fc.oneof(hostile, fc.string({ unit: "binary" }))).map((parts) => parts.join(""));
    fc.assert(
      fc.property(texts, (text) => {
        const escaped = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
        const reading = readMrkdwn(escaped, true);
        expect([reading.mentions, reading.links]).toEqual([[], []]);
        if (reading.styled.length === 0) expect(reading.text).toBe(text);
      }),
    );
  });

  it("that is verbatim has no links but those that it names", () => {
    expect(readMrkdwn("https://evil.example", true).links).toEqual([]);
  });
});

describe("blocks in Slack", () => {
  it("read from top to bottom; plain text has no mentions", () => {
    expect(
      readBlocks([
        { type: "header", text: { type: "plain_text", text: "✓ <!channel> &amp; co" } },
        {
          type: "section",
          text: { type: "mrkdwn", text: "*a*" },
          fields: [
            { type: "mrkdwn", text: "b" },
            { type: "plain_text", text: "*c*" },
          ],
          accessory: { type: "image", image_url: "https://example.com/a.png", alt_text: "a face" },
        },
        { type: "divider" },
        {
          type: "context",
          elements: [
            { type: "mrkdwn", text: "by <@U1|ana>" },
            { type: "plain_text", text: "at noon" },
          ],
        },
        {
          type: "actions",
          elements: [
            { type: "button", text: { type: "plain_text", text: "Approve" } },
            { type: "button", text: { type: "plain_text", text: "Log" }, url: "https://example.com/log" },
          ],
        },
        { type: "markdown", text: "**d** [e](https://example.com/e)" },
      ]),
    ).toEqual({
      text: "✓ <!channel> & co\na\nb\n*c*\na face\n———\nby @ana at noon\n[Approve] [Log]\nd e",
      mentions: ["@ana"],
      links: [
        { url: "https://example.com/log", label: "Log" },
        { url: "https://example.com/e", label: "e" },
      ],
      styled: [
        { style: "bold", text: "a" },
        { style: "bold", text: "d" },
      ],
    });
  });
});
