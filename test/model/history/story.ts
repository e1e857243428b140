/** The events of a history, in plain words. */
export interface Story {
  /** Adds a line. The text is made only if the story is recorded. */
  tell(afterMs: number, text: () => string): void;
  readonly lines: readonly string[];
}

/** A story that records no line. */
export const untoldStory: Story = { tell: () => undefined, lines: [] };

/** Returns a story with numbered lines, each with the time since the start. */
export function newStory(): Story {
  const lines: string[] = [];
  return {
    lines,
    tell(afterMs, text) {
      const time = new Date(afterMs).toISOString().slice(afterMs >= 86_400_000 ? 8 : 11, 23);
      lines.push(`${String(lines.length + 1).padStart(4)}  ${time}  ${text()}`);
    },
  };
}
