import type { CheckedBlock } from "./slack-blocks.ts";

/** What a person sees of a text. */
export interface Reading {
  /** Without marks of style; a link is its label, a mention its name. */
  readonly text: string;
  /** Who is notified: `@channel`, `@U0123456`. */
  readonly mentions: readonly string[];
  readonly links: readonly { readonly url: string; readonly label: string }[];
  readonly styled: readonly { readonly style: Style; readonly text: string }[];
}

export type Style = "bold" | "italic" | "strike" | "code" | "quote";

const nothing: Reading = { text: "", mentions: [], links: [], styled: [] };

const decode = (text: string): string => text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");

/** Each style, and the marks around its text. Slack wants no letter beside a mark, and no space within. */
const styles: readonly (readonly [Style, RegExp])[] = [
  ["code", /```([\s\S]+?)```/g],
  ["code", /`([^`\n]+)`/g],
  ["quote", /^(?:>|&gt;) ?(.*)$/gm],
  ["bold", /(?<![\w*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![\w*])/g],
  ["italic", /(?<![\w_])_(?=\S)([^_\n]+?)(?<=\S)_(?![\w_])/g],
  ["strike", /(?<![\w~])~(?=\S)([^~\n]+?)(?<=\S)~(?![\w~])/g],
];

/**
 * Reads a text as Slack shows it. `isVerbatim` is Slack's `verbatim`: without it, a bare address
 * becomes a link.
 *
 * @see https://docs.slack.dev/messaging/formatting-message-text
 */
export function readMrkdwn(source: string, isVerbatim = false): Reading {
  const mentions: string[] = [];
  const links: { url: string; label: string }[] = [];
  const styled: { style: Style; text: string }[] = [];
  const kept: string[] = [];
  // Marks of style within an address or a code have no meaning, so these are set aside.
  const keep = (text: string): string => `\uE000${String(kept.push(text) - 1)}\uE001`;
  const putBack = (text: string): string =>
    text.replace(/\uE000(\d+)\uE001/g, (_, index) => putBack(kept[Number(index)] ?? ""));
  const show = (text: string): string => decode(putBack(text));
  const link = (url: string, label: string): string => {
    links.push({ url: decode(url), label: decode(label) });
    return keep(label);
  };
  const mention = (name: string): string => {
    mentions.push(decode(name));
    return keep(name);
  };

  let text = source.replace(/[\uE000\uE001]/g, keep).replace(/<([^<>\n]+)>/g, (_, control: string) => {
    const [target = "", ...rest] = control.split("|");
    const label = rest.length === 0 ? undefined : rest.join("|");
    if (/^@[UW]/.test(target)) return mention(label === undefined ? target : `@${label.replace(/^@/, "")}`);
    if (target.startsWith("!date^")) return keep(label ?? target);
    if (target.startsWith("!subteam^")) return mention(label ?? `@${target.slice("!subteam^".length)}`);
    if (target.startsWith("!")) return mention(`@${target.slice(1)}`);
    if (/^#C/.test(target)) return link(target, label === undefined ? target : `#${label.replace(/^#/, "")}`);
    return link(target, label ?? target);
  });
  if (!isVerbatim) text = text.replace(/\bhttps?:\/\/[^\s<>|`*"']+/g, (url) => link(url, url));
  for (const [style, marks] of styles)
    text = text.replace(marks, (_, inner: string) => {
      styled.push({ style, text: show(inner) });
      return style === "code" ? keep(inner) : inner;
    });
  return { text: show(text), mentions, links, styled };
}

/** Reads a text without mentions, links and styles. */
export const readPlain = (source: string): Reading => ({ ...nothing, text: decode(source) });

/** Reads blocks from top to bottom, a line or more each. A button is `[its text]`. */
export function readBlocks(blocks: readonly CheckedBlock[]): Reading {
  return joined(blocks.map(readBlock), "\n");
}

function readBlock(block: CheckedBlock): Reading {
  switch (block.type) {
    case "section":
      return joined(
        [
          ...[block.text, ...(block.fields ?? [])].flatMap((text) => (text === undefined ? [] : [readElement(text)])),
          ...(block.accessory === undefined ? [] : [readElement(block.accessory)]),
        ],
        "\n",
      );
    case "context":
      return joined(block.elements.map(readElement), " ");
    case "actions":
      return joined(block.elements.map(readElement), " ");
    case "header":
      return readElement(block.text);
    case "markdown":
      return readMarkdown(block.text);
    case "image":
      return readPlain(block.alt_text);
    case "divider":
      return { ...nothing, text: "———" };
  }
}

/** An element that the checks of blocks let pass. */
interface Element {
  readonly type: string;
  readonly text?: unknown;
  readonly verbatim?: boolean;
  readonly url?: string;
  readonly alt_text?: string;
}

function readElement(element: object): Reading {
  const { type, text, verbatim, url, alt_text: alternative } = element as Element;
  if (type === "mrkdwn") return readMrkdwn(String(text), verbatim);
  if (type === "plain_text") return readPlain(String(text));
  if (type === "image") return readPlain(alternative ?? "");
  const { text: label } = readElement(text as object);
  return { ...nothing, text: `[${label}]`, links: url === undefined ? [] : [{ url, label }] };
}

/** Reads standard Markdown, of which links, bold and code count here. */
function readMarkdown(source: string): Reading {
  const asMrkdwn = source
    .replace(/\[([^\]\n]*)\]\(([^)\s]+)\)/g, (_, label: string, url: string) => `<${url}|${label}>`)
    .replace(/\*\*([^*\n]+)\*\*/g, "*$1*");
  return readMrkdwn(asMrkdwn);
}

function joined(readings: readonly Reading[], by: string): Reading {
  return {
    text: readings.map(({ text }) => text).join(by),
    mentions: readings.flatMap(({ mentions }) => mentions),
    links: readings.flatMap(({ links }) => links),
    styled: readings.flatMap(({ styled }) => styled),
  };
}
