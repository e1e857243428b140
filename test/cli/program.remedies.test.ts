import type { Command } from "commander";
import { expect, it } from "vitest";
import { worldOfThisProcess } from "#cli/main";
import { programOf } from "#cli/program";
import { reasons, tagRejections } from "#domain/shared/reasons";

const program = programOf({
  world: worldOfThisProcess(() => new AbortController().signal),
  setExitCode: () => undefined,
});

/** The commands that remedies name, without their arguments: `lookout approvals ask`. */
const named = [...Object.values(reasons), ...Object.values(tagRejections)]
  .flatMap(({ remedy }) => [...remedy.matchAll(/\blookout((?: [a-z]+)+)/g)])
  .map(([, words = ""]) => words.trim().split(" "));

function unknownWord(words: readonly string[], command: Command = program): string | undefined {
  const [first, ...rest] = words;
  if (first === undefined || command.commands.length === 0) return first;
  const child = command.commands.find((one) => one.name() === first);
  return child === undefined ? first : unknownWord(rest, child);
}

it.each(named.map((words) => ({ words, text: words.join(" ") })))(
  "a remedy names a known command: lookout $text",
  ({ words }) => {
    expect(unknownWord(words)).toBeUndefined();
  },
);

it("a remedy without a command is found", () => {
  expect(named.map((words) => words.join(" "))).toContain("unblock");
  expect(unknownWord(["unblck"])).toBe("unblck");
});
