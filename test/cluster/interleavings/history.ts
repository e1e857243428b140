import { builtInKinds, type WorkloadKind } from "#domain/workload/kinds";
import { until } from "../bed/until.ts";
import { type Api, listPath, type Target } from "./api.ts";
import { fieldsOf } from "#test/model/history/fields";
import type { State } from "./lost-edits.ts";
import { manifest } from "./workload.ts";

/** All states of the namespace's workloads, from a watch of each kind. */
export interface History {
  /**
   * Returns the states of one workload in the server's order. A recreated object continues the
   * list.
   */
  of(target: Target): readonly State[];
  /** Waits until the history has all earlier writes. @throws Error if a watch was lost */
  catchUp(): Promise<void>;
  stop(): void;
}

const plain = { labelled: false, apply: "pin", replicas: 1 } as const;

const keyOf = ({ kind, name }: Target): string => `${kind}/${name}`;

/** Starts the recording of a history. */
export async function recordHistory(api: Api): Promise<History> {
  const states = new Map<string, State[]>();
  const end = new AbortController();
  const lost: unknown[] = [];
  let marks = 0;
  const follow = async (kind: WorkloadKind): Promise<void> => {
    const since = await api.version(kind);
    const watching = api.watch(
      kind,
      since,
      ({ type, object }) => {
        if (type !== "ADDED" && type !== "MODIFIED") return;
        const { name, uid, resourceVersion, generation } = object.metadata;
        const key = keyOf({ kind, name });
        const known = states.get(key) ?? [];
        states.set(key, known);
        known.push({ resourceVersion, uid, generation, fields: fieldsOf(object) });
      },
      end.signal,
    );
    watching.catch((error: unknown) => end.signal.aborted || lost.push(error));
  };
  await Promise.all(builtInKinds.map(follow));
  const of = (target: Target): readonly State[] => states.get(keyOf(target)) ?? [];
  return {
    of,
    async catchUp() {
      const name = `mark-${(marks += 1)}`;
      for (const kind of builtInKinds)
        await api.write({ method: "POST", path: listPath(kind), body: manifest({ kind, name }, plain) });
      await until("the watches show the marks", async () => {
        if (lost.length > 0) throw new Error("a watch was lost", { cause: lost[0] });
        return builtInKinds.every((kind) => of({ kind, name }).length > 0) || undefined;
      });
    },
    stop: () => end.abort(),
  };
}
