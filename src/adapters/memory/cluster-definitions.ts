import { type DefinitionKind, definitionKinds, type DefinitionObject } from "#domain/definitions/definition";
import type { DefinitionTrouble } from "#domain/definitions/definition-problem";
import { deepEqual } from "#domain/shared/deep-equal";
import type { Clock } from "#ports/clock";
import type { Cluster, StatusOutcome } from "#ports/cluster";
import { uidOf } from "./cluster-state.ts";

/** The definitions of a simulated cluster. Kinds are known from the start. */
export interface MemoryDefinitions {
  /** Creates or changes a definition. A changed spec raises its generation. */
  apply(kind: DefinitionKind, place: { readonly namespace: string; readonly name: string }, spec: unknown): void;
  remove(kind: DefinitionKind, place: { readonly namespace: string; readonly name: string }): void;
  all(): readonly DefinitionObject[];
  /** Makes a kind unknown, as without its definition in the API. Its objects are gone. */
  uninstall(kind: DefinitionKind): void;
  install(kind: DefinitionKind): void;
  /** The number of lists so far, by kind, and of written statuses. */
  readonly asked: { lists: number; statuses: number };
  /** Replaces an object, as a write of a status does. */
  replace(object: DefinitionObject): void;
  isKnown(kind: DefinitionKind): boolean;
  /** What the next lists and patches of a status meet. */
  readonly faults: {
    /** The kinds that are not listed, or not all of whose objects are. */
    lists: readonly DefinitionTrouble[];
    /** Answers a patch of a status, or throws. Undefined: the status is written. */
    status: (object: { readonly kind: DefinitionKind; readonly name: string }) => StatusOutcome | undefined;
  };
}

/** Returns the definitions of a cluster, which has none at first. */
export function memoryDefinitions(clock: Clock): MemoryDefinitions {
  const objects = new Map<string, DefinitionObject>();
  const unknown = new Set<DefinitionKind>();
  let version = 0;
  const keyOf = (kind: string, { namespace, name }: { readonly namespace: string; readonly name: string }): string =>
    `${kind}/${namespace}/${name}`;
  const next = (): string => String((version += 1));
  return {
    asked: { lists: 0, statuses: 0 },
    faults: { lists: [], status: () => undefined },
    apply(kind, { namespace, name }, spec) {
      const old = objects.get(keyOf(kind, { namespace, name }));
      const generation = old === undefined ? 1 : old.generation + (deepEqual(old.spec, spec) ? 0 : 1);
      const { uid, createdAt, status } = old ?? {
        ...{ uid: uidOf(kind, `${namespace}/${name}/${next()}`), createdAt: clock.now(), status: undefined },
      };
      const object = { kind, namespace, name, uid, resourceVersion: next(), generation, createdAt, spec, status };
      objects.set(keyOf(kind, object), object);
    },
    remove: (kind, place) => void objects.delete(keyOf(kind, place)),
    all: () => [...objects.values()],
    uninstall(kind) {
      unknown.add(kind);
      for (const [key, object] of objects) if (object.kind === kind) objects.delete(key);
    },
    install: (kind) => void unknown.delete(kind),
    replace: (object) => void objects.set(keyOf(object.kind, object), { ...object, resourceVersion: next() }),
    isKnown: (kind) => !unknown.has(kind),
  };
}

/** Returns the ports of a cluster's definitions. */
export function definitionPorts(definitions: MemoryDefinitions): Pick<Cluster, "definitions" | "patchStatus"> {
  return {
    async definitions() {
      definitions.asked.lists += definitionKinds.length;
      const troubles = definitions.faults.lists;
      const unlisted = troubles.flatMap(({ kind, reason }) => (reason.startsWith("list-") ? [kind] : []));
      const objects = definitions.all().filter(({ kind }) => definitions.isKnown(kind) && !unlisted.includes(kind));
      const absent = definitionKinds.filter((kind) => !definitions.isKnown(kind));
      return { objects, absent, unlisted, troubles };
    },
    async patchStatus({ kind, namespace, name, uid, resourceVersion, status }) {
      const stored = definitions
        .all()
        .find((one) => one.kind === kind && one.namespace === namespace && one.name === name);
      if (stored?.uid !== uid || stored.resourceVersion !== resourceVersion) return { kind: "changed" };
      const fault = definitions.faults.status({ kind, name });
      if (fault !== undefined) return fault;
      definitions.asked.statuses += 1;
      definitions.replace({ ...stored, status });
      return { kind: "written" };
    },
  };
}
