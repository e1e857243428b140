import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { channelKinds } from "#channels/index";
import type { ChannelKind } from "#channels/kind";
import { keyOf, signature } from "#channels/standard-webhooks";
import { parseConfiguration } from "#contracts/config/configuration";
import { eventGroups } from "#domain/notify/filter";
import { severities } from "#domain/notify/words";
import { formatDuration } from "#domain/shared/duration";
import { blocksOf, page } from "./markdown.ts";

const channels = page("docs/channels.md");
const subjects: Readonly<Record<ChannelKind["form"], string>> = {
  facts: "a fact",
  updates: "an update or a push",
  incidents: "a workload's failure",
};

interface Example {
  readonly channels: readonly { readonly kind: string }[];
}
const example = parse(blocksOf(channels).find(({ language }) => language === "yaml")?.text ?? "") as Example;

describe("the page of channels", () => {
  it("has a row for each kind", () => {
    const rows = [...channels.text.matchAll(/^\| `([\w-]+)` +\| (.+) \|$/gm)].map(([, kind, cells = ""]) => [
      kind,
      ...cells.split("|").map((cell) => cell.trim()),
    ]);

    expect(rows).toEqual(
      Object.entries(channelKinds).map(([name, { kind }]) => [
        name,
        subjects[kind.form],
        kind.tells.events.join(", "),
        `\`${kind.tells.minSeverity}\``,
        formatDuration(kind.givesUpAfter),
      ]),
    );
  });

  it("has an example of each kind, which is valid", () => {
    expect(example.channels.map(({ kind }) => kind)).toEqual(Object.keys(channelKinds));
    expect(parseConfiguration(example)).toMatchObject({ ok: true });
  });

  it("lists the facts of each group, and each severity", () => {
    const rows = [...channels.text.matchAll(/^- `(\w+)`: ((?:[A-Z]\w+(?:, )?)+)$/gm)];

    expect(Object.fromEntries(rows.map(([, group, facts = ""]) => [group, facts.split(", ")]))).toEqual(eventGroups);
    const [, named = ""] = /`minSeverity` is ([^.]+)\./.exec(channels.text) ?? [];
    expect([...named.matchAll(/`(\w+)`/g)].map(([, one]) => one)).toEqual(severities);
  });

  it("has their number in the comparison", () => {
    const counted = /^\| notifications +\| (\d+) kinds/m.exec(page("docs/compared.md").text)?.[1];
    expect(counted).toBe(String(Object.keys(channelKinds).length));
  });

  it("has at most 910 words", () => {
    expect(channels.text.split(/[\s|]+/).length).toBeLessThanOrEqual(910);
  });
});

type Verify = (secret: string, headers: Readonly<Record<string, string>>, body: string) => boolean;

describe("the example that verifies a webhook", () => {
  const secret = `whsec_${Buffer.alloc(32, 5).toString("base64")}`;
  const body = '{"text":"prod/shop/api: 1.0.0 → 1.1.0 succeeded"}';
  const now = () => String(Math.floor(Date.now() / 1_000));
  const headersOf = (of: string, at = now(), key = keyOf(secret)!) => ({
    "webhook-id": "u-1/1/2/RolledBack",
    "webhook-timestamp": at,
    "webhook-signature": `v1,${signature(key, "u-1/1/2/RolledBack", at, of)}`,
  });
  const verify = async (headers: Readonly<Record<string, string>>, of = body) => {
    const code = blocksOf(channels).find(({ language }) => language === "js")?.text ?? "";
    const url = `data:text/javascript,${encodeURIComponent(code)}`;
    const { isFromLookout } = (await import(/* @vite-ignore */ url)) as { readonly isFromLookout: Verify };
    return isFromLookout(secret, headers, of);
  };

  it("takes what Lookout signs, also beside the signature of another key", async () => {
    const own = headersOf(body);
    const two = { ...own, "webhook-signature": `v1,b3RoZXI= ${own["webhook-signature"]}` };

    expect([await verify(own), await verify(two)]).toEqual([true, true]);
  });

  it("refuses another body, another key, an old request, and a request without headers", async () => {
    const old = String(Number(now()) - 301);
    const refused = [
      await verify(headersOf(body), `${body} `),
      await verify(headersOf(body, now(), Buffer.alloc(32, 6))),
      await verify(headersOf(body, old)),
      await verify(headersOf(body, "soon")),
      await verify({}),
    ];

    expect(refused).toEqual([false, false, false, false, false]);
  });
});
