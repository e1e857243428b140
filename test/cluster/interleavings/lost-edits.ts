import { updateLabelKey } from "#domain/workload/workload";
import { changedPaths, type Fields } from "#test/model/history/fields";

/** A read that a program's write rests on: when it was made, and what it showed. */
export interface Read {
  readonly began: number;
  readonly ended: number;
  readonly uid: string;
  readonly generation: number;
}

/** Something that was written, or tried. Instants are ticks of the interleaving. */
export interface Act {
  /** For the table: the kind of edit, or the program. */
  readonly what: string;
  readonly began: number;
  readonly ended: number;
  /** The version that the server answered; absent when it refused. */
  readonly resourceVersion?: string;
  /** The label that a Lookout's patch wrote: its answer has no version. */
  readonly updateLabel?: string;
  /** The annotation that a Lookout's patch wrote alone, or removed: its answer has no version either. */
  readonly annotation?: { readonly key: string; readonly to: string | undefined };
  /** Present for programs; people look before they write, and have the last word. */
  readonly read?: Read;
}

/** One state of an object, in the order in which the server made them. */
export interface State {
  readonly resourceVersion: string;
  readonly uid: string;
  readonly generation: number;
  readonly fields: Fields;
}

/** From one state to the next: who changed what. */
export interface Step {
  /** Undefined for a new object. */
  readonly before: State | undefined;
  readonly after: State;
  /** The fields that changed; of a new object all. */
  readonly paths: readonly string[];
  /** Undefined for the first state of all, and for what nobody says to have written. */
  readonly act: Act | undefined;
}

/** Tells the history of one object by who wrote it; states that differ in nothing that people write are left out. */
export function stepsOf(states: readonly State[], acts: readonly Act[]): readonly Step[] {
  const known = new Set<Act>();
  return states.flatMap((after, index): readonly Step[] => {
    const last = states[index - 1];
    const before = last?.uid === after.uid ? last : undefined;
    const old: Fields = before?.fields ?? new Map();
    const paths = changedPaths(old, after.fields);
    if (paths.length === 0) return [];
    const act = authorOf(
      after,
      old,
      acts.filter((one) => !known.has(one)),
    );
    if (act !== undefined) known.add(act);
    return [{ before, after, paths, act }];
  });
}

/** A version tells who made it; a Lookout's patch is told by its label or status annotation, which nobody else writes. */
function authorOf(state: State, old: Fields, acts: readonly Act[]): Act | undefined {
  const label = `labels/${updateLabelKey}`;
  const updateLabel = state.fields.get(label);
  return (
    acts.find(({ resourceVersion }) => resourceVersion === state.resourceVersion) ??
    acts.find(
      (act) => act.updateLabel !== undefined && act.updateLabel === updateLabel && updateLabel !== old.get(label),
    ) ??
    acts.find(({ annotation }) => {
      if (annotation === undefined) return false;
      const path = `annotations/${annotation.key}`;
      return state.fields.get(path) === annotation.to && old.get(path) !== annotation.to;
    })
  );
}

/**
 * Answers the edits that got lost, each once: a program's write changed a field back, or away, that somebody else had written last, and the
 * write rests on a read from before that.
 */
export function lostEdits(steps: readonly Step[]): readonly Act[] {
  const lost = new Set<Act>();
  const marks = new Map<string, Step>();
  for (const step of steps) {
    if (step.before === undefined) marks.clear();
    const { act } = step;
    for (const path of step.paths) {
      const mark = marks.get(path);
      if (act?.read !== undefined && mark?.act !== undefined && mark.act !== act && !sees(act.read, mark, mark.act))
        lost.add(mark.act);
      marks.set(path, step);
    }
  }
  return [...lost];
}

/** What was over before a read began is seen by it; of what went on meanwhile, the generation tells. */
function sees(read: Read, { after }: Step, act: Act): boolean {
  if (act.ended < read.began) return true;
  if (act.began > read.ended) return false;
  return read.uid === after.uid && read.generation >= after.generation;
}

/** The writes of programs that changed the object. */
export function writesOf(steps: readonly Step[]): readonly Act[] {
  return steps.flatMap(({ act }) => (act?.read === undefined ? [] : [act]));
}
