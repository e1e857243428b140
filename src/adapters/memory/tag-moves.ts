import type { KnownTags, TagMove } from "#domain/known-tags";
import type { TagMoves } from "#ports/tag-moves";
import { type Faulty, faults } from "./faults.ts";
import { repositoryText } from "./workload-store.ts";

/** When tags moved, in this process alone. */
export function memoryTagMoves(): TagMoves & Faulty {
  const { around, failNext } = faults();
  const moves = new Map<string, Map<string, TagMove>>();
  const knowns = new Map<string, KnownTags>();
  const movesOf = (name: Parameters<typeof repositoryText>[0]): Map<string, TagMove> => {
    const found = moves.get(repositoryText(name)) ?? new Map<string, TagMove>();
    moves.set(repositoryText(name), found);
    return found;
  };
  return {
    failNext,
    list: (name) => around(() => [...movesOf(name).values()].sort((one, other) => (one.tag < other.tag ? -1 : 1))),
    remember: (name, move) =>
      around(() => {
        const before = movesOf(name).get(move.tag);
        const isTold = before?.digest === move.digest && before.isFound !== true;
        if (before !== undefined && (isTold || before.movedAt > move.movedAt)) return;
        movesOf(name).set(move.tag, { ...move });
      }),
    forget: (name, forgotten) =>
      around(() => {
        for (const { tag, movedAt } of forgotten)
          if (movesOf(name).get(tag)?.movedAt === movedAt) movesOf(name).delete(tag);
      }),
    known: (name) => around(() => knowns.get(repositoryText(name))),
    writeKnown: (name, known) =>
      around(() => {
        knowns.set(repositoryText(name), [...known]);
      }),
    drop: (name) =>
      around(() => {
        moves.delete(repositoryText(name));
        knowns.delete(repositoryText(name));
      }),
  };
}
