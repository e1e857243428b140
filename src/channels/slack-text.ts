import type { MrkdwnElement, PlainTextElement } from "@slack/types";
import type { CommandLine } from "./story-text.ts";
import { oneLine } from "./story-text.ts";

/** The characters that begin a mention, a link or an entity. @see https://docs.slack.dev/messaging/formatting-message-text */
const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/**
 * Returns a text from outside as Slack shows it literally, in one line: without control characters,
 * mentions and links, and cut between two characters. `most` counts the escaped characters.
 */
export function inert(text: string, most: number): string {
  const characters = Array.from(oneLine(text, most), (character) => entities[character] ?? character);
  const whole = characters.join("");
  if (whole.length <= most) return whole;
  let kept = "";
  for (const character of characters) {
    if (kept.length + character.length >= most) break;
    kept += character;
  }
  return `${kept}…`;
}

/** Returns an element without marks, mentions and links. `text` is {@link inert}. Slack takes no empty text. */
export function plain(text: string): PlainTextElement {
  return { type: "plain_text", text: text === "" ? "–" : text, emoji: false };
}

/** Returns an element of Lookout's own words, in bold. */
export function label(word: string): MrkdwnElement {
  return { type: "mrkdwn", text: `*${word}*`, verbatim: true };
}

/** Returns lines of Lookout's own words, each with a command to copy. */
export function commandLines(lines: readonly CommandLine[]): MrkdwnElement {
  return {
    type: "mrkdwn",
    text: lines.map(({ word, command }) => `${word}: \`${command}\``).join("\n"),
    verbatim: true,
  };
}

/** Slack ends a link at any of `<>|`, and a reader can't see where a longer one leads. */
export const pageForm = /^https:\/\/[a-z0-9.-]+\/[\w./%~-]{1,500}$/;

/** Returns a link to a page whose address has the {@link pageForm}. */
export function link(word: string, url: string): MrkdwnElement {
  return { type: "mrkdwn", text: `<${url}|${word}>`, verbatim: true };
}
