/** What happened in a history, in plain words, for whoever wants to read it. */
export interface Story {
  /** Tells a line. The text is made only when someone listens. */
  tell(afterMs: number, text: () => string): void;
  readonly lines: readonly string[];
}

/** A story that nobody listens to. */
export const untoldStory: Story = { tell: () => undefined, lines: [] };

/** A story with numbered lines, each with the time since the beginning. */
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
