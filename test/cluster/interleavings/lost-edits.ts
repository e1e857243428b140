import { updateLabelKey } from "#domain/workload/workload";
import { changedPaths, type Fields } from "#test/model/history/fields";

/** The read before a program's write: its tick and its result. */
export interface Read {
  readonly began: number;
  readonly ended: number;
  readonly uid: string;
  readonly generation: number;
}

/** A write or a refused write. Instants are ticks of the interleaving. */
export interface Act {
  /** The kind of edit or the program, for the table. */
  readonly what: string;
  readonly began: number;
  readonly ended: number;
  /** The resource version of the response. Absent for a refusal. */
  readonly resourceVersion?: string;
  /** The update label of a Lookout's patch, whose response has no version. */
  readonly updateLabel?: string;
  /** The only annotation that a Lookout's patch wrote or removed. Its response has no version. */
  readonly annotation?: { readonly key: string; readonly to: string | undefined };
  /** The read before a program's write. Absent for people, whose edits must never get lost. */
  readonly read?: Read;
}

/** One state of an object, in the order in which the server made them. */
export interface State {
  readonly resourceVersion: string;
  readonly uid: string;
  readonly generation: number;
  readonly fields: Fields;
}

/** The step between two states: the author and the changed fields. */
export interface Step {
  /** The state before. Undefined for a new object. */
  readonly before: State | undefined;
  readonly after: State;
  /** The paths of the changed fields. A new object has all its paths. */
  readonly paths: readonly string[];
  /** The write of the step. Undefined for the first state and for an unknown author. */
  readonly act: Act | undefined;
}

/**
 * Returns the steps of one object with their authors. It omits states without changes to
 * user-written fields.
 */
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

/**
 * Returns the author of a state. The resource version identifies the write. A Lookout's patch has
 * its own label or status annotation.
 */
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
 * Returns the lost edits, each once. An edit is lost if a program's write changes its field, based
 * on a read before the edit.
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

/**
 * Returns whether a read includes a step. The read includes writes that ended before. For
 * concurrent writes, the generation decides.
 */
function sees(read: Read, { after }: Step, act: Act): boolean {
  if (act.ended < read.began) return true;
  if (act.began > read.ended) return false;
  return read.uid === after.uid && read.generation >= after.generation;
}

/** Returns the writes of programs that changed the object. */
export function writesOf(steps: readonly Step[]): readonly Act[] {
  return steps.flatMap(({ act }) => (act?.read === undefined ? [] : [act]));
}
